"""Safe printing of texts from outside: without control sequences of terminals and characters that hide text."""

import json
import re
from typing import Any

# C0 without \t and \n, DEL, C1, embedded, overridden and isolated directions, surrogates
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Return `text` with the characters escaped (`\\x1b`) that control a terminal or hide text.

    Titles, reasons, file names and URLs come from outside: they may contain commands for a terminal (C0, C1),
    characters that change the direction of writing, and lone surrogates, which cannot be encoded.
    """
    return _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def json_line(value: Any) -> str:
    """Return a value as one line of JSON, without the line end; characters that control a terminal are escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
