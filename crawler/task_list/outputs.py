"""The key `output` of a task: where rows are written, and for each output the options that select and shape its rows.

output: out/{task}.jsonl
output:
  - out/{task}.jsonl
  - to: articles.db
    fields: [url, title, {body: text}]
    where: {language: zh, confidence: 0.5, keywords: [央行]}
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_serializer,
)

from crawler.task_list.fields import TEXT, FrozenModel, Keywords, OneOrMore, Text
from crawler.task_list.languages import check_language
from crawler.task_list.mistakes import BadValueError, show, suggest
from crawler.task_list.validators import check_output, to_tuple
from workers.addresses import shown
from workers.rows import KEY
from workers.sinks.kinds import FEED_OPTIONS, file_path, kind_of, scheme_of
from workers.sinks.options import OutputOptions, RowCondition
from workers.sinks.row_schema import CHOICES

FIELDS_FORM = "write a list such as [url, title, {body: text}]: the text is named body"
FIELD_NAME = re.compile(r"[^\W\d]\w{0,62}")  # the name of a column in any database
MOST_ROWS, MOST_SECONDS = 100_000, 86_400

Pair = tuple[str, str]  # name in the output, field of the row


def to_pairs(value: object) -> object:
    """Convert a list of field names and of maps {name: field} to pairs, in order."""
    if not isinstance(value, list | tuple) or not value:
        raise BadValueError("empty" if value == [] else f"must be a list, not {show(value)}", FIELDS_FORM)
    pairs: list[Pair] = []
    for place, item in enumerate(value):
        named = item.items() if isinstance(item, Mapping) else [(item, item)]
        for name, source in named:
            _check_pair(name, source, (place, name) if isinstance(item, Mapping) else (place,), pairs)
            pairs.append((name, source))
    return tuple(pairs)


def _check_pair(name: str, source: object, inner: tuple[str | int, ...], before: Sequence[Pair]) -> None:
    if not isinstance(source, str):
        raise BadValueError(f"must be the name of a field, not {show(source)}", FIELDS_FORM, inner=inner)
    if source not in CHOICES:
        if name in CHOICES:
            raise BadValueError(
                f"unknown field {source!r}", f"write {{{source}: {name}}}: the new name first", inner=inner
            )
        raise BadValueError(f"unknown field {source!r}", suggest(source, [*CHOICES]), inner=inner)
    if not FIELD_NAME.fullmatch(name):
        hint = "use letters, digits and _, beginning with a letter"
        raise BadValueError(f"{show(name)} cannot be the name of a field", hint, inner=inner)
    if name in KEY and name != source:
        raise BadValueError(f"{name!r} is a field of the row key", "choose another name", inner=inner)
    if name.lower() in {earlier.lower() for earlier, _ in before}:
        raise BadValueError(f"duplicate field {name!r}", "delete one, or give it another name", inner=inner)


def from_pairs(pairs: Sequence[Pair]) -> list[Any]:
    """Return pairs in the form of tasks.yaml."""
    return [source if name == source else {name: source} for name, source in pairs]


def to_entry(value: object) -> object:
    """Convert an address alone to an output without options."""
    return value if isinstance(value, Mapping | OutputEntry) else {"to": value}


class _Part(FrozenModel):
    @model_serializer(mode="wrap")
    def _in_short(self, handler: SerializerFunctionWrapHandler) -> Any:
        """Return only the values that differ from the defaults."""
        values: dict[str, Any] = handler(self)
        default = {name: field.get_default() for name, field in type(self).model_fields.items()}
        return {name: value for name, value in values.items() if getattr(self, name) != default[name]}


Languages = Annotated[OneOrMore[Annotated[str, AfterValidator(check_language)]], Field(min_length=1)]


class OutputCondition(_Part):
    """Which rows an output gets; all conditions must hold."""

    language: Languages | None = Field(default=None, examples=["zh", ["zh", "en"]])
    """Language of the article, or several; ISO 639-1, or zh-Hant."""
    confidence: float = Field(default=0.0, ge=0, le=1, examples=[0.5])
    """At least this confidence."""
    keywords: Keywords = Field(default=(), examples=[["央行", "利率"]])
    """Words in title or text; one is enough."""


class BatchSize(_Part):
    """When a batch is delivered: when it has `rows` rows, or its oldest row has waited for `seconds`."""

    rows: int | None = Field(default=None, ge=1, le=MOST_ROWS, examples=[1000])
    """Rows in a batch; by default 500, for stores and Parquet 5000."""
    seconds: float | None = Field(default=None, ge=0, le=MOST_SECONDS, allow_inf_nan=False, examples=[60])
    """Seconds that a row waits for others; by default 10, for stores 60, for Parquet 300."""


FieldName = Annotated[str, WithJsonSchema({"type": "string", "enum": [*CHOICES]})]
FieldPairs = Annotated[
    tuple[Pair, ...],
    BeforeValidator(to_pairs, json_schema_input_type=list[FieldName | dict[str, FieldName]]),
    PlainSerializer(from_pairs, return_type=list[Any]),
]


class OutputEntry(_Part):
    """One output with its options."""

    to: Annotated[str, AfterValidator(check_output), WithJsonSchema(TEXT)] = Field(examples=["out/{task}.jsonl"])
    """Path or address, written like an output without options."""
    fields: FieldPairs = Field(default=(), examples=[["url", "title", {"body": "text"}]])
    """Which fields rows have, in this order; {name: field} renames one. Default: all."""
    where: OutputCondition = Field(default=OutputCondition(), examples=[{"language": "zh", "confidence": 0.5}])
    """Which rows are written. Default: all."""
    batch: BatchSize = Field(default=BatchSize(), examples=[{"rows": 1000, "seconds": 60}])
    """When rows are delivered, for servers and whole files."""

    @field_validator("fields", "where", "batch")
    @classmethod
    def _has_an_effect(cls, value: object, info: ValidationInfo) -> object:
        kind = kind_of(to) if (to := info.data.get("to")) else None
        if kind and info.field_name not in kind.options():
            raise BadValueError(f"has no effect on an output of the kind {kind.name}", "delete it")
        return value

    @model_serializer(mode="wrap")
    def _in_short(self, handler: SerializerFunctionWrapHandler) -> Any:
        """Return the address alone if there are no options."""
        given = super()._in_short(handler)
        return self.to if given.keys() == {"to"} else given

    @property
    def options(self) -> OutputOptions:
        """The options in the form of the sinks."""
        return OutputOptions(
            fields=self.fields,
            where=RowCondition(self.where.language or (), self.where.confidence, self.where.keywords),
            batch_rows=self.batch.rows,
            batch_seconds=self.batch.seconds,
        )

    @property
    def has_options(self) -> bool:
        """Whether the output has any option that differs from its default."""
        return self.model_fields_set != {"to"} and self.options != OutputOptions()


def target_of(output: str, task: str) -> str:
    """Return an output in a form for comparison, which is equal for outputs that are the same file."""
    path = file_path(output.replace("{task}", task))
    return path if scheme_of(path) else posixpath.normpath(FEED_OPTIONS.sub("", path))


def check_distinct(outputs: tuple[OutputEntry, ...], info: ValidationInfo) -> tuple[OutputEntry, ...]:
    """Accept the outputs of one task if no two of them are the same."""
    if len(outputs) == 1:
        return outputs
    task = info.data.get("name", "")
    seen: dict[str, str] = {}
    for place, output in enumerate(outputs):
        first = seen.setdefault(target_of(output.to, task), output.to)
        if len(seen) <= place:
            raise BadValueError(f"writes to {shown(first)} a second time", "delete one", inner=(place,))
    return outputs


_Several = Annotated[list[Text | OutputEntry], Field(min_length=1)]
Outputs = Annotated[
    tuple[Annotated[OutputEntry, BeforeValidator(to_entry)], ...],
    BeforeValidator(to_tuple, json_schema_input_type=Text | OutputEntry | _Several),
    Field(min_length=1),
    AfterValidator(check_distinct),
]
