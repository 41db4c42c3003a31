"""Renders templates: Jinja2 with escaping everywhere, one environment per language.

Small charts are values, which the templates draw as inline SVG.
"""

import gettext
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from console.locale import translator_of
from console.report.document import web_address
from console.web.texts import LANGUAGES, Language, translations
from crawler.politeness.pace import in_words

TEMPLATES = Path(__file__).parent / "templates"
MINUTE, HOUR, DAY = 60, 3600, 86400  # seconds
UNITS = (  # up to which length each unit is used, all in seconds
    (90, 1, "%(number)s s"),
    (90 * MINUTE, MINUTE, "%(number)s min"),
    (48 * HOUR, HOUR, "%(number)s h"),
    (math.inf, DAY, "%(number)s d"),
)
HEIGHT = 28  # units of a small chart; a bar has 6 units and a space of 2


@cache
def environment(language: Language) -> Environment:
    """Return the environment of a language."""
    jinja = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
    )
    catalogue = translations(language)
    jinja.install_gettext_translations(catalogue, newstyle=True)  # type: ignore[attr-defined]
    jinja.filters |= {
        "number": lambda value: f"{value:,}",
        "link": lambda url: web_address(str(url or "")) or "#",  # of a crawled page: other schemes may run scripts
        "moment": moment_text,
        "published": published_text,
        "duration": lambda seconds: duration(seconds, catalogue),
        "host": lambda url: urlsplit(url).netloc,
        "host_state": in_words,
        "path_part": lambda text: quote(str(text), safe="", errors="replace"),
        "said": translator_of(language).text,
        "term": lambda text: catalogue.gettext(text) if text else "",
        "percent": lambda share: f"{100 * share:.0f}%",
    }
    jinja.globals |= {
        "languages": LANGUAGES,
        "language": language,
        "distance": _distance(catalogue),
        "with_query": _query,
    }
    return jinja


def moment_text(at: object) -> str:
    """Return a time (Unix seconds or ISO 8601) as date and minute of this machine's time zone."""
    moment = _datetime(at)
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else "–"


def published_text(text: str) -> str:
    """Return the declared date of an article, with its time and zone if it has them."""
    day, _, clock = text.partition("T")
    return f"{day} {clock[:5]} {clock[8:]}".strip() if clock else day


def duration(seconds: float, catalogue: gettext.NullTranslations) -> str:
    """Return a length of time in its largest unit."""
    seconds = max(seconds, 0.0)
    unit, text = next((unit, text) for limit, unit, text in UNITS if seconds < limit)
    return catalogue.gettext(text) % {"number": round(seconds / unit)}


def _distance(catalogue: gettext.NullTranslations) -> Any:
    @pass_context
    def distance(context: Context, at: object) -> str:
        """Return how long ago a time was, or how far ahead it is."""
        moment = _datetime(at)
        if moment is None:
            return "–"
        seconds = moment.timestamp() - float(context["now"])
        if abs(seconds) < 5:
            return catalogue.gettext("now")
        text = catalogue.gettext("in %(time)s") if seconds > 0 else catalogue.gettext("%(time)s ago")
        return text % {"time": duration(abs(seconds), catalogue)}

    return distance


def _datetime(at: object) -> datetime | None:
    if isinstance(at, int | float):
        return datetime.fromtimestamp(at, UTC)
    if isinstance(at, str) and at:
        try:
            moment = datetime.fromisoformat(at)
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _query(given: Mapping[str, Any], **changes: Any) -> str:
    """Return a query string with some parameters changed; those that are None or empty are left out."""
    merged = {name: value for name, value in {**given, **changes}.items() if value not in (None, "")}
    return f"?{urlencode(merged)}" if merged else "?"


@dataclass(frozen=True, slots=True)
class BarChart:
    """A bar chart; all bars have the same scale. `height`: in units of the drawing."""

    numbers: Sequence[int]
    labels: Sequence[str]
    height: int = HEIGHT

    @property
    def most(self) -> int:
        """The largest number."""
        return max(self.numbers, default=0)


def day_chart(first: date, numbers: Sequence[int], *, height: int = HEIGHT) -> BarChart:
    """Return a chart with one bar per day."""
    return BarChart(numbers, [(first + timedelta(days=place)).isoformat() for place in range(len(numbers))], height)
