"""Which language a text is written in: what its page declares, checked against the letters.

Templates are often declared in a language that their texts are not written in.
"""

import re

LETTERS_A_WORD = 3  # Latin letters that weigh as much as a Chinese character
SAMPLE = 300  # characters of the body

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]"), 0.10),  # share of the letters from which the script decides
    ("ko", re.compile(r"[\uac00-\ud7af]"), 0.20),
    ("zh", re.compile(r"[\u4e00-\u9fff]"), 0.20),
    ("ru", re.compile(r"[\u0400-\u04ff]"), 0.30),
    ("ar", re.compile(r"[\u0600-\u06ff]"), 0.30),
    ("el", re.compile(r"[\u0370-\u03ff]"), 0.30),
    ("he", re.compile(r"[\u0590-\u05ff]"), 0.30),
    ("th", re.compile(r"[\u0e00-\u0e7f]"), 0.30),
    ("hi", re.compile(r"[\u0900-\u097f]"), 0.30),
)
_ONE_SCRIPT_LANGUAGES = {  # languages that may be meant where a script was seen
    "ru": {"ru", "uk", "be", "bg", "sr", "mk", "kk", "mn"},
    "ar": {"ar", "fa", "ur", "ps"},
    "he": {"he", "yi"},
    "hi": {"hi", "mr", "ne"},
}
_ENGLISH = re.compile(r"\b(?:the|and|of|to|in|is|that|for|with|was)\b", re.IGNORECASE)
_OTHER_LETTER = re.compile(r"[^\W\d_A-Za-z\u00aa-\u024f]")
_LATIN_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")
ENGLISH_SHARE = 0.12  # share of words that are common English ones; other languages stay below .04


def find_language(declared: str, body: str) -> str | None:
    """Return the primary language subtag: the declared one (`zh-CN`), unless the letters of `body` say otherwise."""
    body = body[:SAMPLE]
    declared = re.split(r"[-_]", declared.strip().lower())[0]
    declared = declared if re.fullmatch(r"[a-z]{2,3}", declared) else ""
    seen = language_by_script(body)
    if seen:
        return declared if declared in _ONE_SCRIPT_LANGUAGES.get(seen, {seen}) else seen
    if declared and declared not in {name for name, _, _ in _SCRIPTS}:
        return declared
    words = body.split()
    return "en" if words and len(_ENGLISH.findall(body)) >= ENGLISH_SHARE * len(words) else declared or None


def language_by_script(text: str) -> str | None:
    """Return the language that the text's letters tell, or None where many languages share them."""
    letters = len(_OTHER_LETTER.findall(text))
    if not letters:
        return None
    letters += len(_LATIN_LETTER.findall(text)) // LETTERS_A_WORD
    return next((name for name, letter, share in _SCRIPTS if len(letter.findall(text)) > share * letters), None)
