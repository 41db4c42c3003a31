"""The languages of the pages: the choice for a request, the texts of templates (gettext), words that only data name."""

import gettext
import re
from functools import cache
from pathlib import Path
from typing import Literal

from starlette.requests import Request

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
