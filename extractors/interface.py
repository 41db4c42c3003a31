"""The interface of all methods."""

from typing import Protocol, runtime_checkable

from .article import Article, NoArticle
from .listing import Listing
from .page import Page


class Extractor(Protocol):
    """Extracts the articles of any number of pages, one after another. Not thread-safe."""

    def extract(self, page: Page) -> Article | Listing | NoArticle:
        """Return the article, or why there is none; `list-rank` and `i-awce` return a list page as its `Listing`.

        Raises `UnusablePage` if nothing can be read from the page.
        """


@runtime_checkable
class Learner(Extractor, Protocol):
    """A method that improves with recent pages of the same section."""

    def learn(self, page: Page, *, former: bool = False) -> None:
        """Add `page` to the vote on later pages. Raises `UnusablePage` if nothing can be read from it.

        `former`: it has a former template, which some pages of the section still have.
        """
