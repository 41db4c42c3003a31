"""The language of a text: the one that its page declares, checked against the text itself.

Templates are often declared in a language that their texts are not written in. Characters decide on Chinese, Japanese
and Korean, which are often mixed with English; a detector (CLD3) decides on all other languages.
"""

import re
from functools import cache

import gcld3

from ..expressions import expression

LETTERS_A_WORD = 3  # Latin letters that weigh as much as a Chinese character
SAMPLE = 300  # characters of the body
SURE, SURE_OF_LITTLE = 0.7, 0.99  # the detector's least probability, and that for a text of less than `LITTLE`
LITTLE = 100  # characters

_SCRIPTS = tuple(
    (name, expression(rf"[{letters}]+"), share)  # share of the letters from which the script decides
    for name, letters, share in (
        ("ja", r"\u3040-\u30ff", 0.10), ("ko", r"\uac00-\ud7af", 0.20), ("zh", r"\u4e00-\u9fff", 0.20),
    )
)  # fmt: skip
SAME = {"fil": "tl", "iw": "he", "nb": "no"}  # other codes of languages, and those of rows
_CLOSE = ({"bs", "hr", "sr", "sh"}, {"da", "nn", "no"}, {"id", "ms"}, {"gl", "pt"})  # the declared one decides
_TAG = expression(r"\s*([A-Za-z]{2,3})(?:\s*$|[-_](\w*))")
_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
_LETTERS = expression(r"[^\W\d_]+")
_LATIN_LETTERS = expression(r"[A-Za-z\u00aa-\u024f]+")


def find_language(declared: str, body: str) -> str | None:
    """Return the tag of a language: the declared one (`zh` of `zh-CN`), unless `body` is clearly in another one.

    Its primary subtag alone, except `zh-Hant`: Chinese in traditional characters.
    """
    tag = _TAG.match(declared)
    code = tag[1].lower() if tag else ""
    code = SAME.get(code, code)
    seen = language_of(body[:SAMPLE]) if body else None
    if seen and not any({seen, code} <= group for group in _CLOSE):
        code = seen
    if code != "zh":
        return code or None
    simple, traditional = (len(body[:SAMPLE].encode(charset, "ignore")) for charset in ("gb2312", "big5"))
    is_declared = tag is not None and str(tag[2]).lower() in _TRADITIONAL
    return "zh-Hant" if traditional > simple or (traditional == simple and is_declared) else "zh"


def language_of(text: str) -> str | None:
    """Return the code of the language that the text is written in, or None if that is not sure."""
    latin = _count(_LATIN_LETTERS, text)
    letters = _count(_LETTERS, text) - latin + latin // LETTERS_A_WORD
    asian = next((name for name, form, share in _SCRIPTS if _count(form, text) > share * letters), None)
    if asian:
        return asian
    found = _detector().FindLanguage(text.encode(errors="replace").decode())
    is_sure = found.probability >= (SURE if len(text) >= LITTLE else SURE_OF_LITTLE)
    return SAME.get(found.language, found.language) if is_sure and "-" not in found.language else None


@cache
def _detector() -> gcld3.NNetLanguageIdentifier:
    return gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * SAMPLE)


def _count(letters: re.Pattern[str], text: str) -> int:
    return sum(map(len, letters.findall(text)))
