"""The report of extractions: one HTML page without scripts and without requests.

All text that comes from pages is escaped by Jinja2, which escapes every value by default; characters that control a
terminal or the direction of writing are shown escaped, as `\\x1b`. A content security policy in the page allows only
its own style sheet, by its hash, so that a browser neither runs nor requests anything in a crawled text.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from console.report.charts import BINS, HEIGHT, WIDTH, charts_of, strip_of
from console.report.rows import MOST_TEXT, OmittedLines, rows_of
from console.report.wording import ReportWording
from console.terminal import printable

if TYPE_CHECKING:
    from console.report.gathering import ReportedPage
    from extractors import Article, Listing, NoArticle

HERE = Path(__file__).parent / "templates"
MOST_ROWS, PAGE_ROWS, LEAST_ROWS = 6_000, 2_000, 300  # rows of all pages, of a page at most, and of a page at least
MOST_ENTRIES = 600  # entries of a list that are shown
MOST_LINKS = 100  # links of a list page that are shown, of each kind


@dataclass(frozen=True, slots=True)
class ReportedLink:
    """A link of a list page: its URL, its text, and why it was taken or left."""

    url: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReportedList:
    """A list page of a trial: the links taken and left, or why it could not be read."""

    url: str
    kind: str
    taken: tuple[ReportedLink, ...] = ()
    left: tuple[ReportedLink, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReportLinkBack:
    """The page from which a report was opened: its address in the console, and its name."""

    address: str
    title: str


@dataclass(frozen=True, slots=True)
class ReportHead:
    """The header of a report, above its pages. `facts`: name and value; `notes`: problems first."""

    title: str
    made: str
    facts: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    lists: tuple[ReportedList, ...] = ()
    back: ReportLinkBack | None = None


def render_report(head: ReportHead, pages: "Sequence[ReportedPage]", wording: ReportWording | None = None) -> str:
    """Return the report as HTML. `wording`: its words in a language; None for English."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from extractors.explanation import DECISIONS

    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_without_commands,
    )
    environment.filters |= {"cut": _cut, "web": web_address, "percent": _percent, "milliseconds": _milliseconds}
    words = wording or ReportWording()
    environment.filters |= {"said": words.text, "word": words.word, "sentence": words.sentence}
    environment.tests["omitted"] = lambda row: isinstance(row, OmittedLines)
    most = min(PAGE_ROWS, max(LEAST_ROWS, MOST_ROWS // max(1, len(pages))))
    return environment.get_template("report.html").render(
        head=head,
        pages=[_view(page, most) | {"number": number} for number, page in enumerate(pages, 1)],
        style=Markup(_style()),
        policy=report_policy(),
        language=words.language,
        _=words.fill,
        decisions=DECISIONS,
        opened=next((n for n, page in enumerate(pages, 1) if page.role == "page" and page.explanation), 1),
        most_links=MOST_LINKS,
        chart_size=(WIDTH, HEIGHT),
        bins=BINS,
    )


def write_report(path: Path, html: str) -> None:
    """Replace a report atomically. Raises `ExemplarError` if it cannot be written."""
    from workers.errors import ExemplarError

    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_text(html, "utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ExemplarError(f"{path}: the report cannot be written: {error.strerror or error}") from None


def web_address(url: str) -> str:
    """Return the URL if it may be used in a link (http or https), else ""."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.netloc else ""


def _view(page: "ReportedPage", most: int) -> dict[str, Any]:
    """Return the template's values for a page, besides the page itself."""
    explanation = page.explanation
    if explanation is None:
        return {"page": page, "explanation": None}
    count, result = len(explanation.lines), explanation.result
    kept = {line.number for line in explanation.lines if line.kept}
    return {
        "page": page,
        "explanation": explanation,
        "result": result,
        "found": bool(result),
        "title": getattr(result, "title", None) or explanation.page_title or page.name,
        "rows": rows_of(explanation.lines, most),
        "counts": Counter(line.decision for line in explanation.lines),
        "html": _html(result),
        "entries": getattr(result, "entries", ())[:MOST_ENTRIES],
        "charts": charts_of(page),
        "strip": strip_of(kept, count),
        "strips": {answer.name: strip_of(answer.kept, count) for answer in page.methods},
        "kept_by": _kept_by(page),
        "kept_count": len(kept),
        "line_count": count,
    }


def _kept_by(page: "ReportedPage") -> dict[int, list[str]]:
    """Return for each line the other methods that keep it."""
    names: dict[int, list[str]] = {}
    for answer in page.methods:
        for line in answer.kept:
            names.setdefault(line, []).append(answer.name)
    return names


def _html(result: "Article | Listing | NoArticle") -> str:
    """Return the article as it is shown; of a list, nothing."""
    from console.shown_html import shown_html
    from extractors import Article

    return shown_html(result.html) if isinstance(result, Article) else ""


def _without_commands(value: Any) -> Any:
    return printable(value) if type(value) is str else value


def _cut(text: str, most: int = MOST_TEXT) -> str:
    """Return the beginning of a text; with an ellipsis if it is longer than `most` characters."""
    return text if len(text) <= most else text[:most].rstrip() + " …"


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


@cache
def _style() -> str:
    return (HERE / "report.css").read_text("utf-8")


@cache
def report_policy() -> str:
    """Return the content security policy of a report, which allows only its own style sheet, by its hash."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return "; ".join(("default-src 'none'", f"style-src 'sha256-{digest}'", "base-uri 'none'", "form-action 'none'"))
