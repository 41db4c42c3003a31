"""The decision on a fetched page, without side effects: from page, section and lease alone.

    judge ─▶ Reject | Fail                                      the page gives no row
        └──▶ FoundArticle | FoundList ─▶ `row_claims`              it gives rows if no other page gives the same ones

`workers.worker_processes.extraction_worker` carries the decision out.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from extractors import Article, Listing, NoArticle, Post, Section, UnusablePage, read_comments
from extractors.article import CHECK
from extractors.content.multipage import joined
from extractors.page import Refuse

from ..page_store import StoredPage, unpack
from ..rows import Row, content_hash, content_hash_of, row_of
from ..url_states import MOST_ATTEMPTS, Fingerprint, PageLease, RecheckPlan, ThreadEnd, recheck_of
from ..usage_rights import Usage, usage_of
from .block_pages import SentPage, mark_of
from .entries import entries_of, joined_lists, posts_of
from .filters import of_other_days, unwanted
from .section_preparation import PreparedSection


@dataclass(frozen=True, slots=True)
class Reject:
    """The page has no article for this task. `is_keepable`: it may be kept to be extracted again.

    `page` is set if the page itself was judged to have no article; rejection by the task's own rules is no evidence
    on its template. `fits`: whether it has a known template of the section.
    """

    reason: str
    is_keepable: bool = field(default=True, compare=False)
    fits: bool = field(default=True, compare=False)
    page: StoredPage | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Fail:
    """The page should have given an article and did not.

    `page` goes to quarantine; None if it cannot be read at all.
    """

    reason: str
    page: StoredPage | None = None
    error: Exception | None = None  # a defect of the extractor, to be logged
    is_keepable: bool = field(default=True, compare=False)  # as in `Reject`


@dataclass(frozen=True, slots=True)
class FetchAgain:
    """The stored body is damaged: the page is fetched again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Postpone:
    """The page is tried again after some seconds; this does not count as an attempt."""

    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class MarkDuplicate:
    """Another page has written the article. `note`: its canonical URL, or `near` and the URL of a near-duplicate."""

    note: str


@dataclass(frozen=True, slots=True)
class KeepRow:
    """A recheck found no change: the row of the last version stays the newest."""

    note: str
    recheck: RecheckPlan | None


@dataclass(frozen=True, slots=True)
class WriteRows:
    """The rows to write; a list page without new entries gives none.

    `again`: a row may already have been written. `entries`: the canonical URLs of the rows of a list page.
    `article`: the candidate for the vote; None for a list page. `thread`: as in `FoundList`.
    """

    rows: Sequence[Row]
    recheck: RecheckPlan | None
    again: bool
    note: str = ""
    entries: Sequence[Fingerprint] = ()
    article: "FoundArticle | None" = None
    thread: Article | None = None


Decision = Reject | Fail | FetchAgain | Postpone | MarkDuplicate | KeepRow | WriteRows


@dataclass(frozen=True, slots=True)
class FoundArticle:
    """An article that passes the task's filters. `example_hash`: of its text as extracted with the example alone."""

    page: StoredPage
    article: Article
    usage: Usage
    example_hash: str


@dataclass(frozen=True, slots=True)
class FoundList:
    """A list page, or a thread: its entries or posts as `articles`, over all pages of the visit.

    `hash`: of the whole. `end`: where the next visit of a thread begins; `thread`: the text around the posts as well.
    """

    page: StoredPage
    articles: tuple[Article, ...]
    usage: Usage
    hash: str
    end: ThreadEnd | None = None
    thread: Article | None = None


def judge(section: PreparedSection, lease: PageLease) -> Reject | Fail | FetchAgain | FoundArticle | FoundList:
    """Extract a leased page and apply the task's filters. Raises `MemoryError`; a defect of the extractor is `Fail`."""
    try:
        page = unpack(lease.page)
    except ValueError as error:
        return FetchAgain(str(error))
    if lease.attempts > MOST_ATTEMPTS:
        return Fail(f"crashed or timed out its worker {MOST_ATTEMPTS} times", page, is_keepable=False)
    return judge_page(section, page, lease.info)


def judge_page(
    section: PreparedSection, page: StoredPage, info: Mapping[str, Any]
) -> Reject | Fail | FoundArticle | FoundList:
    """Extract a page and apply the task's filters, as `judge`. `info`: the data on its URL from discovery."""
    refuse: Refuse = "never" if info.get("accepted") else section.config.refuse
    try:
        extracted = _extract_all_parts(section.section, page, refuse)
        by_example = (
            extracted
            if section.example_only is section.section
            else _extract_all_parts(section.example_only, page, refuse)
        )
    except UnusablePage as error:
        return Fail(f"unusable page: {error}", page)
    except MemoryError:
        raise  # the worker itself may have grown too large: it ends, and another one tries the page
    except Exception as error:  # a defect of the extractor: the page is kept in quarantine, the next one is tried
        return Fail(f"extractor error: {type(error).__name__}: {error}", page, error)
    if isinstance(extracted, NoArticle):
        return Reject(extracted.reason, page=page, fits=extracted.fits)
    extracted = _without_shared_link(extracted, section.example_only.example_article)
    config = section.config
    usage = usage_of(page.headers, extracted.robots_meta, extracted.tdm_meta, config.product)
    if directive := usage.forbids(config.skip):
        return Reject(f"skip: {directive}", is_keepable=False)
    if isinstance(extracted, Listing):
        return FoundList(page, entries_of(extracted), usage, content_hash(extracted))
    if config.rows == "posts":
        plan = recheck_of(info)
        begin = plan.thread if plan else None
        found = posts_of(extracted, page, begin, config.url_regex, section.section.example)
        if not found.posts and (plan or not config.revisit):  # else there may be some at the next visit
            return Reject("no posts found: neither a thread nor comments", page=page)
        text = "\n".join(post.text for post in found.posts)
        return FoundList(page, found.posts, usage, content_hash_of(extracted.title, text), found.end, extracted)
    if extracted.published is None and (listed := info.get("listed")):
        extracted = replace(extracted, published=datetime.fromisoformat(listed))
    if reason := unwanted(extracted, config):
        return Reject(reason)
    if (days := info.get("days")) and (reason := of_other_days(extracted, days)):
        return Reject(reason)
    hash_ = content_hash(by_example if isinstance(by_example, Article) else extracted)
    return FoundArticle(page, extracted, usage, hash_)


def _without_shared_link(article: Article, example: Article | None) -> Article:
    """Return an article without a canonical link that the example has too, under another title: all pages have it."""
    if example is None or not article.canonical_url or article.canonical_url != example.canonical_url:
        return article
    title, title_of_example = article.title or "", example.title or ""
    is_same = title in title_of_example or title_of_example in title  # as of a further page: "Title (2)"
    return article if is_same else replace(article, canonical_url=None)


def _extract_all_parts(section: Section, page: StoredPage, refuse: Refuse) -> Article | NoArticle:
    """Extract the article, or the list, from all of its pages; unusable further pages are left out."""
    first = _extract(section, page, refuse)
    if isinstance(first, NoArticle) or not page.parts:
        return first
    further = []
    for part in page.parts:
        with suppress(UnusablePage):
            further.append(_extract(section, part, refuse))
    if isinstance(first, Listing):
        return joined_lists(first, [result for result in further if isinstance(result, Listing)])
    return joined(first, [result for result in further if result and not isinstance(result, Listing)])


def _extract(section: Section, page: StoredPage, refuse: Refuse) -> Article | NoArticle:
    return section.extract(
        page.body, page.url, content_type=page.content_type, fetched_at=page.fetched_at, refuse=refuse
    )


def _comments_on(section: PreparedSection, page: StoredPage) -> list[Post] | None:
    """Return the comments of readers on the article's first page; None if no output has them."""
    if not section.comments:
        return None
    return read_comments(page.body, page.url, content_type=page.content_type, fetched_at=page.fetched_at)


def article_row(
    section: PreparedSection, url: str, found: FoundArticle, canonical: str, *, version: int, near: str | None
) -> Row:
    """Return the row of an article. `url`: as requested; `near`: the URL of an article with almost the same text."""
    page = found.page
    return row_of(
        found.article,
        task=section.config.task,
        url=url,
        canonical_url=canonical,
        fetched_at=page.fetched_at,
        version=version,
        section_version=section.version,
        near_duplicate_of=near,
        parts=1 + len(page.parts),
        parts_missing=page.missing,
        usage=found.usage,
        html=section.html,
        comments=_comments_on(section, page),
    )


def sent_page(lease: PageLease, judged: Reject | FoundArticle, *, has_example: bool) -> SentPage:
    """Return the page of a decision; a `Reject` must have one."""
    assert judged.page is not None
    name, url, body = lease.fingerprint, lease.url, judged.page.body
    if isinstance(judged, Reject):
        is_check = judged.reason.startswith(CHECK)
        return SentPage(name, url, mark_of(body), f"block page: {judged.reason}" if is_check else "")
    fits = judged.article.fits and has_example
    version = lease.recheck.version + 1 if lease.recheck else 1
    return SentPage(name, url, mark_of(body, exact=fits), fits=fits, version=version, hash=judged.example_hash)
