"""The posts of a thread as small articles, and the page with which its next visit begins.

    first visit   page 1, 2, … 7                    all posts; the next visit begins with page 7
    later visits  page 7, and 8 once it is linked   posts that have no row yet

A later visit reads only the last pages if that loses no post: each post has an id of its own, and the newest post is on
the last page. Threads in another order, such as answers by votes, are read from the first page each time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from extractors import Article, Block, Post
from extractors.html.urls import normalise
from extractors.post import joined_posts
from extractors.posts import read_thread

from ..page_store import StoredPage
from ..rows import canonical_url
from ..url_states import ThreadEnd


@dataclass(frozen=True, slots=True)
class ThreadPosts:
    """The posts on the pages of a visit as small articles. `end`: where the next visit begins; None: the first page."""

    posts: tuple[Article, ...]
    end: ThreadEnd | None


def posts_of(thread: Article, page: StoredPage, begin: ThreadEnd | None, url_regex: str) -> ThreadPosts:
    """Return the posts of the pages of one visit, from which `thread` was extracted.

    `page`: the first of them, with the others; `begin`: where the visit was to begin. `url_regex`: of the task, for the
    canonical URL.
    """
    is_later = begin is not None and begin.page == page.url
    if begin is None or not is_later:
        url = normalise(canonical_url(thread, page.url, page.url, url_regex))
        begin = ThreadEnd(page.url, url, thread.title or "")
    read = read_thread(thread.pages, is_thread=True)  # the task says so
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


def _articles(thread: Article, posts: Sequence[Post], url: str) -> Iterator[Article]:
    """Yield each post as a small article at the thread's URL with its anchor."""
    places: dict[str, Post] = {}
    for post in posts:
        place = f"{url}#{post.anchor or post.number}"
        places[f"{place}-{post.number}" if place in places else place] = post  # some sites number each page's anew
    bare = replace(thread, modified=None, description=None, image=None, markup=None, pages=())
    for place, post in places.items():
        yield replace(
            bare,
            text=post.text,
            blocks=(Block("paragraph", post.text),),
            url=place,
            canonical_url=place,
            author=post.author,
            published=post.time,
        )
