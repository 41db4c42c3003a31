"""`python -m docs.site.task_schema`: the JSON Schema of tasks.yaml (draft 7, which editors support).

It is written after a change of the models, and shipped with the program.
"""

import ast
import inspect
import json
from collections.abc import Iterator
from itertools import pairwise
from textwrap import dedent
from typing import Any, cast

from pydantic import Field
from pydantic.json_schema import GenerateJsonSchema

from crawler.task_list.fields import FrozenModel
from crawler.task_list.models import Settings, Task
from crawler.task_list.schema import SCHEMA_FILE

NAME_PATTERN = r"^[^./\s][^/\s]{0,99}$"


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


class _Document(FrozenModel):
    """Sections of sites: an example page, the pattern of the articles' URLs, a period, an output."""

    tasks: dict[str, Task] = Field(min_length=1, json_schema_extra={"propertyNames": {"pattern": NAME_PATTERN}})
    """The tasks by name (letters, digits, - _ and .)."""
    defaults: Task | None = None
    """Values of keys for tasks that do not set them."""
    settings: Settings | None = None
    """Settings of all tasks."""


def json_schema() -> dict[str, Any]:
    """Return the schema of tasks.yaml as JSON values, by which editors complete and check keys and values."""
    schema = _Document.model_json_schema(schema_generator=_Described, ref_template="#/definitions/{model}")
    definitions = schema.pop("$defs")
    for part in (schema, *definitions.values()):
        part.pop("title", None)
    task = definitions["Task"]
    del task["properties"]["name"]
    task["required"] = ["example", "pattern"]  # the others may be in `defaults:`
    definitions["Defaults"] = {key: value for key, value in task.items() if key != "required"}
    schema["properties"]["defaults"]["anyOf"][0]["$ref"] = "#/definitions/Defaults"
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Exemplar's task list"}
    return head | schema | {"definitions": definitions}


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
