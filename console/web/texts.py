"""The languages of the pages: the choice for a request, the texts of templates (gettext), words that only data name."""

import gettext
import re
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from starlette.requests import Request

from workers.health.alarms import AlarmKind

Language = Literal["en", "zh"]
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "中文"}
COOKIE = "exemplar_language"
FOLDER = Path(__file__).parent / "locale"
DOMAIN = "web"


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
    *("%(number)s s", "%(number)s min", "%(number)s h", "%(number)s d"),  # lengths of time
    *get_args(AlarmKind),
)
