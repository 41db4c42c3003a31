"""The effect of another example or method: stored pages are extracted with both and compared field by field.

Nothing is fetched and nothing is written. The similarity of two texts is F1 over 4-word shingles as a multiset; each
CJK character is a word of its own.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from extractors import Article, Listing, NoArticle, Section, UnusablePage
from extractors.page import Refuse

from ..page_store import StoredPage

SHINGLE = 4  # words
_WORD = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
ENDS = 120  # characters of a text's head and tail that are shown
LINES, LINE = 4, 100  # lines that are shown as added or removed, and characters of each
LAST_LINES, LEAST_LINE = 12, 4  # lines of a text that count as its end; characters of a line that others can share
SAME_TEXT = 0.99  # F1 of two texts from which they count as the same
FIELDS = ("title", "published", "author")  # compared in addition to the text
SHOWN = 200  # characters of a field that are shown
Extracted = Article | NoArticle
Kind = Literal["same", "changed", "lost", "gained", "none"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class TextChange:
    """How a text differs from an earlier one: its head and tail, its first new lines, and the first missing ones."""

    head: str = ""
    tail: str = ""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def change_of(before: str, after: str) -> TextChange:
    """Return how a text differs from an earlier one."""
    old, new = before.splitlines(), after.splitlines()
    added, removed = _lines_without(new, old), _lines_without(old, new)
    folded = " ".join(after.split())
    return TextChange(folded[:ENDS], folded[ENDS:][-ENDS:], added, removed)


def _lines_without(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    known = {line.strip() for line in others} | {""}
    found = dict.fromkeys(line.strip() for line in lines if line.strip() not in known)
    return tuple(line[:LINE] for line in list(found)[:LINES])


def shared_ends(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return, for each text, the lines at its end with which a text of another page ends, too. Pages with the same text
    are one page.
    """
    ends = {text: _last_lines(text) for text in texts}
    counts = Counter(line for end in ends.values() for line in {*end})
    return [tuple(line for line in ends[text] if counts[line] > 1) for text in texts]


def _last_lines(text: str) -> tuple[str, ...]:
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) >= LEAST_LINE]
    return tuple(lines[1:][-LAST_LINES:])  # the first line is no end


def shingle_f1(one: str, other: str) -> float:
    """Return the F1 of two texts, 0 to 1; 1 for two texts without words."""
    first, second = _shingles(one), _shingles(other)
    if not first and not second:
        return 1.0
    return 2 * (first & second).total() / (first.total() + second.total())


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    """Return the counts of all runs of four words; a shorter text is one run."""
    words = _WORD.findall(text)
    starts = range(max(1, len(words) - SHINGLE + 1)) if words else ()
    return Counter(tuple(words[start : start + SHINGLE]) for start in starts)


@dataclass(frozen=True, slots=True)
class ExtractedFields:
    """The fields that one section gives for a page. `characters`: of its text, 0 without an article; `reason`: why."""

    title: str | None = None
    published: str | None = None
    author: str | None = None
    characters: int = 0
    confidence: float = 0.0
    method: str = ""
    fits: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PageComparison:
    """A page as extracted with the present example and method (`old`) and with others (`new`).

    `f1`: of the two texts, 0 to 1. `differing`: the fields that differ, `text` among them; `change`: how the text
    differs, with the head and the tail of the new one. `ends_shared`: lines at the end of the new text with which texts
    of other pages end, too. `kind`: `lost` or `gained` for a whole article; `none` if neither has one.
    """

    url: str
    kind: Kind
    old: ExtractedFields
    new: ExtractedFields
    f1: float = 1.0
    differing: tuple[str, ...] = ()
    change: TextChange = field(default_factory=TextChange)
    ends_shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackTest:
    """The comparison of some pages. `source`: where the pages are from."""

    pages: tuple[PageComparison, ...] = ()
    source: str = ""

    @property
    def counts(self) -> dict[Kind, int]:
        """The number of pages of each kind."""
        return {kind: sum(page.kind == kind for page in self.pages) for kind in KINDS}

    @property
    def lost(self) -> int:
        """The number of pages that have an article with the present example and none with the new one."""
        return self.counts["lost"]

    @property
    def mean_f1(self) -> float:
        """The mean F1 of the texts of pages that have an article in both; 1 if there are none."""
        both = [page.f1 for page in self.pages if page.kind in ("same", "changed")]
        return sum(both) / len(both) if both else 1.0

    def fitting(self) -> tuple[int, int]:
        """Return on how many pages the present example fits, and on how many the new one."""
        return sum(_is_fitting(page.old) for page in self.pages), sum(_is_fitting(page.new) for page in self.pages)

    @property
    def sure(self) -> float:
        """The mean confidence in the new texts; 0 without any."""
        found = [page.new.confidence for page in self.pages if page.new.characters]
        return sum(found) / len(found) if found else 0.0

    @property
    def sharing(self) -> int:
        """The number of pages whose new text ends with lines of other pages."""
        return sum(bool(page.ends_shared) for page in self.pages)

    def confidence(self) -> tuple[float, float]:
        """Return the mean confidence with the present example and with the new one."""
        number = max(1, len(self.pages))
        old, new = (sum(getattr(page, which).confidence for page in self.pages) / number for which in ("old", "new"))
        return old, new

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON types, with its figures."""
        old, new = self.confidence()
        fits_old, fits_new = self.fitting()
        return {
            "source": self.source,
            "counts": self.counts,
            "text_f1": round(self.mean_f1, 4),
            "confidence": {"old": round(old, 4), "new": round(new, 4)},
            "fitting": {"old": fits_old, "new": fits_new},
            "sharing": self.sharing,
            "pages": [asdict(page) for page in self.pages],
        }


def back_test(
    old: Section, new: Section, pages: Sequence[tuple[str, StoredPage]], source: str, refuse: Refuse = "sure"
) -> BackTest:
    """Extract pages with both sections and compare. `pages`: each with the URL as requested; `source`: their origin."""
    texts, compared = [], []
    for url, page in pages:
        before, after = _extracted(old, page, refuse), _extracted(new, page, refuse)
        texts.append("" if isinstance(after, NoArticle) else after.text)
        compared.append(_compared(url, before, after))
    ends = shared_ends(texts)
    return BackTest(tuple(replace(page, ends_shared=end) for page, end in zip(compared, ends, strict=True)), source)


def _compared(url: str, before: Extracted, after: Extracted) -> PageComparison:
    fields_before, fields_after = _fields(before), _fields(after)
    change = change_of(before.text, after.text)
    if not (fields_before.characters and fields_after.characters):
        kind: Kind = "lost" if fields_before.characters else "gained" if fields_after.characters else "none"
        f1 = 1.0 if kind == "none" else 0.0
        return PageComparison(url, kind, fields_before, fields_after, f1, change=change)
    f1 = shingle_f1(before.text, after.text)
    differing = [name for name in FIELDS if getattr(fields_before, name) != getattr(fields_after, name)]
    if f1 >= SAME_TEXT:
        return PageComparison(
            url, "changed" if differing else "same", fields_before, fields_after, f1, tuple(differing), change
        )
    return PageComparison(url, "changed", fields_before, fields_after, f1, (*differing, "text"), change)


def _extracted(section: Section, page: StoredPage, refuse: Refuse) -> Extracted:
    try:
        return section.extract(
            page.body, page.url, content_type=page.content_type, fetched_at=page.fetched_at, refuse=refuse
        )
    except UnusablePage as error:
        return NoArticle(f"unusable page: {error}", page.url)


def _fields(extracted: Extracted) -> ExtractedFields:
    if isinstance(extracted, NoArticle):
        return ExtractedFields(fits=extracted.fits, reason=extracted.reason[:SHOWN])
    if isinstance(extracted, Listing):
        return ExtractedFields(characters=len(extracted.text), reason=f"a list of {len(extracted.entries)} entries")
    published = extracted.published.isoformat() if extracted.published else None
    return ExtractedFields(
        title=extracted.title[:SHOWN] if extracted.title else extracted.title,
        published=published,
        author=extracted.author[:SHOWN] if extracted.author else extracted.author,
        characters=len(extracted.text),
        confidence=extracted.confidence,
        method=extracted.method,
        fits=extracted.fits,
        reason=extracted.reason[:SHOWN],
    )


def _is_fitting(fields: ExtractedFields) -> bool:
    return bool(fields.characters) and fields.fits
