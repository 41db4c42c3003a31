"""The language of a text: the one that its page declares, checked against the letters.

Templates are often declared in a language that their texts are not written in.
"""

import re

from ..expressions import expression

LETTERS_A_WORD = 3  # Latin letters that weigh as much as a Chinese character
SAMPLE = 300  # characters of the body

_SCRIPTS = tuple(
    (name, expression(rf"[{letters}]+"), share)  # share of the letters from which the script decides
    for name, letters, share in (
        ("ja", r"\u3040-\u30ff", 0.10),
        ("ko", r"\uac00-\ud7af", 0.20),
        ("zh", r"\u4e00-\u9fff", 0.20),
        ("ru", r"\u0400-\u04ff", 0.30),
        ("ar", r"\u0600-\u06ff", 0.30),
        ("el", r"\u0370-\u03ff", 0.30),
        ("he", r"\u0590-\u05ff", 0.30),
        ("th", r"\u0e00-\u0e7f", 0.30),
        ("hi", r"\u0900-\u097f", 0.30),
    )
)
_SEEN_IN_LETTERS = frozenset(name for name, _, _ in _SCRIPTS)
_ONE_SCRIPT_LANGUAGES = {  # languages that may be meant where a script was seen
    "ru": {"ru", "uk", "be", "bg", "sr", "mk", "kk", "mn"},
    "ar": {"ar", "fa", "ur", "ps"},
    "he": {"he", "yi"},
    "hi": {"hi", "mr", "ne"},
}
_SUBTAG = expression(r"\s*([A-Za-z]{2,3})\s*(?:[-_]|$)")
_ENGLISH = frozenset({"the", "and", "of", "to", "in", "is", "that", "for", "with", "was"})
_NOT_OTHER = expression(r"[\W\d_A-Za-z\u00aa-\u024f]+")  # the rest are letters of other scripts
_LATIN_LETTERS = expression(r"[A-Za-z\u00c0-\u024f]+")
ENGLISH_SHARE = 0.1  # share of words that are common English ones; other languages stay below .04


def find_language(declared: str, body: str) -> str | None:
    """Return the primary language subtag: the declared one (`zh-CN`), unless the letters of `body` contradict it."""
    body = body[:SAMPLE]
    subtag = _SUBTAG.match(declared)
    declared = subtag[1].lower() if subtag else ""
    seen = language_by_script(body)
    if seen:
        return declared if declared in _ONE_SCRIPT_LANGUAGES.get(seen, {seen}) else seen
    if declared and declared not in _SEEN_IN_LETTERS:
        return declared
    words = body.lower().split()
    english = sum(word in _ENGLISH for word in words)
    return "en" if words and english >= ENGLISH_SHARE * len(words) else declared or None


def language_by_script(text: str) -> str | None:
    """Return the language that the text's letters indicate, or None if many languages share them."""
    if text.isascii():
        return None
    others = _NOT_OTHER.sub("", text)
    if not others:
        return None
    letters = len(others) + _count(_LATIN_LETTERS, text) // LETTERS_A_WORD
    return next((name for name, form, share in _SCRIPTS if _count(form, others) > share * letters), None)


def _count(letters: re.Pattern[str], text: str) -> int:
    return sum(map(len, letters.findall(text)))
