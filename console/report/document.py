"""The report of extractions: one HTML page without scripts and without requests.

All text that comes from pages is escaped by Jinja2, which escapes every value by default; characters that control a
terminal or the direction of writing are shown escaped, as `\\x1b`. A content security policy in the page allows only
its own style sheet, by its hash, so that a browser neither runs nor requests anything in a crawled text.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from console.locale import translator_of
from console.locale.translator import Translator
from console.report.charts import HEIGHT, WIDTH, charts_of
from console.report.gathering import ReportedPage
from crawler.logs import printable
from crawler.scouting.trial import ReadList
from extractors.explanation.values import DECISIONS
from extractors.html.sanitising import sanitise
from workers.errors import ExemplarError

HERE = Path(__file__).parent / "templates"
MOST_ROWS, PAGE_ROWS, LEAST_ROWS = 6_000, 2_000, 300  # rows of all pages, of a page at most, and of a page at least
MOST_ENTRIES = 600  # entries of a list that are shown
MOST_LINKS = 100  # links of a list page that are shown, of each kind
MOST_TEXT = 400  # characters of a line that are shown
MOST_HTML = 100_000  # characters that are shown of an article
# Elements of cleaned HTML: quotation marks in attributes and brackets in texts are written as references
_REPLACED = re.compile(r'<(img|input)((?: [a-z]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class ReportHead:
    """The header of a report, above its pages, with problems and notes."""

    title: str
    made: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def render_report(
    head: ReportHead,
    pages: Sequence[ReportedPage],
    wording: Translator | None = None,
    lists: Sequence[ReadList] = (),
) -> str:
    """Return the report as HTML. `wording`: its words in a language; None for English. `lists`: those of a trial."""

    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_without_commands,
    )
    words = wording or translator_of("en")
    environment.filters |= {
        "cut": _cut,
        "percent": lambda share: f"{share:.0%}",
        "said": words.text,
        "sentence": words.sentence,
        "web": web_address,
        "word": words.word,
    }
    most = min(PAGE_ROWS, max(LEAST_ROWS, MOST_ROWS // max(1, len(pages))))
    return environment.get_template("report.html").render(
        head=head,
        lists=lists,
        pages=[_view(page, most) | {"number": number} for number, page in enumerate(pages, 1)],
        style=Markup(_style()),
        policy=report_policy(),
        language=words.language,
        _=words.fill,
        decisions=DECISIONS,
        opened=next((n for n, page in enumerate(pages, 1) if page.role == "page" and page.explanation), 1),
        most_links=MOST_LINKS,
        chart_size=(WIDTH, HEIGHT),
    )


def write_report(path: Path, html: str) -> None:
    """Write a report. Raises `ExemplarError` if it cannot be written."""

    try:
        path.write_text(html, "utf-8")
    except OSError as error:
        raise ExemplarError(f"{path}: the report cannot be written: {error.strerror or error}") from None


def web_address(url: str) -> str:
    """Return the URL if it may be used in a link (http or https), else ""."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.netloc else ""


def _view(page: ReportedPage, most: int) -> dict[str, Any]:
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
        "title": getattr(result, "title", None) or page.name,
        "rows": explanation.lines[:most],
        "counts": Counter(line.decision for line in explanation.lines),
        "html": shown_html(getattr(result, "html", "")),
        "entries": getattr(result, "entries", ())[:MOST_ENTRIES],
        "charts": [*charts_of(explanation)],
        "kept_by": _kept_by(page),
        "kept_count": len(kept),
        "line_count": count,
    }


def _kept_by(page: ReportedPage) -> dict[int, list[str]]:
    """Return for each line the other methods that keep it."""
    names: dict[int, list[str]] = {}
    for answer in page.methods:
        for line in answer.kept:
            names.setdefault(line, []).append(answer.name)
    return names


def _without_commands(value: Any) -> Any:
    return printable(value) if type(value) is str else value


def _cut(text: str, most: int = MOST_TEXT) -> str:
    """Return the beginning of a text; with an ellipsis if it is longer than `most` characters."""
    return text if len(text) <= most else text[:most].rstrip() + " …"


@cache
def _style() -> str:
    return (HERE / "report.css").read_text("utf-8")


@cache
def report_policy() -> str:
    """Return the content security policy of a report, which allows only its own style sheet, by its hash."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return "; ".join(("default-src 'none'", f"style-src 'sha256-{digest}'", "base-uri 'none'", "form-action 'none'"))


# The HTML of an article


def shown_html(html: str) -> Markup:
    """Return the HTML of an article as pages of this program show it: cleaned again, and nothing in it is requested.

    The policies of these pages allow no picture of another server, which would also learn who reads: a picture is shown
    by its alternative text or name. The box of a task is shown by a character.
    """
    html = _REPLACED.sub(_replaced, sanitise(html[:MOST_HTML]))
    return Markup(html.replace('<a href="', '<a rel="noopener noreferrer nofollow" href="'))


def _replaced(found: re.Match[str]) -> str:
    attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(found[2])}
    if found[1] == "input":
        return "☑" if "checked" in attributes else "☐"
    address = attributes.get("src", "")
    words = attributes.get("alt", "").strip() or address.partition("?")[0].rpartition("/")[2] or address
    return Markup('<span class="picture" title="{}">{}</span>').format(address, words)
