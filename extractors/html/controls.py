"""Control characters, which belong to terminals and never to a text: removed from pages, feeds and lists."""

import re

# C0 without \t, \n and \r, DEL, C1; and surrogates, which cannot be encoded as UTF-8
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SPACES = frozenset("\x0b\x0c\x1c\x1d\x1e\x1f") | set(map(chr, range(0x80, 0xA0)))  # those that separate words


def without_controls(text: str) -> str:
    """Return `text` without control characters except \\t, \\n and \\r; those that separate words become a space."""
    if text.isprintable() or not _CONTROLS.search(text):
        return text
    return _CONTROLS.sub(lambda found: " " if found[0] in _SPACES else "", text)
