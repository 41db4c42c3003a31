"""The published schema of a row: it fits our rows, has their fields, and loses none from version to version."""

import json
from pathlib import Path
from typing import Any

import jsonschema

from tests.workers.test_rows import row
from workers.sinks.row_schema import COLUMNS, FIELDS, ROW_SCHEMA_VERSION, row_schema

PUBLISHED = Path(__file__).with_name("row_schemas")  # each version as it was published, never changed


def published() -> list[dict[str, Any]]:
    """All published schemas, the oldest first."""
    paths = sorted(PUBLISHED.glob("*.json"), key=lambda path: int(path.stem))
    return [json.loads(path.read_text("utf-8")) for path in paths]


def undescribed(part: Any) -> Any:
    """Return a part of a schema without descriptions."""
    if isinstance(part, dict):
        return {name: undescribed(value) for name, value in part.items() if not is_description(name, value)}
    return [undescribed(value) for value in part] if isinstance(part, list) else part


def is_description(name: str, value: Any) -> bool:
    """Whether this is a description, not the field of that name."""
    return name == "description" and isinstance(value, str)


def test_the_schema_has_exactly_the_fields_of_a_row_in_their_order() -> None:
    assert [*FIELDS] == [*row()]
    assert set(FIELDS) == set(COLUMNS)


def test_the_schema_is_valid_and_fits_a_row() -> None:
    jsonschema.Draft202012Validator.check_schema(row_schema())
    validator = jsonschema.Draft202012Validator(row_schema())
    validator.validate(row())
    validator.validate(row(parts=2, parts_missing=["http://a.example/1?p=2"], listed_on="http://a.example/"))
    validator.validate({**row(), "a_field_of_the_future": 1})


def test_the_present_schema_is_published() -> None:
    """A changed schema needs a new version: raise it, and add its file. Only descriptions may change without."""
    assert undescribed(json.loads((PUBLISHED / f"{ROW_SCHEMA_VERSION}.json").read_text("utf-8"))) == undescribed(
        row_schema()
    )


def test_no_field_of_a_published_schema_vanishes_or_changes_its_type() -> None:
    present = row_schema()
    for earlier in published():
        for name, field in earlier["properties"].items():
            assert present["properties"][name]["type"] == field["type"], name
        assert set(earlier["required"]) <= set(present["required"])
        assert earlier["$id"].endswith(f"/{earlier['schema_version']}")
