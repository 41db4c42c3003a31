"""The decision which pages of a task are rendered. Without Scrapy and without a browser.

`render: true` and `false` apply to the articles. With `auto` (the default) the example is first fetched without a
browser; if it is an empty shell, the task's articles are rendered. The decision is kept in Redis with the example,
which is then fetched in the same way as the articles. A list page of a task that renders is first fetched without a
browser; if it has scripts and no link to an article, it is rendered, then and whenever it is read again.
"""

from collections.abc import Sequence

import redis

from crawler.discovery.links import page_links
from crawler.patterns.pattern import Pattern
from crawler.run.outcomes import media_type
from crawler.task_list.models import Task
from extractors.html.decoding import decode
from workers import keys
from workers.extraction_config import example_fetched
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
        """Read whether the stored example was rendered; None if there is none of this URL."""
        asked, rendered = example_fetched(self.redis, self.task.name)
        self._kept = rendered if asked == self.task.example else None

    def renders(self) -> bool:
        """Whether articles are rendered; another spider of the task may have decided meanwhile."""
        if self.on is None:
            self.read_example()
            self.on = self._kept
        return bool(self.on)

    @property
    def fits_example(self) -> bool:
        """Whether the example is stored, fetched in the same way as the articles; if not, it has to be fetched."""
        return self._kept is not None and self._kept == self.on

    def learn(self, page: StoredPage) -> bool:
        """Decide by the example, if still undecided; return whether it has to be fetched again, rendered."""
        if self.on is not None:
            return False
        self.on = _is_shell(page)
        return self.on

    def renders_list(self, url: str) -> bool:
        """Whether a list page is known to have links only in a browser."""
        return bool(self.on) and bool(self.redis.sismember(self._lists, url))

    def note_list_shell(self, url: str, page: StoredPage, patterns: Sequence[Pattern]) -> bool:
        """Record a list page that was fetched without a browser, has scripts, and has no link that matches a pattern.

        It is rendered immediately from now on. Returns whether it is such a page.
        """
        if not self.on or media_type(page.content_type) not in MARKUP:
            return False
        links = page_links(page.body, page.url, page.content_type).links
        if any(pattern.match(link.url) for link in links for pattern in patterns):
            return False
        if self.renders_list(url) or not _is_scripted(page):
            return False
        if self.redis.scard(self._lists) < LISTS_KEPT:
            self.redis.sadd(self._lists, url)
        return True


def _is_shell(page: StoredPage) -> bool:
    from extractors.content.notices import is_shell
    from extractors.page import Page  # imported late: most runs need neither

    return is_shell(Page(decode(page.body, page.content_type)[0], page.url))


def _is_scripted(page: StoredPage) -> bool:
    from extractors.content.notices import has_scripts
    from extractors.errors import UnusablePage
    from extractors.html.dom import parse

    try:
        return has_scripts(parse(decode(page.body, page.content_type)[0]))
    except UnusablePage:
        return False
