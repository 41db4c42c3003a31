"""From HTML to articles: pure functions, no network, no clock, no framework. Usable on its own.

    from extractors import extract, Section

    article = extract(page, url, example=example_page)
    if article:
        print(article.title, article.text, article.method, article.confidence)

With method `list-rank` or `i-awce` a list page gives a `Listing`, an article with `entries`.

Page → `decoding` → `dom` → `lines` → a method (`registry`) → `blocks` and `metadata` → `Article`.
"""

from .article import Article, Block, Entry, Link, Listing, NoArticle
from .errors import UnusablePage
from .post import Post
from .section import Section, extract, read_comments, read_posts

__all__ = [
    "Article", "Block", "Entry", "Link", "Listing", "NoArticle", "Post", "Section", "UnusablePage", "extract",
    "read_comments", "read_posts", "walk_in_use",
]  # fmt: skip


def walk_in_use() -> str:
    """Return the form of the walk over the tree that is in use, "compiled" or "Python"; both give the same results."""
    from .html import walk  # imports numpy and lxml

    return walk.walk_in_use()
