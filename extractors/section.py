"""The public calls: pages in as bytes or text, articles out."""

from dataclasses import replace
from datetime import datetime
from functools import cached_property

from .article import Article, NoArticle
from .page import Refuse, make_page
from .post import Post
from .registry import Learner, create


class Section:
    """One section of a site: an example page, prepared once, and the recent pages that it learned from.

    Not thread-safe.
    """

    def __init__(self, example: bytes | str | None, url: str | None = None, *, method: str = "auto") -> None:
        """Prepare `example`, the HTML of one article, whose URL is `url`; None if there is none.

        Raises `ValueError` for an unknown method or one that needs an example, `UnusablePage` if the example cannot be
        used.
        """
        self.example = None if example is None else make_page(example, url, name="example")
        self._extractor = create(method, self.example)

    @cached_property
    def example_article(self) -> Article | None:
        """The article of the example page, extracted once; None without an example, or if it gives none."""
        found = self._extractor.extract(self.example) if self.example else None
        return found if isinstance(found, Article) else None

    def extract(
        self,
        html: bytes | str,
        url: str | None = None,
        *,
        content_type: str | None = None,
        fetched_at: datetime | None = None,
        refuse: Refuse = "notices",
        screenshot: bytes | None = None,
    ) -> Article | NoArticle:
        """Return the article of a page, or why there is none; a `Listing` only from methods `list-rank` and `i-awce`.

        `content_type` is the HTTP header, for the encoding; `fetched_at` (aware) resolves dates such as "yesterday".
        `refuse`: whether a page with text gives `NoArticle` if it is surely a list ("sure"), if it probably is one
        ("likely"), only if it declares that it is an error page or the like ("notices"), or never. `screenshot`: a
        PNG of the page, by which `i-awce` classifies it (extra `vision`); other methods ignore it. Raises
        `UnusablePage` if nothing can be read from the page.
        """
        page = make_page(html, url, content_type, fetched_at, refuse=refuse)
        return self._extractor.extract(page if screenshot is None else replace(page, screenshot=screenshot))

    def learn(
        self, html: bytes | str, url: str | None = None, *, content_type: str | None = None, former: bool = False
    ) -> None:
        """Let a recent page of the section vote on later ones. Methods without memory ignore it.

        `former`: it has a former template, which some pages of the section still have. Raises
        `UnusablePage` if nothing can be read from the page.
        """
        page = make_page(html, url, content_type)
        if isinstance(self._extractor, Learner):
            self._extractor.learn(page, former=former)


def extract(
    html: bytes | str,
    url: str | None = None,
    *,
    example: bytes | str | None = None,
    method: str = "auto",
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    refuse: Refuse = "notices",
    screenshot: bytes | None = None,
) -> Article | NoArticle:
    """Return the article of one page, or why there is none. For many pages of a section, prepare a `Section`.

    With method `list-rank`, and with `i-awce` on a list page, return a `Listing`, an article with `entries`.

    Parameters and errors are those of `Section`.
    """
    return Section(example, method=method).extract(
        html, url, content_type=content_type, fetched_at=fetched_at, refuse=refuse, screenshot=screenshot
    )


def read_comments(
    html: bytes | str,
    url: str | None = None,
    *,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
) -> list[Post]:
    """Return the comments of readers that a page has, in its order. Parameters and errors are those of `Section`."""
    from . import posts  # most extractions do not need it

    return posts.read_comments(make_page(html, url, content_type, fetched_at))


def read_posts(
    html: bytes | str,
    url: str | None = None,
    *,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
) -> list[Post]:
    """Return the posts of a thread's page, in its order; empty if there are none. Parameters as for `read_comments`."""
    from . import posts
    from .page_types.classify import kinds_of_page, may_be_thread

    page = make_page(html, url, content_type, fetched_at)
    return posts.read_thread([page], is_thread=may_be_thread(kinds_of_page(page)))[0]
