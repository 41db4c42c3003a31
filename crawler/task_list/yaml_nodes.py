"""YAML text → nodes with their places. libyaml reads the events; the nodes are those of PyYAML."""

import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.error import MarkedYAMLError
from yaml.events import AliasEvent, MappingEndEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent, StreamEndEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

MAX_DEPTH = 40  # levels of nested maps and lists; a task list needs four
TOO_DEEP = "nested too deeply"
_KINDS = {  # of plain scalars, by YAML 1.2; all others are text
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?(?:0b[01_]+|0o?[0-7_]+|[0-9][0-9_]*|0x[0-9a-fA-F_]+)",
    "float": r"[-+]?(?:(?:[0-9][0-9_]*)(?:\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)"
    r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)",
    "merge": r"<<",
}
_KIND = re.compile("|".join(f"(?P<{kind}>{form})" for kind, form in _KINDS.items()))
_TAG = "tag:yaml.org,2002:"


def compose(text: str) -> Node | None:
    """Return the root of the only document, None without one.

    Raises `yaml.YAMLError`, with the problem `TOO_DEEP` if anything is nested deeper than `MAX_DEPTH`.
    """
    events = yaml.parse(text, Loader=yaml.CSafeLoader)
    next(events)  # the start of the stream
    if isinstance(next(events), StreamEndEvent):
        return None
    root = _Nodes(events).node(next(events))
    next(events)  # the end of the document
    if not isinstance(following := next(events), StreamEndEvent):
        raise MarkedYAMLError(problem="another document", problem_mark=following.start_mark)
    return root


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


class _Nodes:
    """Composes nodes from libyaml's events: its own composer ends the process on deep nesting."""

    def __init__(self, events: Iterator[Any]) -> None:
        self.events = events
        self.anchors: dict[str, Node] = {}
        self.depth = 0

    def node(self, event: Any) -> Node:
        """Return the node that begins with an event."""
        if isinstance(event, AliasEvent):
            if event.anchor not in self.anchors:
                raise MarkedYAMLError(problem=f"found undefined alias {event.anchor!r}", problem_mark=event.start_mark)
            return self.anchors[event.anchor]
        if self.depth > MAX_DEPTH:
            raise MarkedYAMLError(problem=TOO_DEEP, problem_mark=event.start_mark)
        place = (event.start_mark, event.end_mark)
        if isinstance(event, ScalarEvent):
            return self.named(event, ScalarNode(_tag_of(event), event.value, *place, event.style))
        self.depth += 1
        if isinstance(event, SequenceStartEvent):
            node = self.named(event, SequenceNode(event.tag, [], *place))
            while not isinstance(item := next(self.events), SequenceEndEvent):
                node.value.append(self.node(item))
        else:
            node = self.named(event, MappingNode(event.tag, [], *place))
            while not isinstance(key := next(self.events), MappingEndEvent):
                node.value.append((self.node(key), self.node(next(self.events))))
        self.depth -= 1
        return node

    def named(self, event: Any, node: Node) -> Node:
        """Return a node, which its anchor, if it has one, means from here on."""
        if event.anchor:
            self.anchors[event.anchor] = node
        return node


def _tag_of(event: Any) -> str:
    """Return the tag of a scalar; a plain one without a tag has that of its value."""
    if event.tag not in (None, "!"):
        return str(event.tag)
    found = _KIND.fullmatch(event.value) if event.implicit[0] else None
    return _TAG + (found.lastgroup or "null" if found else "str")
