"""The types of a task list's keys: how each value is read, checked, serialised as JSON and described in the schema."""

from datetime import date
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from crawler.patterns.pattern import Pattern
from crawler.task_list import validators
from crawler.task_list.periods import KEEP_FORM, Period, Revisit, to_age
from crawler.task_list.scrapy_settings import check_scrapy
from workers.usage_rights import SKIPPABLE

Item = TypeVar("Item")
TEXT = {"type": "string", "minLength": 1}  # the schema of text that is not empty
Text = Annotated[str, Field(min_length=1)]
_AS_TEXT = PlainSerializer(str, return_type=str)
_OPTIONAL_TEXT = PlainSerializer(lambda value: str(value) if value else None, return_type=str | None)
_TEXT_OR_NULL = WithJsonSchema({"type": ["string", "null"]})
_LISTED = BeforeValidator(validators.to_tuple)


class FrozenModel(BaseModel):
    """A part of a task list: it cannot be changed, has known keys only, and their values are not converted."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)


def _one_or_more(item: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item}]})


# -- one value --------------------------------------------------------------------------------------------------------

TaskName = Annotated[str, AfterValidator(validators.check_name)]
Url = Annotated[str, AfterValidator(validators.check_url)]
UrlPattern = Annotated[Pattern, BeforeValidator(validators.to_pattern), _AS_TEXT, WithJsonSchema(TEXT)]
StartPattern = Annotated[Pattern, BeforeValidator(validators.to_start_pattern), _AS_TEXT]
Day = Annotated[date, BeforeValidator(validators.to_day), WithJsonSchema({"type": "string", "format": "date"})]
Every = Annotated[Period, BeforeValidator(Period.parse), _AS_TEXT, WithJsonSchema({"type": "string"})]
Method = Annotated[str, AfterValidator(validators.one_of(validators.METHODS, "method"))]
Visits = Annotated[Revisit | None, BeforeValidator(Revisit.parse), _OPTIONAL_TEXT, _TEXT_OR_NULL]
Forget = Annotated[Period | None, BeforeValidator(to_age), _OPTIONAL_TEXT, _TEXT_OR_NULL]
KeepPages = Annotated[Period | None, BeforeValidator(partial(to_age, form=KEEP_FORM)), _OPTIONAL_TEXT, _TEXT_OR_NULL]
PagesFolder = Annotated[str, AfterValidator(validators.check_folder), WithJsonSchema(TEXT)]
Render = Annotated[
    bool | Literal["auto"], BeforeValidator(validators.check_render), WithJsonSchema({"enum": [True, False, "auto"]})
]
Secret = Annotated[str, BeforeValidator(validators.check_secret), WithJsonSchema(TEXT)]
Proxy = Annotated[str, AfterValidator(validators.check_proxy), WithJsonSchema(TEXT)]
Contact = Annotated[str, AfterValidator(validators.check_contact)]

# -- several ----------------------------------------------------------------------------------------------------------

OneOrMore = Annotated[tuple[Item, ...], _LISTED, _one_or_more(TEXT)]
Keywords = Annotated[
    tuple[Annotated[Text, BeforeValidator(validators.to_keyword)], ...],
    _LISTED,
    _one_or_more(TEXT | {"type": ["string", "number"]}),
]
StartPatterns = OneOrMore[StartPattern]
UrlPatterns = OneOrMore[UrlPattern]
Notify = OneOrMore[Annotated[str, BeforeValidator(validators.check_notify)]]
Names = OneOrMore[TaskName]
Directives = Annotated[
    tuple[Annotated[str, AfterValidator(validators.one_of(SKIPPABLE, "directive"))], ...],
    _LISTED,
    _one_or_more({"type": "string", "enum": [*SKIPPABLE]}),
]
Headers = Annotated[dict[str, str], AfterValidator(validators.check_headers)]
Cookies = Annotated[dict[str, str] | None, AfterValidator(validators.check_cookies)]
Scrapy = Annotated[dict[str, Any], AfterValidator(check_scrapy)]
AllowedHosts = OneOrMore[Annotated[str, AfterValidator(validators.to_allowed_host)]]
