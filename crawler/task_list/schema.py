"""The JSON Schema of tasks.yaml (draft 7, which editors support) and a sample tasks.yaml.

After a change of the model, `python -m crawler.task_list.schema` writes `tasks.schema.json` again.
"""

import ast
import inspect
import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any, cast

from pydantic.json_schema import GenerateJsonSchema

from crawler.task_list.fields import TEXT
from crawler.task_list.models import Settings, Task
from crawler.task_list.outputs import OutputEntry
from workers.sinks.row_schema import CHOICES

SCHEMA_FILE = Path(__file__).with_name("tasks.schema.json")
SCHEMA_BESIDE_TASKS = ".exemplar/tasks.schema.json"  # path at which `exemplar init` writes it, relative to tasks.yaml
MODELINE = f"# yaml-language-server: $schema={SCHEMA_BESIDE_TASKS}"
NAME_PATTERN = r"^[^./\s][^/\s]{0,99}$"
SAMPLE_FILE = Path(__file__).with_name("sample.yaml")
NO_CONTACT = "# contact: https://example.org/our-crawler"


class _Described(GenerateJsonSchema):
    """Describes each key by the text below it in its model. Titles are left out."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False."""
        return False

    def model_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of a model with its descriptions."""
        described = super().model_schema(schema)
        for name, text in _texts_below(schema["cls"]):
            described["properties"][name]["description"] = text
        return described


def _texts_below(model: type) -> Iterator[tuple[str, str]]:
    """Yield the keys of a model, each with the text in quotes that stands below it in the source."""
    [definition] = ast.parse(dedent(inspect.getsource(model))).body
    for key, below in pairwise(cast("ast.ClassDef", definition).body):
        match key, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())


def json_schema() -> dict[str, Any]:
    """Return the schema of tasks.yaml as JSON values, by which editors complete and check keys and values."""
    task, filters = _model_schema(Task)
    del task["properties"]["name"]
    for key in ("keep", "drop"):
        task["properties"][key] = _keywords_or_filter(task["properties"][key])
    task["properties"]["output"] = _one_or_more_outputs(task["properties"]["output"])
    outputs = _output_definitions()
    defaults = {key: value for key, value in task.items() if key != "required"}
    settings, marks = _model_schema(Settings)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Exemplar's task list",
        "description": "Sections of sites: an example page, the pattern of the articles' URLs, a period, an output.",
        "type": "object",
        "required": ["tasks"],
        "additionalProperties": False,
        "properties": {
            "defaults": _or_empty("Defaults", "Values of keys for tasks that do not set them."),
            "tasks": {
                "description": "The tasks by name (letters, digits, - _ and .).",
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": NAME_PATTERN},
                "additionalProperties": {"$ref": "#/definitions/Task"},
            },
            "settings": _or_empty("Settings", "Settings of all tasks."),
        },
        "allOf": [_required_here_or_in_defaults(key) for key in ("every", "output")],
        "definitions": {
            "Task": task | {"required": ["example", "pattern"]},
            "Defaults": defaults | {"description": "Any of a task's keys."},
            "Settings": settings,
            "Filter": filters["Filter"],
            "Login": filters["Login"],
            **outputs,
            **marks,
        },
    }


def write_schema(path: Path) -> None:
    """Write the schema to `path`; create its folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SCHEMA_FILE, path)


def sample(contact: str = "") -> str:
    """Return a sample tasks.yaml with one task that is paused; `contact` is a URL or an e-mail address, or empty."""
    text = SAMPLE_FILE.read_text("utf-8")
    return text.replace(NO_CONTACT, f"contact: {json.dumps(contact)}") if contact else text


def _model_schema(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a model's schema and the definitions that it refers to, in the form of draft 7."""
    schema = model.model_json_schema(schema_generator=_Described, ref_template="#/definitions/{model}")
    definitions = schema.pop("$defs", {})
    for part in (schema, *definitions.values()):
        part.pop("title", None)
    return schema, definitions


def _keywords_or_filter(field: dict[str, Any]) -> dict[str, Any]:
    forms = [TEXT, {"type": "array", "items": TEXT}, {"$ref": "#/definitions/Filter"}]
    return {"anyOf": forms, "description": field["description"], "examples": field["examples"]}


def _one_or_more_outputs(field: dict[str, Any]) -> dict[str, Any]:
    one = [TEXT, {"$ref": "#/definitions/OutputEntry"}]
    several = {"type": "array", "minItems": 1, "items": {"anyOf": one}}
    return {"anyOf": [*one, several], "description": field["description"], "examples": field["examples"]}


def _output_definitions() -> dict[str, Any]:
    """Return the schemas of an output with options and of its parts, in the forms that tasks.yaml has."""
    entry, parts = _model_schema(OutputEntry)
    field_name = {"type": "string", "enum": [*CHOICES]}
    renamed = {"type": "object", "minProperties": 1, "additionalProperties": field_name}
    entry["properties"]["fields"] |= {"minItems": 1, "items": {"anyOf": [field_name, renamed]}}
    condition = parts["OutputCondition"]["properties"]
    for key in ("language", "keywords"):
        text = {"type": ["string", "number"] if key == "keywords" else "string", "minLength": 1}
        kept = {name: condition[key][name] for name in ("description", "examples")}
        condition[key] = {"anyOf": [text, {"type": "array", "items": text}], **kept}
    return {"OutputEntry": entry, **parts}


def _or_empty(name: str, description: str) -> dict[str, Any]:
    return {"description": description, "anyOf": [{"$ref": f"#/definitions/{name}"}, {"type": "null"}]}


def _required_here_or_in_defaults(key: str) -> dict[str, Any]:
    in_defaults = {"required": ["defaults"], "properties": {"defaults": {"type": "object", "required": [key]}}}
    in_tasks = {"properties": {"tasks": {"additionalProperties": {"required": [key]}}}}
    return {"if": in_defaults, "else": in_tasks}


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
