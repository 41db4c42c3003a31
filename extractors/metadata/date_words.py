"""The words of dates in some sixty languages.

The words are from CLDR, by way of date_words.json. The file is made by `python -m evaluation.date_words`; a test
compares it with what Babel gives. Babel itself is not needed at run time: reading its locales takes a second, reading
the file a few milliseconds, and it is read once in a process, when a text may hold such a word.
"""

import json
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from ..expressions import expression

WORDS_FILE = Path(__file__).with_name("date_words.json")
WEEKDAY, FILL, HALVES = 13, 14, 20  # meanings beside the months 1 to 12: HALVES + 18 is a part of the day around 18:00
TODAY = HALVES + 24  # TODAY + 1 is yesterday
FOREIGN = 60  # more, for a month in Latin letters that is of neither the page's language nor English: Augusta, Mars
AGO = "mhdw"  # minutes, hours, days, weeks
# Letters, with the vowel signs that `\w` leaves out, of scripts that separate words
WORD = expression(
    "[A-Za-zÀ-ÖØ-öø-\u036f\u0370-\u037d\u0386\u0388-\u0559\u0560-\u0588\u0591-\u05bd\u05bf-\u060b\u060d-\u061a"
    "\u0620-\u06d3\u06d5-\u0963\u0966-\u1fff\uac00-\ud7af]+"
)
_MARKS = 0x10FF00  # a word's meaning stands in its place, as a private character that no text has
_ACCENTS = expression("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e]")
_GLUED = expression(r"[a-z]([A-Z][a-z]{2,}|[A-Z]{3,})$")  # some pages have no space before a month: CorrespondentDec 22


def mark(meaning: int) -> str:
    """Return the character that stands for a meaning."""
    return chr(_MARKS + meaning)


def meaning_of(character: str) -> int:
    """Return the meaning for which a character of `mark` stands."""
    return ord(character) - _MARKS


def fold(text: str) -> str:
    """Return `text` in lower case, without accents, Arabic and Hebrew vowel signs and marks of direction."""
    text = text.lower()
    return text if text.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", text))


class DateWords:
    """The words of date_words.json, ready for look-up.

    `ago`: past forms with # for the number, and the unit in `AGO`; a form without # means one, or two if it has the
    unit twice. `count`: an expression for a number beside such words; `counts`: the values of those in letters.
    `signs`: words of which one is in every text with the name of a month or relative words. `zones`: offset or name in
    IANA's database by abbreviation.
    """

    def __init__(self) -> None:
        content: dict[str, Any] = json.loads(WORDS_FILE.read_text(encoding="utf-8"))
        self.ago: dict[str, str] = content["ago"]
        self.counts: dict[str, int] = content["counts"]
        self.count = re.compile(rf"(?<![\d.,])\d{{1,3}}(?![\d.,]\d)|半|(?<!\w)(?:{'|'.join(self.counts)})(?!\w)")
        self.signs = frozenset(content["signs"].split())
        self.zones: dict[str, str] = content["zones"]
        self._words = {
            language: {word.replace("_", " "): int(code) for code, words in meanings.items() for word in words.split()}
            for language, meanings in content["words"].items()
        }
        self._joined = re.compile(content["joined"], re.IGNORECASE)
        self._days: dict[str, dict[str, int]] = content["days"]
        self._styles: dict[str, str] = content["styles"]

    def style(self, language: str) -> str:
        """Return how a language, or its territory, writes dates in numbers; "" if it is not known.

        The order "dmy", "mdy" or "ymd", then "." if 05.03.24 is usual, then "h" if the time is written 14.05.
        """
        primary, *others = language.split("-")
        return self._styles.get("-".join((primary, *others[-1:])), "") or self._styles.get(primary, "")

    def marked(self, text: str, language: str) -> str:
        """Return `text` with the marks of their meaning in the place of words of a language or, else, of any."""
        own, every = self._words.get(language.partition("-")[0] or "-", {}), self._words[""]

        def marked(match: re.Match[str]) -> str:
            written = match[0]
            word = written.lower() if written.isascii() else fold(written)
            if code := own.get(word) or every.get(word):
                return mark(code % FOREIGN if word in own else code)
            glued = None if written.islower() or written.istitle() else _GLUED.search(written)
            code = self._words["en"].get(glued[1].lower()) if glued else None
            return written[: -len(glued[1])] + mark(code) if glued and code else written

        return WORD.sub(marked, self._joined.sub(self._mark_of_joined, text))

    def _mark_of_joined(self, match: re.Match[str]) -> str:
        word = re.sub(r"\.\s", ".", fold(match[0]).rstrip(". "))
        return mark(self._words[""].get(word, WEEKDAY))

    def days_marked(self, text: str, language: str) -> str:
        """Return `text` in lower case, with marks in the place of the words for today and the days before it."""
        primary = language.partition("-")[0]
        days = self._days.get(primary, self._days[""])
        form = _whole_words(tuple(days))
        return unicodedata.normalize("NFC", form.sub(lambda word: mark(TODAY + days[word[0]]), fold(text)))

    def month(self, word: str) -> int:
        """Return 1 to 12 for the mark or the name of a month; 0 for another word."""
        code = (meaning_of(word) if len(word) == 1 else self._words[""].get(fold(word), 0)) % FOREIGN
        return code if code < WEEKDAY else 0


@cache
def _whole_words(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return an expression for one of the words, longest first; in Chinese they stand within rows of letters."""
    return re.compile("|".join(rf"(?<!\w){word}(?!\w)" if WORD.match(word) else word for word in words))


@cache
def date_words() -> DateWords:
    """Return the words; the file is read at the first call."""
    return DateWords()
