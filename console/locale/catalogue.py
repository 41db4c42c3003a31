"""Catalogues as text (`.po`), and their compiled form (`.mo`), as GNU gettext defines them."""

import ast
import struct
from collections.abc import Mapping

from console.locale.translator import CONTEXT

HEADER = "Content-Type: text/plain; charset=UTF-8\nLanguage: zh\n"


def read_po(text: str) -> dict[str, str]:
    """Return the messages of a catalogue, in its order; those with a context as `context\\4text`.

    Raises `ValueError` for an invalid line, and for a repeated message.
    """
    messages: dict[str, str] = {}
    entry: dict[str, str] = {}
    field = ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            _take(entry, messages, number)
            entry, field = {}, ""
            continue
        keyword, _, quoted = line.partition(" ")
        if keyword in ("msgctxt", "msgid", "msgstr"):
            field, entry[keyword] = keyword, ""
        elif not line.startswith('"') or not field:
            raise ValueError(f"line {number} of the catalogue is not understood: {line}")
        else:
            quoted = line
        entry[field] += ast.literal_eval(quoted)
    return messages


def _take(entry: Mapping[str, str], messages: dict[str, str], number: int) -> None:
    if "msgid" not in entry:
        return
    key = f"{entry['msgctxt']}{CONTEXT}{entry['msgid']}" if "msgctxt" in entry else entry["msgid"]
    if key in messages:
        raise ValueError(f"the message that ends at line {number} is there twice: {entry['msgid']}")
    messages[key] = entry.get("msgstr", "")


def to_po(messages: Mapping[str, str]) -> str:
    """Return messages as a catalogue; a missing translation is empty."""
    lines = [
        "# Messages of the command line. `make locale` adds what is missing, and compiles the catalogue.",
        *_entry("", HEADER),
    ]
    for key, translated in messages.items():
        if key:
            lines += ["", *_entry(key, translated)]
    return "\n".join(lines) + "\n"


def _entry(key: str, translated: str) -> list[str]:
    context, _, text = key.rpartition(CONTEXT)
    lines = [f"msgctxt {_quoted(context)}"] if context else []
    return [*lines, f"msgid {_quoted(text)}", f"msgstr {_quoted(translated)}"]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def to_mo(messages: Mapping[str, str]) -> bytes:
    """Return the compiled catalogue of all messages that have a translation, sorted by their bytes."""
    pairs = sorted((key.encode(), text.encode()) for key, text in {**messages, "": HEADER}.items() if text)
    tables = 28, 28 + 8 * len(pairs)
    start = tables[1] + 8 * len(pairs)
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), *tables, 0, 0)
    index, content = b"", b""
    for column in (0, 1):
        for pair in pairs:
            index += struct.pack("<2I", len(pair[column]), start + len(content))
            content += pair[column] + b"\0"
    return head + index + content
