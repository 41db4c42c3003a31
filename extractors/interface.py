"""What every method offers."""

from typing import Protocol, runtime_checkable

from .article import Article, NoArticle
from .listing import Listing
from .page import Page


class Extractor(Protocol):
    """Cuts articles out of pages, any number of them, one after another (not from several threads at once)."""

    def extract(self, page: Page) -> Article | Listing | NoArticle:
        """Return the article, or why there is none; `list-rank` and `i-awce` return a list page as its `Listing`.

        Raises `UnusablePage` if nothing can be read from the page.
        """


@runtime_checkable
class Learner(Extractor, Protocol):
    """A method that gains from recent pages of the same section."""

    def learn(self, page: Page) -> None:
        """Let `page` join the vote on later pages. Raises `UnusablePage` if nothing can be read from it."""
