"""The words of dates in some sixty languages, from CLDR by way of date_words.json.

The file is made by `python -m tests.extractors.metadata.date_words`; a test compares it with what Babel gives. Babel
itself is not needed at run time: reading its locales takes a second, reading the file a few milliseconds, and it is
read once in a process, when a text may hold such a word.
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
AGO = "mhdw"  # minutes, hours, days, weeks
FOREIGN = 60  # more, for a month in Latin letters that is of neither the page's language nor English: Augusta, Mars
# Letters, with the vowel signs that `\w` leaves out, of scripts that separate words
WORD = expression(
    "[A-Za-zÀ-ÖØ-öø-\u036f\u0370-\u037d\u0386\u0388-\u0559\u0560-\u0588\u0591-\u05bd\u05bf-\u060b\u060d-\u061a"
    "\u0620-\u06d3\u06d5-\u0963\u0966-\u1fff\uac00-\ud7af]+"
)
_MARKS = 0x10FF00  # a word's meaning stands in its place, as a private character that no text has
_ACCENTS = expression("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e]")
_GLUED = expression(r"[a-z]([A-Z][a-z]{2,})$")  # on some pages there is no space before a month: CorrespondentDec 22
SHORT = 4  # letters below which a word may be one of another language: Mac is March in Malay, and no month elsewhere
_SHORT_WORDS_OF = frozenset({"en", "de", "fr", "es", "it", "pt", "nl"})  # count where the language is not known


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

    `ago`: past forms with # for the number, and the unit in `AGO`; a form without # means one, or two before the
    unit's letter. `count`: an expression for a number before or after such words. `signs`: words of which one is in
    every text with the name of a month or relative words.
    """

    def __init__(self) -> None:
        content: dict[str, Any] = json.loads(WORDS_FILE.read_text(encoding="utf-8"))
        self.ago: dict[str, str] = content["ago"]
        self.count = re.compile(rf"(?<![\d.,])\d{{1,3}}(?![\d.,]\d)|半|(?<!\w)(?:{'|'.join(content['ones'])})(?!\w)")
        self._days: dict[str, dict[str, int]] = content["days"]
        self._orders: dict[str, str] = content["orders"]
        self._dotted: list[str] = content["dotted"]
        self._pointed: list[str] = content["pointed"]
        self._own = {
            language: {word.replace("_", " "): int(code) for code, words in meanings.items() for word in words.split()}
            for language, meanings in content["words"].items()
        }
        self._any: dict[str, int] = {}
        for language, words in self._own.items():
            for word, code in words.items():
                if len(word) < SHORT and word.isascii() and language not in _SHORT_WORDS_OF:
                    continue
                known = self._any.setdefault(word, code)
                if known != code:  # a month before other words; of several months none
                    months = [each for each in (known, code) if each < WEEKDAY]
                    self._any[word] = months[0] if len(months) == 1 else 0 if months else FILL
        self._any |= self._own["en"]
        dotted, others = (sorted(filter(test, self._any), key=len, reverse=True) for test in (_is_dotted, _is_other))
        points = "|".join(re.escape(word).replace(r"\.", r"\.\s?").replace("ا", "[اأإآ]") for word in dotted)
        self._joined = re.compile(
            rf"(?<![^\W\d])(?:{points})\.?(?![^\W\d])|{'|'.join(w for w in others if len(w) > 1)}"
            rf"|[{''.join(w for w in others if len(w) == 1)}](?=\s?\d)|[(（][月火水木金土日월화수목금토일](?:・?祝)?[)）]",
            re.IGNORECASE,
        )
        longest = {max(WORD.findall(form) or [form], key=len) for form in self.ago}
        days = {WORD.findall(word)[0] for words in self._days.values() for word in words if WORD.match(word)}
        self.signs = (
            longest | days | {word for words in self._own.values() for word, code in words.items() if code < WEEKDAY}
        )

    def marked(self, text: str, language: str) -> str:
        """Return `text` with the marks of their meaning in the place of words; `language`: its primary subtag or ""."""
        own = self._own.get(language, {})

        def marked(match: re.Match[str]) -> str:
            word = fold(match[0])
            code = own.get(word, 0)
            if not code and not (language == "en" and len(word) < SHORT):
                code = self._any.get(word, 0)
                code += FOREIGN * (0 < code < WEEKDAY and word.isascii() and word not in self._own["en"])
            if not code and (glued := _GLUED.search(match[0])):
                code = self._own["en"].get(glued[1].lower(), 0)
                return match[0][: glued.start(1)] + mark(code) if code else match[0]
            return mark(code) if code else match[0]

        return WORD.sub(marked, self._joined.sub(self._mark_of_joined, text))

    def days_marked(self, text: str, language: str, today: int) -> str:
        """Return `text` in lower case, with marks of `today` and the days before it in the place of their words."""
        primary = language.partition("-")[0]
        days = {**self._days[primary if primary in self._days else ""], **self._days["en"], **self._days["zh"]}
        form = _alternatives(tuple(days))
        text = form.sub(lambda word: mark(today + days[word[0]]), fold(text))
        return unicodedata.normalize("NFC", text)

    def order(self, language: str) -> str | None:
        """Return "dmy", "mdy" or "ymd", if the order of numbers in a language, or in its territory, is known."""
        primary, *others = language.split("-")
        return self._orders.get(f"{primary}-{others[-1]}" if others else "") or self._orders.get(primary)

    def dotted(self, language: str) -> bool:
        """Whether a language writes 05.03.24."""
        return language.partition("-")[0] in self._dotted

    def pointed(self, language: str) -> bool:
        """Whether a language writes the time as 14.05."""
        return language.partition("-")[0] in self._pointed

    def month(self, word: str) -> int:
        """Return 1 to 12, or 0 for a word that is not a month."""
        code = self._any.get(fold(word), 0)
        return code if code < WEEKDAY else 0

    def _mark_of_joined(self, match: re.Match[str]) -> str:
        word = re.sub(r"\.\s", ".", fold(match[0]).rstrip(". "))
        return mark(self._any.get(word, WEEKDAY))


def _is_dotted(word: str) -> bool:
    """Whether a name has several parts: p.m., ม.ค., كانون الثاني."""
    return "." in word or " " in word


def _is_other(word: str) -> bool:
    """Whether a word is in a script without spaces, in which it is looked for within longer rows of letters."""
    return not _is_dotted(word) and not WORD.match(word)


@cache
def _alternatives(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return an expression for one of the words, whole if they are in a script with spaces."""
    spaced, others = (
        "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True) if bool(WORD.match(word)) == whole)
        for whole in (True, False)
    )
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|{others}")


@cache
def date_words() -> DateWords:
    """Return the words; the file is read at the first call."""
    return DateWords()
