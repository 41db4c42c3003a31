"""The public names of `extractors` with their signatures and docstrings; in English, as these are."""

import dataclasses
import inspect
import re
from collections.abc import Iterator
from typing import Any

import extractors
from docs.site.reference.markdown import block, escaped, page
from docs.site.reference.tasks import WRITTEN_BY

MODULE = re.compile(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])")


def python_page() -> str:
    """Return the page."""
    names = sorted(extractors.__all__, key=lambda name: (inspect.isclass(getattr(extractors, name)), name.lower()))
    opening = "\n\n".join(_prose(inspect.getdoc(extractors) or ""))
    return page("# Python", "`from extractors import …` gives these names and no others.", opening, WRITTEN_BY, *(
        part for name in names for part in _of_name(name, getattr(extractors, name))
    ))  # fmt: skip


def _of_name(name: str, thing: Any) -> Iterator[str]:
    yield f"## {name}"
    yield block("python", _declaration(name, thing))
    yield from _prose(inspect.getdoc(thing) or "")
    if inspect.isclass(thing) and not dataclasses.is_dataclass(thing) and not issubclass(thing, Exception):
        yield from _prose(inspect.getdoc(thing.__init__) or "")
    for member_name, member in vars(thing).items() if inspect.isclass(thing) else ():
        if not member_name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            yield from _of_member(name, member_name, member)


def _of_member(of_class: str, name: str, member: Any) -> Iterator[str]:
    yield f"### {of_class}.{name}"
    yield block("python", f"{of_class}.{name}" if isinstance(member, property) else _call(f"{of_class}.{name}", member))
    yield from _prose(inspect.getdoc(member) or "")


def _declaration(name: str, thing: Any) -> str:
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return f"class {name}({thing.__bases__[0].__name__})"
    if dataclasses.is_dataclass(thing):
        fields = [f"    {field.name}: {_type(field.type)}{_default(field)}" for field in dataclasses.fields(thing)]
        return f"class {name}:\n" + "\n".join(fields)
    return _call(name, thing)


def _type(annotation: Any) -> str:
    text = (
        annotation.__name__ if isinstance(annotation, type) and not hasattr(annotation, "__args__") else str(annotation)
    )
    return MODULE.sub("", text).replace("'", '"')


def _default(field: "dataclasses.Field[Any]") -> str:
    return "" if field.default is dataclasses.MISSING else f" = {_shown(field.default)}"


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)  # quoted as the source is


def _call(name: str, thing: Any) -> str:
    signature = inspect.signature(thing)
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    shown = [_parameter(parameter) for parameter in parameters]
    keyword_only = [p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters]
    if True in keyword_only:
        shown.insert(keyword_only.index(True), "*")
    returns = (
        ""
        if signature.return_annotation in (inspect.Signature.empty, None)
        else f" -> {_type(signature.return_annotation)}"
    )
    line = f"{name}({', '.join(shown)}){returns}"
    return line if len(line) <= 100 else f"{name}(\n" + "".join(f"    {part},\n" for part in shown) + f"){returns}"


def _parameter(parameter: inspect.Parameter) -> str:
    text = parameter.name
    if parameter.annotation is not inspect.Parameter.empty:
        text += f": {_type(parameter.annotation)}"
    if parameter.default is inspect.Parameter.empty:
        return text
    default = "IN_TEXT" if isinstance(parameter.default, frozenset) else _shown(parameter.default)
    return f"{text} = {default}"


def _prose(docstring: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring; indented ones are code."""
    for paragraph in re.split(r"\n\n(?!    )", docstring):
        text, *codes = re.split(r"\n\n(?=    )", paragraph)
        if text.startswith("    "):
            yield block("python", inspect.cleandoc(text))
        elif text:
            yield escaped(" ".join(text.split()))
        for lines in codes:
            yield block("python", "\n".join(line.removeprefix("    ") for line in lines.splitlines()))
