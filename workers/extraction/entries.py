"""A list page, or a thread, as rows: one row per entry or post, each once per task.

An entry's row is that of a small article whose text is its title: `url` and `canonical_url` are the entry's own,
`listed_on` is the list page, `page_type` is "list". A post's row has the post's author, time and text and the thread's
title; its URL is the thread's with the post's anchor as fragment, or with a name of its author and first words, and
`listed_on` is the page that has it. The key is (task, canonical URL, version 1). The ledger records which of them have
a row, so a page that is read again, or that shares an entry with another one, adds only new rows.

The posts of a thread, and the page with which its next visit begins:

    first visit   page 1, 2, … 7                    all posts; the next visit begins with page 7
    later visits  page 7, and 8 once it is linked   posts that have no row yet

A later visit reads only the last pages if that loses no post: each post has an id of its own, and the newest post is on
the last page. Threads in another order, such as answers by votes, are read from the first page each time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from extractors import Article, Block, Entry, Listing, Post
from extractors.html.urls import normalise
from extractors.page import Page
from extractors.post import joined_posts
from extractors.posts import read_thread

from ..extraction_config import ExtractionConfig
from ..page_store import StoredPage
from ..rows import Row, canonical_url, row_of
from ..url_states import ThreadEnd, fingerprint
from ..usage_rights import Usage
from .filters import of_other_days, unwanted

NAMED_BY = 60  # characters of a post, so that what a site adds below it (an edit, a signature) does not count


def joined_lists(first: Listing, further: Sequence[Listing]) -> Listing:
    """Return the list of all pages of a paginated list, in order."""
    if not further:
        return first
    pages = (first, *further)
    return replace(
        first,
        entries=tuple(entry for page in pages for entry in page.entries),
        text="\n\n".join(page.text for page in pages),
        blocks=tuple(block for page in pages for block in page.blocks),
        confidence=min(page.confidence for page in pages),
    )


def wanted(
    articles: Sequence[Article], config: ExtractionConfig, days: Sequence[str | None] | None
) -> dict[str, Article]:
    """Return the entries or posts that pass the task's filters by canonical URL; `days`: of a back-fill."""
    found: dict[str, Article] = {}
    for article in articles:
        if not unwanted(article, config) and not (days and of_other_days(article, days)):
            found.setdefault(article.canonical_url or "", article)
    return found


def entries_of(listing: Listing) -> tuple[Article, ...]:
    """Return the entries of a list that have a URL, as small articles."""
    return tuple(_as_article(listing, entry) for entry in listing.entries if entry.url)


def _as_article(listing: Listing, entry: Entry) -> Article:
    return Article(
        text=entry.title,
        blocks=(),
        method=listing.method,
        confidence=listing.confidence,
        reason=listing.reason,
        url=entry.url,
        canonical_url=normalise(entry.url),
        title=entry.title,
        published=entry.published,
        language=listing.language,
        site_name=listing.site_name,
        page_type="list",
        article_probability=listing.article_probability,
    )


def entry_row(
    article: Article, canonical: str, page: StoredPage, config: ExtractionConfig, version: str | None, usage: Usage
) -> Row:
    """Return the row of an entry or a post of `page`; `version` is the section's."""
    return row_of(
        article,
        task=config.task,
        url=article.url or canonical,
        canonical_url=canonical,
        fetched_at=page.fetched_at,
        section_version=version,
        listed_on=page.url,
        usage=usage,
    )


@dataclass(frozen=True, slots=True)
class ThreadPosts:
    """The posts on the pages of a visit as small articles. `end`: where the next visit begins; None: the first page."""

    posts: tuple[Article, ...]
    end: ThreadEnd | None


def posts_of(
    thread: Article, page: StoredPage, begin: ThreadEnd | None, url_regex: str, example: Page | None = None
) -> ThreadPosts:
    """Return the posts of the pages of one visit, from which `thread` was extracted.

    `page`: the first of them, with the others; `begin`: where the visit was to begin. `url_regex`: of the task, for the
    canonical URL. `example`: a thread of the same form; one post alone does not show what repeats.
    """
    is_later = begin is not None and begin.page == page.url
    if begin is None or not is_later:
        url = normalise(canonical_url(thread, page.url, page.url, url_regex))
        begin = ThreadEnd(page.url, url, thread.title or "")
    read = read_thread(thread.pages, is_thread=True, first=-is_later)  # the task says so
    if example and not any(read):
        _, *read = read_thread([example, *thread.pages], is_thread=True, first=-1 if is_later else 1)
    by_page = dict(zip((one.url or "" for one in thread.pages), read, strict=True))
    posts = joined_posts(by_page.values())
    last = _last_page(by_page, page) if is_later or _are_in_order(by_page.values()) else None
    end = replace(begin, page=last) if last and _have_anchors(posts) else None
    articles = tuple(_articles(replace(thread, title=begin.title or None), posts, begin.url))
    return ThreadPosts(articles, end if is_later or page.parts or page.missing else None)


def _last_page(by_page: dict[str, list[Post]], page: StoredPage) -> str | None:
    """Return the page with which the next visit begins: the first one that is missing, or the last that has posts."""
    return next(iter(page.missing), None) or next((url for url in reversed(by_page) if by_page[url]), None)


def _are_in_order(by_page: Iterable[Sequence[Post]]) -> bool:
    """Whether the last page has the newest post."""
    newest = [max(map(_moment, posts)) for posts in by_page if posts]
    return bool(newest) and all(newest) and newest[-1] == max(newest)


def _have_anchors(posts: Sequence[Post]) -> bool:
    """Whether each post has an anchor of its own; the opening post of some sites has none."""
    anchors = [post.anchor for post in posts]
    return all(anchors[1:]) and len(set(anchors)) == len(anchors)


def _moment(post: Post) -> str:
    return post.time.isoformat()[:19] if post.time else ""


def _beginning(post: Post) -> str:
    """Return a name for a post whose element has none, from its author and its first words.

    Its place does not count: where the newest post is first it changes. Nor do numbers, which may be counters.
    """
    words = "".join(character for character in post.text if not character.isnumeric() and not character.isspace())
    return fingerprint(f"{post.author}\n{words[:NAMED_BY]}")


def _articles(thread: Article, posts: Sequence[Post], url: str) -> Iterator[Article]:
    """Yield each post as a small article at the thread's URL with its anchor, or what stands for one."""
    equal = Counter[str]()
    urls: dict[int, str] = {}
    by_time = sorted(enumerate(posts), key=lambda one: _moment(one[1]))
    for place, post in by_time:  # so that a newer one counts after its equals
        name = f"{url}#{post.anchor or _beginning(post)}"
        equal[name] += 1
        urls[place] = name if equal[name] == 1 else f"{name}-{equal[name]}"
    bare = replace(thread, modified=None, description=None, image=None, markup=None, pages=())
    for place, post in enumerate(posts):
        yield replace(
            bare,
            text=post.text,
            blocks=(Block("paragraph", post.text),),
            url=urls[place],
            canonical_url=urls[place],
            author=post.author,
            published=post.time,
        )
