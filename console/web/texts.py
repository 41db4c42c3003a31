"""The languages of the pages: the choice for a request, the translations (gettext), and words that only data name."""

import gettext
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from starlette.requests import Request

from workers.health.alarms import AlarmKind

Language = Literal["en", "zh"]
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "中文"}
COOKIE = "exemplar_language"
FOLDER = Path(__file__).parent / "locale"
DOMAIN = "web"


class Plural(NamedTuple):
    """A text in singular and plural; its value `number` decides."""

    one: str
    several: str


Worded = tuple[str | Plural, Mapping[str, Any]]  # a text marked for translation, with its values


def gettext_noop(text: str) -> str:
    """Mark a text for translation: it is translated where it is shown."""
    return text


def ngettext_noop(one: str, several: str) -> Plural:
    """Mark a text with a number for translation."""
    return Plural(one, several)


def worded(
    text: Worded, catalogue: gettext.NullTranslations, translate: Callable[[str], str] = lambda text: text
) -> str:
    """Return a text with its values in the language of a catalogue. `translate`: translates texts of other packages."""
    form, values = text
    shown = {name: translate(value) if name == "text" else value for name, value in values.items()}
    shown |= {name: catalogue.gettext(value) for name, value in values.items() if name in ("kind", "outcome")}
    chosen = catalogue.ngettext(*form, values["number"]) if isinstance(form, Plural) else catalogue.gettext(form)
    return chosen % shown


@cache
def translations(language: Language) -> gettext.NullTranslations:
    """Return the catalogue of a language."""
    if language == "en":
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, FOLDER, [language])


def language_of(request: Request) -> Language:
    """Return the language that a person chose, else the first supported one that its browser lists."""
    chosen = request.cookies.get(COOKIE)
    if chosen in LANGUAGES:
        return chosen
    listed = re.findall(r"(?:^|,)\s*(en|zh)\b", request.headers.get("accept-language", "").lower()[:500])
    return listed[0] if listed else "en"


TERMS = (  # words of the system that pages show by the filter `term`; the catalogue has all of them
    *("finished", "stopped", "unreachable", "no browser", "redis", "killed", "running"),  # outcomes of runs
    *("schedule", "crawl", "extract", "spider", "delivery"),  # roles of processes
    *("judged", "unwanted", "not a page", "dead link", "failed", "to be tried again"),  # fates of URLs without a row
    *("same", "changed", "gained", "lost"),  # results for a page in a back-test
    *("kept pages", "pages off the template and recent pages"),  # sources of back-tests
    *("title", "published", "author", "text"),  # fields
    *("waiting", "leased", "fetched"),  # states of URLs
    *("section", "site"),  # scopes of a survey
    *get_args(AlarmKind),
)
