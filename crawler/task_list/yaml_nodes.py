"""YAML text → nodes with their places. libyaml reads the events; the nodes are those of PyYAML."""

import re
from typing import Any

from yaml.composer import Composer
from yaml.cyaml import CParser
from yaml.error import MarkedYAMLError
from yaml.events import AliasEvent
from yaml.nodes import Node, ScalarNode

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
    nodes = _Nodes(text)
    try:
        return nodes.get_single_node()
    finally:
        nodes.dispose()


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


class _Nodes(Composer, CParser):  # type: ignore[misc]  # PyYAML declares no types
    """PyYAML's composer, in Python, above libyaml's events: its composer in C ends the process on deep nesting."""

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        Composer.__init__(self)
        self.depth = 0

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        event = self.peek_event()
        if not isinstance(event, AliasEvent):
            self.anchors.pop(event.anchor, None)  # a repeated anchor is allowed
        if self.depth > MAX_DEPTH:
            raise MarkedYAMLError(problem=TOO_DEEP, problem_mark=event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def resolve(self, kind: type[Node], value: str | None, implicit: Any) -> str:
        """Return the tag of a node that has none."""
        if kind is not ScalarNode:
            return _TAG + "map"  # not read
        found = _KIND.fullmatch(value or "") if implicit[0] else None
        return _TAG + (found.lastgroup or "null" if found else "str")

    def descend_resolver(self, parent: Node | None, index: Any) -> None:
        """Nothing depends on the path of a node."""

    def ascend_resolver(self) -> None:
        """Nothing depends on the path of a node."""
