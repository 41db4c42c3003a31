"""The observations of a task: one for each page that a worker settles, and one for each run that ends."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from zlib import crc32

from extractors import Article

from ..rows import encodable
from ..stored_json import adapter_of, loaded
from ..url_states import KEPT

PageFate = Literal["article", "refused", "blocked", "failed"]

LONGEST_URL = 500  # characters
MARKED = 200  # letters at the beginning of a text that are compared
# Both take linear time on any page
TITLE = re.compile(rb"<title[^<>]*>([^<]*)", re.IGNORECASE)
NO_TEXT = re.compile(rb"<(script|style|title)\b(?:.*?</\1|.*)|<[^<>]*>|&\w+;", re.IGNORECASE | re.DOTALL)
_NO_LETTER = re.compile(r"[\W\d_]+")


@dataclass(frozen=True, slots=True)
class PageObservation:
    """A settled page. `at`: Unix seconds; `fate`: whether it gave an article, was judged to have none, was a block page
    or a refusal, or failed.

    `match`: surrounding match, 0 to 1, None without an example; `length`: characters of the text; `title_mark` and
    `text_mark`: hashes that are equal for similar pages, 0 for none; `fits`: whether it has a known template of the
    section, also if its match is low.
    """

    at: float
    url: str
    fate: PageFate
    method: str = ""
    match: float | None = None
    length: int = 0
    title_mark: int = 0
    text_mark: int = 0
    reason: str = ""
    fits: bool = False


@dataclass(frozen=True, slots=True)
class VisitObservation:
    """A run that ended. `at`: Unix seconds. `found`: links to articles on its lists; `known`: how many of them were
    known before.

    `lists`: list pages read; `unchanged`: those that have not changed; `lists_failed`: those not read.
    `fetched`, `failed`, `later`: articles that were fetched, failed, and failed temporarily. `moved_to`: where a start
    page redirects. `unlike`: a link of a new form above the articles of the lists, if no article was new. `is_whole`:
    the walk ended at known articles, so that all unknown articles are new.
    """

    at: float
    lists: int = 0
    unchanged: int = 0
    lists_failed: int = 0
    found: int = 0
    known: int = 0
    new: int = 0
    fetched: int = 0
    failed: int = 0
    later: int = 0
    start: str = ""
    moved_to: str = ""
    problem: str = ""
    unlike: str = ""
    is_whole: bool = True


Observation = PageObservation | VisitObservation
_KINDS: dict[str, type[PageObservation] | type[VisitObservation]] = {"page": PageObservation, "visit": VisitObservation}


def to_json(observation: Observation) -> str:
    """Return a short JSON form: fields with their default are left out."""
    kind = "page" if isinstance(observation, PageObservation) else "visit"
    cls: Any = type(observation)
    row = adapter_of(cls).dump_python(observation, exclude_defaults=True)
    return json.dumps({"kind": kind, **row}, ensure_ascii=False)


def from_json(text: str | bytes) -> Observation:
    """Return the observation that `to_json` wrote, of this version or another."""
    row: Mapping[str, Any] = json.loads(text)
    cls = _KINDS[row["kind"]]
    return loaded(cls, row)


def is_observed(info: Mapping[str, Any], run: str = "") -> bool:
    """Whether a page shows the section's present state: not a recheck, an old page, or an accepted one.

    `info`: the record of its URL; `run`: that fetched it.
    """
    return run != KEPT and not any(info.get(name) for name in ("visits", "days", "accepted"))


def article_observation(url: str, article: Article, at: float) -> PageObservation:
    """Return the observation of a page that gave an article."""
    return PageObservation(
        at=round(at, 1),
        url=encodable(url)[:LONGEST_URL],
        fate="article",
        method=article.method,
        match=None if article.surrounding_match is None else round(article.surrounding_match, 3),
        length=len(article.text),
        title_mark=_title_mark(article.title or ""),
        text_mark=_mark(article.text),
        fits=article.fits,
    )


def refused_observation(url: str, body: bytes, reason: str, at: float) -> PageObservation:
    """Return the observation of a page that was judged to have no article. `body`: its raw bytes."""
    title = TITLE.search(body[:100_000])
    text = " ".join(NO_TEXT.sub(b" ", body[:400_000]).decode("latin-1").split())
    return PageObservation(
        at=round(at, 1),
        url=encodable(url)[:LONGEST_URL],
        fate="refused",
        length=len(text),
        title_mark=_title_mark(title[1].decode("latin-1")) if title else 0,
        text_mark=_mark(text),
        reason=encodable(reason)[:100],
    )


def failed_observation(url: str, reason: str, at: float, fate: PageFate = "failed") -> PageObservation:
    """Return the observation of a page that could not be extracted, or was a block page."""
    return PageObservation(at=round(at, 1), url=encodable(url)[:LONGEST_URL], fate=fate, reason=encodable(reason)[:100])


def _title_mark(title: str) -> int:
    """Return a hash of a title; numbers count, since titles of some sections differ only in them."""
    words = " ".join(title.split()).casefold()
    return crc32(words.encode("utf-8", "replace")) if words else 0


def _mark(text: str) -> int:
    """Return a hash of a text's first letters: numbers in it, such as those of a request, do not count."""
    letters = _letters(text[: MARKED + MARKED // 2])
    if len(letters) < MARKED:
        letters = _letters(text[: 4 * MARKED])
    letters = letters[:MARKED]
    return crc32(letters.encode("utf-8", "replace")) if letters else 0


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text.casefold())
