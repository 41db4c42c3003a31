"""Values of usual YAML, read by libyaml: ten times as fast as `yaml_source`, but without places.

Only elements that both parsers surely read in the same way are supported: maps, lists and scalars of one document.
Everything else, including mistakes, is left to `yaml_source`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

MAX_DEPTH = 40  # levels of nested maps; a task list needs four

# Control characters, tabs and unusual line ends; directives and marks of documents; a ? that begins a key.
_UNUSUAL = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
    r"|^(?:%|---|\.\.\.)|(?:^|[ \[{,])\?(?:[ \n]|\Z)",
    re.MULTILINE,
)
_RESOLVED = frozenset("tTfFnN~-+.0123456789<=!&*")  # first characters of plain scalars that may not be text


class _UnusualError(Exception):
    """The text has an element that only `yaml_source` reads."""


def scalar_value(kind: str, text: str) -> Any:
    """Return the value of a YAML 1.2 scalar; numbers that Python cannot parse stay text."""
    try:
        match kind:
            case "null":
                return None
            case "bool":
                return text.lower() == "true"
            case "int":
                plain = text.replace("_", "").lower()
                return int(plain, 0) if re.match(r"[+-]?0[xob]", plain) else int(plain)
            case "float":
                return float(text.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError:
        return text
    return text


def plain_values(text: str) -> dict[str, Any] | None:
    """Return the map in `text`; None if anything in it is unusual or invalid, or if libyaml is not installed."""
    if _UNUSUAL.search(text):
        return None
    try:
        from yaml import CSafeLoader, YAMLError
    except ImportError:
        return None
    loader = CSafeLoader(text)
    try:
        return _Events(loader.get_event).document()
    except (YAMLError, _UnusualError):
        return None
    finally:
        loader.dispose()


class _Events:
    """Builds values from libyaml's events. `get`: returns the next event."""

    def __init__(self, get: Callable[[], Any]) -> None:
        from yaml import events

        self.get = get
        self.scalar, self.map, self.map_end = events.ScalarEvent, events.MappingStartEvent, events.MappingEndEvent
        self.list, self.list_end = events.SequenceStartEvent, events.SequenceEndEvent
        self.document_end, self.stream_end = events.DocumentEndEvent, events.StreamEndEvent

    def document(self) -> dict[str, Any]:
        """Return the map of the only document."""
        self.get(), self.get()  # the starts of stream and document
        start = self.get()
        if type(start) is not self.map:
            raise _UnusualError
        values: dict[str, Any] = self.value(start, 0)
        if type(self.get()) is not self.document_end or type(self.get()) is not self.stream_end:
            raise _UnusualError
        return values

    def value(self, event: Any, depth: int) -> Any:
        kind = type(event)
        if kind is self.scalar:
            return self.scalar_of(event)
        if kind not in (self.map, self.list) or event.anchor or event.tag or depth >= MAX_DEPTH:
            raise _UnusualError
        return self.map_of(depth + 1) if kind is self.map else self.list_of(depth + 1)

    def map_of(self, depth: int) -> dict[str, Any]:
        get, scalar, built = self.get, self.scalar, dict[str, Any]()
        while type(key := get()) is scalar:
            name = key.value
            if key.anchor or key.tag or name in built or name == "<<" or not name.strip():
                raise _UnusualError
            event = get()
            built[name] = self.scalar_of(event) if type(event) is scalar else self.value(event, depth)
        if type(key) is not self.map_end:
            raise _UnusualError
        return built

    def list_of(self, depth: int) -> list[Any]:
        built: list[Any] = []
        while type(event := self.get()) is not self.list_end:
            built.append(self.value(event, depth))
        return built

    def scalar_of(self, event: Any) -> Any:
        text: str = event.value
        if event.anchor or event.tag:
            raise _UnusualError
        if not event.implicit[0]:
            mark, end = event.start_mark, event.end_mark
            if event.style not in ("'", '"') or mark.line != end.line or end.index - mark.index - 2 != len(text):
                raise _UnusualError  # a block scalar, several lines or escapes
            return text
        return text if text and text[0] not in _RESOLVED else _resolved(text)


@lru_cache(maxsize=1024)
def _resolved(text: str) -> Any:
    """Return the value of a plain scalar by the rules of YAML 1.2."""
    from ruamel.yaml.nodes import ScalarNode
    from ruamel.yaml.resolver import VersionedResolver

    tag = VersionedResolver(version=(1, 2)).resolve(ScalarNode, text, (True, False))
    kind = str(tag).removeprefix("tag:yaml.org,2002:")
    if kind in ("merge", "value", "yaml"):
        raise _UnusualError
    return scalar_value(kind, text)
