"""The decision which pages of a task are rendered. Without Scrapy and without a browser.

`render: true` and `false` apply to the articles. With `auto` (the default) the example is first fetched without a
browser; if it is an empty shell, the task's articles are rendered. The decision is kept in Redis with the example,
which is then fetched in the same way as the articles. A list page of a task that renders is first fetched without a
browser; if it has scripts and no link to an article, it is rendered, then and whenever it is read again.
"""

import redis

from crawler.run.outcomes import media_type
from crawler.task_list.models import Task
from extractors.html.decoding import decode
from workers import keys
from workers.extraction_config import example_fetched, example_of, note_rendered
from workers.inbox import StoredPage

TABS = 4  # pages of a browser at a time; 4 give about 4 pages a second and take 700 MB
LISTS_KEPT = 1000  # list pages of a task that are known to be shells; further ones are fetched without a browser first
MARKUP = ("", "text/html", "application/xhtml+xml")


class Rendering:
    """The rendering of one task's pages. `on`: for its articles; None: undecided until the example is fetched."""

    def __init__(self, connection: "redis.Redis", task: Task):
        self.redis, self.task = connection, task
        self._lists = keys.of_task(task.name, "rendered-lists")
        self.read_example()
        self.on: bool | None = self._kept if task.render == "auto" else task.render

    def read_example(self) -> None:
        """Read which example is stored, and whether it was rendered."""
        asked, rendered = example_fetched(self.redis, self.task.name)
        self._has_example = asked == self.task.example
        self._kept = self._as_kept(rendered) if self._has_example else None

    def renders(self) -> bool:
        """Whether articles are rendered; another spider of the task may have decided meanwhile."""
        if self.on is None:
            self.read_example()
            self.on = self._kept
        return bool(self.on)

    @property
    def fits_example(self) -> bool:
        """Whether the example is stored, fetched in the same way as the articles; if not, it has to be fetched."""
        return self._has_example and self.on is not None and (self._kept or False) == self.on

    def learn(self, page: StoredPage) -> bool:
        """Decide by the example, if still undecided; return whether it has to be fetched again, rendered."""
        if self.on is not None:
            return False
        self.on = _is_shell(page)
        return self.on

    def renders_list(self, url: str) -> bool:
        """Whether a list page is known to have links only in a browser."""
        return bool(self.on) and bool(self.redis.sismember(self._lists, url))

    def is_list_shell(self, url: str, body: bytes, content_type: str, fitting: int) -> bool:
        """Whether a list page that was fetched without a browser has scripts, and none of its links is `fitting`."""
        if not self.on or fitting or media_type(content_type) not in MARKUP:
            return False
        return not self.renders_list(url) and _is_scripted(body, content_type)

    def render_list(self, url: str) -> None:
        """Record that this list page is to be rendered immediately from now on."""
        if self.redis.scard(self._lists) < LISTS_KEPT:
            self.redis.sadd(self._lists, url)

    def _as_kept(self, rendered: bool | None) -> bool | None:
        """Whether the stored example was rendered; None if that is unknown. `rendered`: the note with it, if any."""
        if rendered is not None or self.task.render != "auto":
            return rendered
        try:
            example = example_of(self.redis, self.task.name)
        except ValueError:  # the example is damaged
            return None
        if example is None or _is_shell(example):
            return None
        note_rendered(self.redis, self.task.name, False)
        return False


def _is_shell(page: StoredPage) -> bool:
    from extractors.content.notices import is_shell
    from extractors.page import Page  # imported late: most runs need neither

    return is_shell(Page(decode(page.body, page.content_type)[0], page.url))


def _is_scripted(body: bytes, content_type: str) -> bool:
    from extractors.content.notices import has_scripts
    from extractors.errors import UnusablePage
    from extractors.html.dom import parse

    try:
        return has_scripts(parse(decode(body, content_type)[0]))
    except UnusablePage:
        return False
