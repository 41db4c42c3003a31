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

from pydantic import Field
from pydantic.json_schema import GenerateJsonSchema

from crawler.task_list.fields import FrozenModel
from crawler.task_list.models import Settings, Task

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


def write_schema(path: Path) -> None:
    """Write the schema to `path`; create its folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SCHEMA_FILE, path)


def sample(contact: str = "") -> str:
    """Return a sample tasks.yaml with one task that is paused; `contact` is a URL or an e-mail address, or empty."""
    text = SAMPLE_FILE.read_text("utf-8")
    return text.replace(NO_CONTACT, f"contact: {json.dumps(contact)}") if contact else text


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
