"""The keys of tasks.yaml, from the schema that the model of the task list gives."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from docs.site.reference.languages import PageTexts
from docs.site.reference.markdown import block, code, escaped, page, table
from docs.site.task_schema import json_schema
from workers.sinks.row_schema import CHOICES

Schema = Mapping[str, Any]
PARTS = {  # definitions of the schema that have a section of their own, with its heading
    "Filter": "Keep and drop",
    "OutputEntry": "Options of an output",
    "OutputCondition": "Conditions",
    "BatchSize": "Batches",
    "Login": "Login",
    "PressureMarks": "Marks",
}
KINDS = {"string": "text", "integer": "whole number", "number": "number", "object": "map"}
BOUNDS = {"minimum": "at least {}", "maximum": "at most {}", "exclusiveMinimum": "above {}"}
OPENING = (
    "A task list has three parts: `tasks`, the sections by their names; `settings`, for all of them; and `defaults`, "
    "keys for tasks that do not set them. A task needs `example`, `pattern`, `every` and `output`; the last two may be "
    "in `defaults`. `exemplar check` finds mistakes, and editors complete and check all keys by the schema that the "
    "first line of the sample names."
)
REQUIRED = dict.fromkeys(("example", "pattern"), "Required.")
REQUIRED |= dict.fromkeys(("every", "output"), "Required, here or in `defaults`.")
WRITTEN_BY = "This page is written by `make reference` from the program."


def tasks_page(wording: PageTexts) -> str:
    """Return the page in one language."""
    schema = json_schema()
    definitions = schema["definitions"]
    parts = [f"# {wording.phrase('The keys of tasks.yaml')}", wording.phrase(OPENING), wording.phrase(WRITTEN_BY)]
    parts.append(f"## {wording.phrase('Keys of a task')}")
    parts += [_key(name, name, key, wording) for name, key in definitions["Task"]["properties"].items()]
    for name, heading in PARTS.items():
        parts += [f"## {wording.phrase(heading)}", escaped(wording.description(definitions[name]["description"]))]
        parts.append(_table(definitions[name], wording))
    parts.append(f"## {wording.phrase('Settings of the file')}")
    settings = definitions["Settings"]["properties"]
    return page(*parts, *(_key(name, f"settings.{name}", key, wording) for name, key in settings.items()))


def _key(name: str, title: str, key: Schema, wording: PageTexts) -> str:
    """Return the section of a key, with its description, forms, default and examples."""
    sentences = [wording.phrase("Form: {}.").format(_form(key, wording)), _need(title, key, wording)]
    return page(
        f"### {code(title)}",
        escaped(wording.description(key["description"])),
        ("" if wording.suffix else " ").join(sentences),
        block("yaml", "\n".join(f"{name}: {_yaml(example)}" for example in key["examples"])),
    )


def _need(title: str, key: Schema, wording: PageTexts) -> str:
    """Return whether a key must be there, or its default."""
    if title in REQUIRED:
        return wording.phrase(REQUIRED[title])
    default = _default(key)
    return wording.phrase("Default: {}.").format(default) if default else wording.phrase("Optional.")


def _table(definition: Schema, wording: PageTexts) -> str:
    head = [wording.phrase(word) for word in ("key", "form", "default", "meaning")]
    rows = []
    for name, key in definition["properties"].items():
        default = wording.phrase("required") if name in definition.get("required", ()) else _default(key)
        rows.append([code(name), _form(key, wording), default, escaped(wording.description(key["description"]))])
    return table(head, rows)


def _form(key: Schema, wording: PageTexts) -> str:
    """Return the forms that a value may have, in words."""
    if "$ref" in key:
        name = key["$ref"].rpartition("/")[2]
        heading = wording.phrase(PARTS[name])
        return f"[{heading}](#{heading.lower().replace(' ', '-')})"
    if {*CHOICES} == {*key.get("enum", ())}:
        return f"[{wording.phrase('field of a row')}](rows{wording.suffix}.md)"
    if "enum" in key:
        return wording.phrase("one of {}").format(_comma(wording).join(code(_yaml(value)) for value in key["enum"]))
    if "anyOf" in key:
        several = [form for form in key["anyOf"] if form.get("items") in key["anyOf"]]
        forms = dict.fromkeys(_form(form, wording) for form in key["anyOf"] if form not in several)
        forms |= dict.fromkeys(wording.phrase("a list of these") for _ in several)
        return wording.phrase(", or ").join(forms)
    kinds = key["type"] if isinstance(key["type"], list) else [key["type"]]
    return wording.phrase(", or ").join(_of_kind(kind, key, wording) for kind in kinds)


def _of_kind(kind: str, key: Schema, wording: PageTexts) -> str:
    if kind == "null":
        return code("null")
    if kind == "boolean":
        return wording.phrase(", or ").join((code("true"), code("false")))
    if kind == "array":
        items = key.get("items")
        form = _form(items, wording) if items else wording.phrase("text")
        return wording.phrase("list of {}").format(f"({form})" if items and "anyOf" in items else form)
    if kind == "object" and isinstance(key.get("additionalProperties"), Mapping):
        return wording.phrase("map of names to {}").format(_form(key["additionalProperties"], wording))
    if kind == "object" and "properties" not in key:
        return wording.phrase("map of names to values")
    if kind == "object":
        return "{" + _comma(wording).join(code(name) for name in key["properties"]) + "}"
    if key.get("format") == "date":
        return wording.phrase("day, such as 2026-11-22")
    bounds = [wording.phrase(BOUNDS[bound]).format(f"{key[bound]:g}") for bound in BOUNDS if bound in key]
    if "minimum" in key and "maximum" in key:
        bounds = [wording.phrase("{} to {}").format(f"{key['minimum']:g}", f"{key['maximum']:g}")]
    return _comma(wording).join([wording.phrase(KINDS[kind]), *bounds])


def _comma(wording: PageTexts) -> str:
    return "、" if wording.suffix else ", "


def _default(key: Schema) -> str:
    """Return the default of a key as code; nothing if there is none, or an empty one."""
    default = key.get("default")
    return "" if default in (None, [], {}, "") else code(_yaml(default))


def _yaml(value: object) -> str:
    """Return a value on one line of YAML."""
    plain = json.loads(json.dumps(value), parse_float=lambda text: float(text) if float(text) % 1 else int(float(text)))
    text: str = yaml.safe_dump(plain, default_flow_style=True, allow_unicode=True, width=10_000, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")
