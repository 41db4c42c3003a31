"""Front matter of Markdown files: YAML whose values are JSON, one field per line.

JSON is YAML 1.2. Parsers of YAML 1.1 read these values alike, since characters that YAML treats as line ends or forbids
in a text are escaped, and floating-point numbers have a point.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

FENCE = "---"
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})  # not texts in YAML 1.1
# C1 controls, line ends of YAML 1.1, byte order marks, and noncharacters
_TO_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_EXPONENT = re.compile(r"(?<![\w.\"])(-?\d+)(?=[eE][-+]?\d)")


def front_matter(fields: Mapping[str, Any]) -> str:
    """Return the lines of the fields between two fences. Raises `TypeError` for values that JSON does not support."""
    lines = [f"{_name(name)}: {_value(value)}" for name, value in fields.items()]
    return "\n".join([FENCE, *lines, FENCE, ""])


def read_front_matter(content: bytes) -> dict[str, Any]:
    """Return the fields that `front_matter` wrote at the beginning of a file; none if it begins otherwise."""
    first, *lines = content.split(b"\n")
    fields: dict[str, Any] = {}
    if first != FENCE.encode():
        return fields
    for line in lines:
        if line == FENCE.encode():
            return fields
        try:
            text = line.decode()
            name, end = json.JSONDecoder().raw_decode(text) if text.startswith('"') else ("", 0)
            plain, _, value = text[end:].partition(":")
            fields[str(name or plain)] = json.loads(value)
        except ValueError:
            continue  # a line that a person wrote
    return {}


def _name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) and name.lower() not in _WORDS else _escaped(json.dumps(name))


def _value(value: Any) -> str:
    if isinstance(value, float):
        return _EXPONENT.sub(r"\1.0", json.dumps(value))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{_escaped(json.dumps(name, ensure_ascii=False))}: {_value(item)}" for name, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    return _escaped(json.dumps(value, ensure_ascii=False))


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
