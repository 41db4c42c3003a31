"""What a task list may say, as frozen models. A key's description here is what an editor shows and the schema holds."""

import hashlib
import ipaddress
import json
import re
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from crawler.patterns.pattern import Pattern, PatternError
from crawler.task_list.ages import Age, Revisit
from crawler.task_list.environment import check_variables
from crawler.task_list.mistakes import BadValueError, TaskError, nearest, show, suggest
from crawler.task_list.periods import Period
from extractors.html.urls import split_web
from extractors.registry import METHODS as KNOWN_METHODS
from workers.usage_rights import SKIPPABLE

METHODS = tuple(KNOWN_METHODS)
OUTPUT_SUFFIXES = (".jsonl", ".ndjson", ".db", ".sqlite", ".sqlite3")
OUTPUT_SCHEMES = ("sqlite",)
DEFAULTS_EXAMPLE = "http://section.invalid/"  # stands for the example while `defaults:` are checked on their own
NEAR_DUPLICATES = ("mark", "drop", "keep")
PRODUCT = "Exemplar"
DEFAULT_DELAY = 1.0  # seconds between two requests to one host
_TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"  # RFC 9110, section 5.6.2


def as_list(value: object) -> object:
    """Return one value as a list of one, and a list as the tuple that strict pydantic wants."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _url(value: object) -> object:
    if not isinstance(value, str):
        return value
    if found := re.search(r"\s", value):
        raise BadValueError("white space in a URL", "delete it", offset=found.start())
    if found := re.search(r"[{}]", value):
        raise BadValueError("a pattern, not the URL of one page", "copy it from the browser", offset=found.start())
    if split_web(value) is None:
        hint = f"write http://{value}" if re.match(r"[\w-]+\.[\w.-]+(/|$)", value) else "copy it from the browser"
        raise BadValueError(f"{show(value)} is no http(s) URL", hint)
    return value


def _pattern(value: object, info: ValidationInfo) -> Pattern:
    if isinstance(value, Pattern):
        return value
    if not isinstance(value, str):
        raise BadValueError(f"wants text, not {show(value)}", "write a URL pattern")
    # The example is missing here if it is itself a mistake, or while `defaults:` are checked.
    return Pattern.parse(value, info.data.get("example", DEFAULTS_EXAMPLE))


def _start(value: object, info: ValidationInfo) -> Pattern:
    pattern = _pattern(value, info)
    if not pattern.enumerable:
        hint = "a start page is a URL, perhaps with {date:…} or {n:1..5}; \\* and \\[ stand for the characters"
        raise BadValueError("a start page must be one that can be written out", hint)
    return pattern


def _day(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise BadValueError(f"{show(value)} is no day", "write it as 2024-12-31") from None


def _keyword(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _output(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not value.strip():
        raise BadValueError("empty", "write out/{task}.jsonl")
    check_variables(value)
    bare = re.sub(r"\$\{[^}]*\}", "", value)
    for found in re.finditer(r"\{([^{}]*)\}|[{}]", bare):
        if found[0] != "{task}":
            raise BadValueError(f"unknown placeholder {found[0]}", "did you mean {task}?", offset=value.find(found[0]))
    # `${PG_DSN}` may be anything; it is looked at where it is used.
    if not re.search(r"\$\{[^}]*\}$", value):
        _check_kind(value)
    return value


def check_output(output: str) -> None:
    """Raise `BadValueError` unless `output` is something that articles can be written to."""
    _output(output)


def _check_kind(output: str) -> None:
    scheme, mark, rest = output.partition(":")
    supported = f"use a path that ends in {', '.join(OUTPUT_SUFFIXES)}, or sqlite:///path"
    if mark and len(scheme) > 1 and scheme.isalnum():
        if scheme not in OUTPUT_SCHEMES:
            raise BadValueError(f"unknown kind of output {scheme}:", supported)
        if len(rest.strip("/")) == 0 or not rest.startswith("///"):
            raise BadValueError("no path after sqlite:", "write sqlite:///articles.db")
        return
    suffix = PurePath(output).suffix.lower()
    if suffix not in OUTPUT_SUFFIXES:
        near = nearest(suffix, OUTPUT_SUFFIXES) if suffix else None
        what = f"unknown kind of output {suffix}" if suffix else "the output has no kind"
        raise BadValueError(what, f"did you mean {near}?" if near else supported)


def _render(value: object) -> object:
    if not isinstance(value, bool) and value != "auto":
        raise BadValueError(f"{show(value)} is neither true, false nor auto", "write render: true")
    return value


def _near(value: object) -> object:
    if value not in NEAR_DUPLICATES:
        raise BadValueError(
            f"{show(value)} is none of {', '.join(NEAR_DUPLICATES)}", suggest(str(value), NEAR_DUPLICATES)
        )
    return value


def _secret(value: object) -> object:
    """Text that no message shows."""
    if not isinstance(value, str) or not value:
        raise BadValueError("wants text", "put it in quotes, or write ${NAME}")
    check_variables(value)
    return value


def _login(value: object) -> object:
    if isinstance(value, dict) and not {"user", "password"} <= value.keys():
        raise BadValueError("needs user and password", "write {user: reader, password: ${READER_PASSWORD}}")
    return value


def _proxy(value: object) -> object:
    if not isinstance(value, str):
        return value
    check_variables(value)
    bare = re.sub(r"\$\{[^}]*\}", "x", value)
    try:
        parts = urlsplit(bare)
        usable = parts.scheme == "http" and bool(parts.hostname) and parts.path in ("", "/") and parts.port != 0
    except ValueError:
        usable = False
    if not usable and not re.fullmatch(r"\$\{[^}]*\}(:.*)?", value):
        raise BadValueError("no proxy that can be used", "write http://host:3128 or http://user:${PASSWORD}@host:3128")
    return value


def _filter(value: object) -> object:
    return {"keywords": value} if isinstance(value, str | list | tuple | int) else value


def _one_or_more(item: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item}]})


_TEXT = {"type": "string", "minLength": 1}
_AS_TEXT = PlainSerializer(str, return_type=str)
_OPTIONAL_TEXT = PlainSerializer(lambda value: str(value) if value else None, return_type=str | None)
UrlPattern = Annotated[Pattern, BeforeValidator(_pattern), _AS_TEXT, WithJsonSchema(_TEXT)]
StartPattern = Annotated[Pattern, BeforeValidator(_start), _AS_TEXT]
Day = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]
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
                        "zone": {"type": "string", "description": "IANA time zone; UTC if left out."},
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


Render = Annotated[bool | Literal["auto"], BeforeValidator(_render), WithJsonSchema({"enum": [True, False, "auto"]})]
Forget = Annotated[Age | None, BeforeValidator(Age.parse), _OPTIONAL_TEXT, WithJsonSchema({"type": ["string", "null"]})]
Visits = Annotated[
    Revisit | None, BeforeValidator(Revisit.parse), _OPTIONAL_TEXT, WithJsonSchema({"type": ["string", "null"]})
]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)


class Filter(_Frozen):
    """Words and days that articles are kept or dropped by. Days are inclusive; what is left out asks for nothing."""

    keywords: Annotated[
        tuple[Annotated[str, BeforeValidator(_keyword), Field(min_length=1)], ...],
        BeforeValidator(as_list),
        _one_or_more(_TEXT),
    ] = Field(default=(), description="Words in title or text; one is enough.", examples=[["央行", "利率"]])
    since: Day | None = Field(default=None, description="First day of publication.", examples=["2024-01-01"])
    until: Day | None = Field(default=None, description="Last day of publication.", examples=["2024-12-31"])

    @field_validator("until")
    @classmethod
    def _in_order(cls, until: date | None, info: ValidationInfo) -> date | None:
        since = info.data.get("since")
        if since and until and until < since:
            raise BadValueError(f"until {until} is before since {since}", "swap the two")
        return until

    def __bool__(self) -> bool:
        return bool(self.keywords or self.since or self.until)


Words = Annotated[Filter, BeforeValidator(_filter)]


class Login(_Frozen):
    """User and password of HTTP authentication; both may hold `${VARIABLES}`."""

    user: Annotated[str, BeforeValidator(_secret), WithJsonSchema(_TEXT)] = Field(
        description="User name.", examples=["reader"]
    )
    password: Annotated[str, BeforeValidator(_secret), WithJsonSchema(_TEXT)] = Field(
        repr=False, description="Password; ${NAME} takes it from the environment.", examples=["${READER_PASSWORD}"]
    )


class Task(_Frozen):
    """One section of a site: an example article, the URLs of its siblings, how often to look and where to write.

    `output` and `headers` may hold `${VARIABLES}`; `expand` fills them in where they are used.
    """

    name: str
    example: Annotated[str, BeforeValidator(_url)] = Field(
        description="URL of one typical article of the section.",
        examples=["https://news.example/a/2024/0312/345.html"],
    )
    pattern: UrlPattern = Field(
        description="Pattern of the articles' URLs; the example must fit it. {date:%Y-%m-%d}, {id}, {slug}, {n:1..50}, "
        "* within a path segment, ** across segments, […] optional, re: for a regular expression.",
        examples=["https://news.example/a/{date:%Y/%m%d}/{id}.html", "/a/{slug}/{id}.html"],
    )
    every: Every = Field(
        description="How often to look: 30m, 2h, 1d, a cron line with time zone, or auto: as often as the section "
        "publishes, between 10m and 1d or bounds of your own (auto 15m..12h).",
        examples=["1h", "auto", "auto 15m..12h", "0 8 * * 1-5 Asia/Shanghai"],
    )
    output: Annotated[
        tuple[Annotated[str, BeforeValidator(_output)], ...],
        BeforeValidator(as_list),
        Field(min_length=1),
        _one_or_more(_TEXT),
    ] = Field(
        description="Where articles go: a path that ends in .jsonl, .db or .sqlite, or sqlite:///path; or a list. "
        "Relative to this file; {task} is the task's name, ${NAME} an environment variable.",
        examples=["out/{task}.jsonl", ["out/{task}.jsonl", "articles.db"]],
    )
    start: Annotated[tuple[StartPattern, ...], BeforeValidator(as_list), _one_or_more(_TEXT)] = Field(
        default=(),
        description="The section's list pages, feeds or sitemaps, where they can't be derived from the pattern. "
        "May hold {date:…} and {n:1..5}.",
        examples=["https://news.example/a/", ["/a/", "/b/list_{n:1..3}.html"]],
    )
    follow: Annotated[tuple[UrlPattern, ...], BeforeValidator(as_list), _one_or_more(_TEXT)] = Field(
        default=(), description="Patterns of further list pages to read.", examples=["/a/*/list_{id}.html"]
    )
    depth: int = Field(
        default=3, ge=0, le=20, description="How many hops from the start pages list pages are followed.", examples=[3]
    )
    limit: int | None = Field(
        default=2000, gt=0, description="At most so many articles in the first run; null takes all.", examples=[2000]
    )
    method: str = Field(
        default="auto",
        description="How the article is cut out. list-rank takes every page for a list and writes a row an entry; "
        "i-awce tells articles from lists.",
        examples=["auto"],
        json_schema_extra={"enum": [*METHODS]},
    )
    paused: bool = Field(default=False, description="true: the task is not run.", examples=[True])
    keep: Words = Field(
        default=Filter(),
        description="Keep only articles with these words or of these days.",
        examples=[["央行", "利率"], {"since": "2024-01-01"}],
    )
    drop: Words = Field(
        default=Filter(),
        description="Drop articles with these words or of these days.",
        examples=[["广告"], {"until": "2023-12-31"}],
    )
    near_duplicates: Annotated[Literal["mark", "drop", "keep"], BeforeValidator(_near)] = Field(
        default="mark",
        description="What becomes of an article that says almost the same as an earlier one of the task: it is written "
        "with the earlier one's URL (mark), not written (drop), or not looked for (keep).",
        examples=["drop"],
    )
    revisit: Visits = Field(
        default=None,
        description="Look at young articles again, and write a new version when the text has changed. With list-rank "
        "and i-awce: read a list page again as long as it had a new entry within that time.",
        examples=["1d for 3d"],
    )
    forget: Forget = Field(
        default=None,
        description="Forget URLs that were first seen so long ago; one that is listed still is fetched again.",
        examples=["180d"],
    )
    delay: float = Field(
        default=DEFAULT_DELAY,
        ge=0,
        allow_inf_nan=False,
        description="Seconds between two requests to a host.",
        examples=[1.0],
    )
    timeout: float = Field(
        default=30, gt=0, le=3600, allow_inf_nan=False, description="Seconds per request.", examples=[30]
    )
    retries: int = Field(
        default=3, ge=0, le=100, description="How often a failure in passing is tried again.", examples=[3]
    )
    robots: bool = Field(default=True, description="Obey robots.txt.", examples=[True])
    render: Render = Field(
        default="auto",
        description="Render the articles in a browser (Chromium): true, false, or auto: if the example is an empty "
        "shell without JavaScript.",
        examples=["auto", True],
    )
    skip: Annotated[
        tuple[str, ...],
        BeforeValidator(as_list),
        _one_or_more({"type": "string", "enum": [*SKIPPABLE]}),
    ] = Field(
        default=(),
        description="Leave out pages of which the site says this: robots directives (X-Robots-Tag, meta robots) and "
        "tdm-reservation (header, meta, tdmrep.json).",
        examples=[["noindex", "noai", "tdm-reservation"]],
    )
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="Further request headers; values may hold ${NAME}.",
        examples=[{"Accept-Language": "zh-CN"}],
    )
    cookies: dict[str, str] | None = Field(
        default=None,
        repr=False,
        description="Cookies for the example's host; values may hold ${NAME}. With this key, even as {}, cookies that "
        "sites set are kept during a run.",
        examples=[{"consent": "yes"}, {}],
    )
    auth: Annotated[Login | None, BeforeValidator(_login)] = Field(
        default=None,
        description="HTTP authentication (Basic), sent to the example's host only.",
        examples=[{"user": "reader", "password": "${READER_PASSWORD}"}],
    )
    proxy: Annotated[str, BeforeValidator(_proxy), WithJsonSchema(_TEXT)] | None = Field(
        default=None,
        repr=False,
        description="Proxy for all requests of the task, http://host:port; may hold ${NAME}.",
        examples=["http://reader:${PROXY_PASSWORD}@proxy.example:3128"],
    )
    concurrency: int = Field(
        default=16, ge=1, le=256, description="Articles in flight at most; the host's pace still holds.", examples=[4]
    )

    @field_validator("name")
    @classmethod
    def _is_name(cls, name: str) -> str:
        check_name(name)
        return name

    @field_validator("pattern")
    @classmethod
    def _fits_example(cls, pattern: Pattern, info: ValidationInfo) -> Pattern:
        example = info.data.get("example")
        if example and example != DEFAULTS_EXAMPLE and (difference := pattern.difference(example)):
            raise BadValueError("doesn't match the example", difference)
        return pattern

    @field_validator("method")
    @classmethod
    def _is_method(cls, method: str) -> str:
        if method not in METHODS:
            raise BadValueError(f"unknown method {method!r}", suggest(method, METHODS))
        return method

    @field_validator("skip")
    @classmethod
    def _are_directives(cls, skip: tuple[str, ...]) -> tuple[str, ...]:
        for name in skip:
            if name not in SKIPPABLE:
                raise BadValueError(f"unknown directive {show(name)}", suggest(name, SKIPPABLE))
        return skip

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if not re.fullmatch(_TOKEN, name):
                raise BadValueError(f"{show(name)} is no header's name", "write Accept-Language", inner=(name,))
            if re.search(r"[\r\n\0]", value):
                raise BadValueError("a header's value is one line", "join the lines", inner=(name,))
            check_variables(value)
        return headers

    @field_validator("cookies")
    @classmethod
    def _are_cookies(cls, cookies: dict[str, str] | None) -> dict[str, str] | None:
        for name, value in (cookies or {}).items():
            if not re.fullmatch(_TOKEN, name):
                raise BadValueError(f"{show(name)} is no cookie's name", "copy it from the browser", inner=(name,))
            if re.search(r"[\r\n\0;]", re.sub(r"\$\{[^}]*\}", "", value)):
                raise BadValueError("a cookie's value is one line without ;", "write each as a key", inner=(name,))
            check_variables(value)
        return cookies

    @property
    def fingerprint(self) -> str:
        """16 hex digits over what decides which pages are taken and what is written of them.

        When and how politely (every, paused, delay, timeout, retries, limit …) don't count.
        """
        chosen = {"example", "pattern", "start", "follow", "depth", "method", "keep", "drop", "skip", "output"}
        chosen |= {"near_duplicates", "revisit", "render"}
        return _digest(self.model_dump(mode="json", include=chosen))

    def start_urls(self, today: date, days: int = 7) -> list[str]:
        """Return the start pages written out; `{date:…}` for the last `days` days, newest first."""
        since = today - timedelta(days=days - 1)
        return list(dict.fromkeys(url for start in self.start for url in start.enumerate(since, today)))

    def outputs(self) -> tuple[str, ...]:
        """Return the outputs with `{task}` filled in and `${VARIABLES}` as they are."""
        return tuple(each.replace("{task}", self.name) for each in self.output)


def _contact(value: object) -> object:
    if not isinstance(value, str):
        return value
    mail = re.fullmatch(r"(?:mailto:)?[^@\s:/]+@[^@\s/]+\.[^@\s/]+", value)
    if not mail and (split_web(value) is None or re.search(r"\s", value)):
        hint = "write https://example.org/our-crawler or crawler@example.org"
        raise BadValueError(f"{show(value)} is neither a URL nor an e-mail address", hint)
    return value


def _allowed_host(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = value.strip().lower()
    try:
        return str(ipaddress.ip_network(text)) if "/" in text else _host_with_port(text)
    except ValueError as error:
        hint = "write 127.0.0.1, host.example, host.example:8080 or 10.0.0.0/8"
        raise BadValueError(f"{show(value)} is no host: {error}", hint) from None


def _host_with_port(text: str) -> str:
    if text.count(":") > 1 and not text.startswith("["):
        return str(ipaddress.ip_address(text))
    found = re.fullmatch(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::([0-9]{1,5}))?", text)
    if not found or (found[2] and not 0 < int(found[2]) < 65536):
        raise ValueError("not a name, an address or a range")
    if found[1].startswith("["):
        ipaddress.IPv6Address(found[1][1:-1])
    return text


class Settings(_Frozen):
    """What holds for all tasks of the file."""

    contact: Annotated[str, BeforeValidator(_contact)] | None = Field(
        default=None,
        description="URL or e-mail address for site owners; goes into the User-Agent, required for public hosts.",
        examples=["https://example.org/our-crawler"],
    )
    allow_hosts: Annotated[
        tuple[Annotated[str, BeforeValidator(_allowed_host)], ...], BeforeValidator(as_list), _one_or_more(_TEXT)
    ] = Field(
        default=(),
        description="Private hosts, host:port or networks that may be contacted.",
        examples=[["127.0.0.1", "10.0.0.0/8"]],
    )
    delay: float = Field(
        default=DEFAULT_DELAY,
        ge=0,
        allow_inf_nan=False,
        description="Seconds between two requests to a host, for tasks that name none.",
        examples=[1.0],
    )
    per_address: bool = Field(
        default=False,
        description="Hosts on one IP address share one pace.",
        examples=[True],
    )
    user_agent: str = Field(
        default=PRODUCT,
        pattern=f"^{_TOKEN}(/{_TOKEN})?$",
        description="Product name in the User-Agent and in robots.txt.",
        examples=[PRODUCT],
    )


class TaskFile(_Frozen):
    """A task list: tasks by name in the order of the file, with `defaults:` filled in.

    `folder` is where relative outputs begin. It isn't published: the same list in another folder is the same list.
    """

    tasks: dict[str, Task]
    settings: Settings = Settings()
    folder: Path = Field(default=Path(), exclude=True)

    def __getitem__(self, name: str) -> Task:
        """Return the task called `name`. Raises `TaskError` that names the nearest one."""
        if name in self.tasks:
            return self.tasks[name]
        raise TaskError(f"no task {name!r}; {suggest(name, [*self.tasks]) if self.tasks else 'the list is empty'}")

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the whole list."""
        return _digest(self.model_dump(mode="json"))

    def to_json(self) -> str:
        """Return the list as JSON, `${VARIABLES}` unexpanded; equal lists give equal text."""
        tasks = {name: task.model_dump(mode="json", exclude={"name"}) for name, task in self.tasks.items()}
        return _json({"settings": self.settings.model_dump(mode="json"), "tasks": tasks})

    @classmethod
    def from_json(cls, text: str | bytes, folder: Path | None = None) -> "TaskFile":
        """Return the list that `to_json` wrote. Raises `TaskError` if `text` isn't one."""
        try:
            raw = json.loads(text)
            tasks = {name: Task.model_validate({"name": name, **task}) for name, task in raw["tasks"].items()}
            return cls(tasks=tasks, settings=Settings.model_validate(raw["settings"]), folder=folder or Path())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TaskError(f"not a published task list: {error}") from None


def check_name(name: str) -> None:
    """Raise `BadValueError` unless `name` can be a task's name (it is also a file's name and a Redis key)."""
    if len(name) > 100:
        raise BadValueError("the name is longer than 100 characters", "shorten it")
    if name.startswith("."):
        raise BadValueError("a task's name can't start with a dot", f"write {name.lstrip('.') or 'news'}")
    if not re.fullmatch(r"[\w.-]+", name):
        plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "news"
        raise BadValueError("a task's name has only letters, digits, - _ and .", f"write {plain}")


def _digest(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(_json(value).encode()).hexdigest()[:16]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


__all__ = ["METHODS", "Filter", "PatternError", "Settings", "Task", "TaskFile", "check_name"]
