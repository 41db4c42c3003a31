"""What is printed of texts from outside: nothing that a terminal obeys, or that hides what is written."""

import json
import re
from typing import Any

# C0 but \t and \n, DEL, C1, embedded, overridden and isolated directions, surrogates
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Return `text` with the characters escaped (`\\x1b`) that a terminal obeys, or that hide what is written.

    Titles, reasons, file names and URLs come from outside: they may hold commands for a terminal (C0, C1), characters
    that turn the direction of writing around, and halves of characters, which cannot be written at all.
    """
    return _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def json_line(value: Any) -> str:
    """Return a value as one line of JSON, without the end of the line; what a terminal would obey is escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
