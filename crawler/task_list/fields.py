"""The types of a task list's keys: how each value is read, checked, serialised as JSON and described in the schema."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, WithJsonSchema

from crawler.patterns.pattern import Pattern
from crawler.task_list import validators
from crawler.task_list.periods import Age, Period, Revisit
from crawler.task_list.scrapy_settings import check_scrapy
from workers.usage_rights import SKIPPABLE

_TEXT = {"type": "string", "minLength": 1}
_AS_TEXT = PlainSerializer(str, return_type=str)
_OPTIONAL_TEXT = PlainSerializer(lambda value: str(value) if value else None, return_type=str | None)
_LISTED = BeforeValidator(validators.to_tuple)


def _one_or_more(item: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item}]})


# -- one value --------------------------------------------------------------------------------------------------------

TaskName = Annotated[str, AfterValidator(validators.check_name)]
Url = Annotated[str, AfterValidator(validators.check_url)]
UrlPattern = Annotated[Pattern, BeforeValidator(validators.to_pattern), _AS_TEXT, WithJsonSchema(_TEXT)]
StartPattern = Annotated[Pattern, BeforeValidator(validators.to_start_pattern), _AS_TEXT]
Day = Annotated[date, BeforeValidator(validators.to_day), WithJsonSchema({"type": "string", "format": "date"})]
Every = Annotated[
    Period,
    BeforeValidator(Period.parse),
    _AS_TEXT,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "required": ["cron"],
                    "additionalProperties": False,
                    "properties": {
                        "cron": {"type": "string", "description": "Minute, hour, day, month, weekday."},
                        "zone": {"type": "string", "description": "IANA time zone; default: UTC."},
                    },
                },
                {
                    "type": "object",
                    "required": ["auto"],
                    "additionalProperties": False,
                    "properties": {
                        "auto": {
                            "type": "array",
                            "items": {"type": "string"},
                            "minItems": 2,
                            "maxItems": 2,
                            "description": "The shortest and the longest period.",
                        },
                    },
                },
            ]
        }
    ),
]
Method = Annotated[str, AfterValidator(validators.check_method)]
NearDuplicates = Literal["mark", "drop", "keep"]
Rows = Literal["articles", "posts"]
Redesign = Literal["propose", "adopt", "ignore"]
Visits = Annotated[
    Revisit | None, BeforeValidator(Revisit.parse), _OPTIONAL_TEXT, WithJsonSchema({"type": ["string", "null"]})
]
Forget = Annotated[Age | None, BeforeValidator(Age.parse), _OPTIONAL_TEXT, WithJsonSchema({"type": ["string", "null"]})]
KeepPages = Annotated[
    Age | None, BeforeValidator(Age.parse_kept), _OPTIONAL_TEXT, WithJsonSchema({"type": ["string", "null"]})
]
Pictures = Literal["keep"] | None
PagesFolder = Annotated[str, AfterValidator(validators.check_folder), WithJsonSchema(_TEXT)]
Render = Annotated[
    bool | Literal["auto"], BeforeValidator(validators.check_render), WithJsonSchema({"enum": [True, False, "auto"]})
]
Secret = Annotated[str, BeforeValidator(validators.check_secret), WithJsonSchema(_TEXT)]
Proxy = Annotated[str, AfterValidator(validators.check_proxy), WithJsonSchema(_TEXT)]
Contact = Annotated[str, AfterValidator(validators.check_contact)]

# -- several ----------------------------------------------------------------------------------------------------------

Keywords = Annotated[
    tuple[Annotated[str, BeforeValidator(validators.to_keyword), Field(min_length=1)], ...],
    _LISTED,
    _one_or_more(_TEXT),
]
StartPatterns = Annotated[tuple[StartPattern, ...], _LISTED, _one_or_more(_TEXT)]
UrlPatterns = Annotated[tuple[UrlPattern, ...], _LISTED, _one_or_more(_TEXT)]
Notify = Annotated[tuple[Annotated[str, BeforeValidator(validators.check_notify)], ...], _LISTED, _one_or_more(_TEXT)]
Names = Annotated[tuple[TaskName, ...], _LISTED, _one_or_more(_TEXT)]
Directives = Annotated[
    tuple[str, ...],
    _LISTED,
    AfterValidator(validators.check_directives),
    _one_or_more({"type": "string", "enum": [*SKIPPABLE]}),
]
Headers = Annotated[dict[str, str], AfterValidator(validators.check_headers)]
Cookies = Annotated[dict[str, str] | None, AfterValidator(validators.check_cookies)]
Scrapy = Annotated[dict[str, Any], AfterValidator(check_scrapy)]
AllowedHosts = Annotated[
    tuple[Annotated[str, AfterValidator(validators.to_allowed_host)], ...], _LISTED, _one_or_more(_TEXT)
]
