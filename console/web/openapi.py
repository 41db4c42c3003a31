"""The OpenAPI 3.1 document of the JSON API, generated from its operations and their types."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

from pydantic.json_schema import JsonSchemaMode, models_json_schema

from console.web.api_types import ApiError, ApiObject
from workers.sinks.row_schema import row_schema

REFERENCE = "#/components/schemas/{model}"
ERRORS = {
    "401": "Not logged in.",
    "404": "Not found.",
    "422": "Invalid request; the text names the mistake.",
    "503": "Redis is unavailable.",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation. `answer`: the type of its response; None: a row of an output. `query`, `body`: of its request.

    `function`: what answers a request.
    """

    method: Literal["GET", "POST"]
    path: str
    summary: str
    answer: type[ApiObject] | None
    query: type[ApiObject] | None
    body: type[ApiObject] | None
    function: Callable[..., Any]


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document."""
    kinds: list[tuple[type[ApiObject], JsonSchemaMode]] = [(ApiError, "serialization")]
    kinds += [(one.answer, "serialization") for one in operations if one.answer]
    kinds += [(one.body, "validation") for one in operations if one.body]
    _, schema = models_json_schema(kinds, ref_template=REFERENCE)
    schemas = schema["$defs"] | {"Row": _without_id(row_schema())}
    paths: dict[str, Any] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Exemplar console", "version": version("exemplar-crawler")},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(one: Operation) -> dict[str, Any]:
    name = one.answer.__name__ if one.answer else "Row"
    value: dict[str, Any] = {
        "summary": one.summary,
        "operationId": f"{one.method.lower()}{one.path.removeprefix('/api').replace('/', '_')}".translate(
            str.maketrans("", "", "{}")
        ),
        "responses": {"200": {"description": one.summary, "content": _json(name)}}
        | {code: {"description": text, "content": _json("ApiError")} for code, text in ERRORS.items()},
    }
    if parameters := [*_parameters(one)]:
        value["parameters"] = parameters
    if one.body:
        value["requestBody"] = {"required": True, "content": _json(one.body.__name__)}
    return value


def _parameters(one: Operation) -> Iterator[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", one.path):
        schema = {"type": "integer" if name == "number" else "string"}
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    for name, schema in (one.query.model_json_schema()["properties"] if one.query else {}).items():
        yield {"name": name, "in": "query", "required": False, "schema": schema}


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": REFERENCE.format(model=name)}}}


def _without_id(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if not key.startswith("$") and key != "schema_version"}
