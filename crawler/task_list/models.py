"""The models of a task list, frozen. The text below a key is its description in the schema, which editors show."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, Field, ValidationInfo, field_validator

from crawler.patterns.pattern import Pattern
from crawler.task_list import fields
from crawler.task_list.fields import FrozenModel
from crawler.task_list.mistakes import BadValueError, TaskError, unknown_task
from crawler.task_list.outputs import Outputs
from crawler.task_list.validators import DEFAULTS_EXAMPLE, METHODS, TOKEN, to_filter
from workers.backpressure import DEFAULT_MARKS, MEGABYTE, Marks
from workers.extraction_config import PAGES_FOLDER
from workers.sinks.options import OutputOptions
from workers.sinks.picture_folder import folder_beside

PRODUCT = "Exemplar"
DEFAULT_DELAY = 1.0  # seconds between two requests to one host


class Filter(FrozenModel):
    """The words and days by which articles are kept or dropped.

    Days are inclusive; a missing key means no condition.
    """

    keywords: fields.Keywords = Field(default=(), examples=[["央行", "利率"]])
    """Words in title or text; one is enough."""
    since: fields.Day | None = Field(default=None, examples=["2024-01-01"])
    """First day of publication."""
    until: fields.Day | None = Field(default=None, examples=["2024-12-31"])
    """Last day of publication."""

    @field_validator("until")
    @classmethod
    def _in_order(cls, until: date | None, info: ValidationInfo) -> date | None:
        since = info.data.get("since")
        if since and until and until < since:
            raise BadValueError(f"until {until} is before since {since}", "swap the two")
        return until


Words = Annotated[Filter, BeforeValidator(to_filter, json_schema_input_type=fields.Text | list[fields.Text] | Filter)]


class Login(FrozenModel):
    """User and password of HTTP authentication; both may contain `${VARIABLES}`."""

    user: fields.Secret = Field(examples=["reader"])
    """User name."""
    password: fields.Secret = Field(repr=False, examples=["${READER_PASSWORD}"])
    """Password; ${NAME} is an environment variable."""


class Task(FrozenModel):
    """One section of a site: an example page, the pattern of its siblings' URLs, a period and outputs.

    `output` and `headers` may contain `${VARIABLES}`; `expand` replaces them where they are used.
    """

    name: fields.TaskName
    example: fields.Url = Field(examples=["https://news.example/a/2024/0312/345.html"])
    """URL of one typical article of the section."""
    pattern: fields.UrlPattern = Field(
        examples=["https://news.example/a/{date:%Y/%m%d}/{id}.html", "/a/{slug}/{id}.html"]
    )
    """Pattern of the articles' URLs; the example must match it. {date:%Y-%m-%d}, {id}, {slug}, {n:1..50}, * within a
    path segment, ** across segments, […] optional, re: for a regular expression."""
    every: fields.Every = Field(examples=["1h", "auto", "auto 15m..12h", "0 8 * * 1-5 Asia/Shanghai"])
    """How often to run: 30m, 2h, 1d, a cron line with time zone, or auto: as often as the section publishes, between
    10m and 1d or bounds of your own (auto 15m..12h)."""
    output: Outputs = Field(
        examples=[
            "out/{task}.jsonl",
            ["out/{task}.jsonl", "articles.db"],
            {"to": "zh.jsonl", "fields": ["url", {"body": "text"}], "where": {"language": "zh"}},
        ]
    )
    """Where rows are written: a path whose suffix gives the kind (.jsonl, .db …), an address such as sqlite:///path, a
    map of `to` and options, or a list of these. Paths are relative to this file; {task} is the task's name, ${NAME} an
    environment variable."""
    start: fields.StartPatterns = Field(
        default=(), examples=["https://news.example/a/", ["/a/", "/b/list_{n:1..3}.html"]]
    )
    """The section's list pages, feeds or sitemaps, if they cannot be derived from the pattern. May contain {date:…} and
    {n:1..5}."""
    follow: fields.UrlPatterns = Field(default=(), examples=["/a/*/list_{id}.html"])
    """Patterns of further list pages to read."""
    depth: int = Field(default=3, ge=0, le=20, examples=[3])
    """How many hops from the start pages further list pages are followed."""
    limit: int | None = Field(default=2000, gt=0, examples=[2000])
    """Largest number of articles in the first run; null: all."""
    method: fields.Method = Field(default="auto", examples=["auto"], json_schema_extra={"enum": [*METHODS]})
    """Method of extraction. list-rank treats every page as a list and writes a row for each entry; i-awce distinguishes
    articles from lists."""
    articles: bool = Field(default=False, examples=[True])
    """true: pages that match the pattern are articles, even if they look like lists (`exemplar add --article`). Error
    pages and checks of visitors are still rejected."""
    rows: Literal["articles", "posts"] = Field(default="articles", examples=["posts"])
    """What gives a row: articles, or posts, the posts of threads (forums, questions and answers, comments), each once.
    With revisit a thread is read again as long as it has new posts."""
    paused: bool = Field(default=False, examples=[True])
    """true: the task is not run."""
    keep: Words = Field(default_factory=Filter, examples=[["央行", "利率"], {"since": "2024-01-01"}])
    """Keep only articles with these words or of these days."""
    drop: Words = Field(default_factory=Filter, examples=[["广告"], {"until": "2023-12-31"}])
    """Drop articles with these words or of these days."""
    near_duplicates: Literal["mark", "drop", "keep"] = Field(default="mark", examples=["drop"])
    """An article whose text is almost that of an earlier one of the task: mark writes it with the URL of the earlier
    one, drop does not write it, keep skips the check."""
    redesign: Literal["propose", "adopt", "ignore"] = Field(default="propose", examples=["adopt"])
    """After a redesign of the site a new example is found among the section's pages: propose shows it (`exemplar
    proposals`), adopt replaces the example with it if a back-test shows no loss, ignore does not search for one."""
    revisit: fields.Visits = Field(default=None, examples=["1d for 3d"])
    """Check recent articles again, and write a new version if the text has changed. With list-rank and i-awce a
    list page, and with rows: posts a thread, is read again as long as it had a new entry or post within that time."""
    forget: fields.Forget = Field(default=None, examples=["180d"])
    """Forget URLs this long after they were first seen; those that are still listed are fetched again."""
    keep_pages: fields.KeepPages = Field(default=None, examples=["30d"])
    """Keep the fetched pages for this time, compressed, so that `exemplar re-extract` can extract them again without a
    request; null: they are not kept."""
    pictures: Literal["keep"] | None = Field(default=None, examples=["keep"])
    """keep: fetch the pictures of articles into the folder pictures/ beside each output of files or objects that has
    their html or markdown, which then show these files; null: they show the addresses of the site."""
    delay: float = Field(default=DEFAULT_DELAY, ge=0, allow_inf_nan=False, examples=[1.0])
    """Seconds between two requests to a host."""
    timeout: float = Field(default=30, gt=0, le=3600, allow_inf_nan=False, examples=[30])
    """Seconds per request."""
    retries: int = Field(default=3, ge=0, le=100, examples=[3])
    """How often a URL is tried again after temporary failures."""
    robots: bool = Field(default=True, examples=[True])
    """Obey robots.txt."""
    render: fields.Render = Field(default="auto", examples=["auto", True])
    """Render the articles in a browser (Chromium): true, false, or auto: if the example is an empty shell without
    JavaScript."""
    skip: fields.Directives = Field(default=(), examples=[["noindex", "noai", "tdm-reservation"]])
    """Reject pages on which the site declares any of these: robots directives (X-Robots-Tag, meta robots) and
    tdm-reservation (header, meta, tdmrep.json)."""
    headers: fields.Headers = Field(default_factory=dict, examples=[{"Accept-Language": "zh-CN"}])
    """Additional request headers; values may contain ${NAME}."""
    cookies: fields.Cookies = Field(default=None, repr=False, examples=[{"consent": "yes"}, {}])
    """Cookies for the example's host; values may contain ${NAME}. With this key, even as {}, cookies that sites set are
    kept during a run."""
    auth: Login | None = Field(default=None, examples=[{"user": "reader", "password": "${READER_PASSWORD}"}])
    """HTTP authentication (Basic), sent to the example's host only."""
    proxy: fields.Proxy | None = Field(
        default=None, repr=False, examples=["http://reader:${PROXY_PASSWORD}@proxy.example:3128"]
    )
    """Proxy for all requests of the task, http://host:port; may contain ${NAME}."""
    notify: fields.Notify = Field(
        default=(), repr=False, examples=["${NOTIFY_URL}", ["tgram://${BOT_TOKEN}/${CHAT_ID}"]]
    )
    """Addresses to which notices of alarms are sent, in the notation of the library apprise, such as mailto:// or
    tgram://; ${NAME} is an environment variable."""
    formerly: fields.Names = Field(default=(), examples=[["kuaibao"]])
    """Former names of the task, which rows written under them keep; written by `exemplar rename`."""
    concurrency: int = Field(default=16, ge=1, le=256, examples=[4])
    """Largest number of articles in flight; the host's pace still applies."""

    @field_validator("pattern")
    @classmethod
    def _fits_example(cls, pattern: Pattern, info: ValidationInfo) -> Pattern:
        example = info.data.get("example")
        if example and example != DEFAULTS_EXAMPLE and (difference := pattern.difference(example)):
            raise BadValueError("does not match the example", difference)
        return pattern

    @field_validator("pictures")
    @classmethod
    def _are_beside_an_output(cls, pictures: str | None, info: ValidationInfo) -> str | None:
        outputs = info.data.get("output")
        if pictures and outputs and not any(folder_beside(output.to, output.options) for output in outputs):
            raise BadValueError(
                "no output can show kept pictures",
                "add a Markdown output, such as articles/{task}/{title}.md, or html to the fields of a file or store",
            )
        return pictures

    @property
    def accepts_lists(self) -> bool:
        """Whether pages that look like lists are extracted nevertheless, as threads often do."""
        return self.articles or self.rows == "posts"

    def day_at(self, moment: datetime) -> date:
        """Return the newest day of generated URLs: the present one in the zone of `every`, in UTC without one."""
        return moment.astimezone(ZoneInfo(self.every.zone)).date()

    def start_urls(self, today: date, days: int = 7) -> list[str]:
        """Return the URLs of the start pages; `{date:…}` gives one for each of the last `days` days, newest first."""
        since = today - timedelta(days=days - 1)
        return list(dict.fromkeys(url for start in self.start for url in start.enumerate(since, today)))

    def outputs(self) -> tuple[str, ...]:
        """Return the outputs with `{task}` replaced and `${VARIABLES}` unexpanded."""
        return tuple(output.to.replace("{task}", self.name) for output in self.output)

    def output_options(self) -> dict[str, OutputOptions]:
        """Return the options of the outputs that have any, by the output as in `outputs`."""
        named = list(zip(self.outputs(), self.output, strict=True))
        options = {name: output.options for name, output in named if output.has_options}
        for name, output in named if self.pictures else ():
            if beside := folder_beside(name, output.options):
                options[name] = replace(output.options, pictures=beside[1])
        return options


class PressureMarks(FrozenModel):
    """The marks at which spiders pause until extraction workers have processed enough of the waiting pages."""

    task_pages: int = Field(default=DEFAULT_MARKS.task_pages, gt=0, examples=[DEFAULT_MARKS.task_pages])
    """Pages of one task that may wait for extraction."""
    task_megabytes: float = Field(
        default=DEFAULT_MARKS.task_bytes / MEGABYTE, gt=0, allow_inf_nan=False, examples=[256]
    )
    """Their size in Redis, compressed."""
    pages: int = Field(default=DEFAULT_MARKS.pages, gt=0, examples=[DEFAULT_MARKS.pages])
    """The same for all tasks together."""
    megabytes: float = Field(default=DEFAULT_MARKS.bytes / MEGABYTE, gt=0, allow_inf_nan=False, examples=[1000])
    """Their size in Redis, compressed."""
    memory: float = Field(default=DEFAULT_MARKS.memory, gt=0, le=0.95, examples=[DEFAULT_MARKS.memory])
    """Used share of Redis' maxmemory, or, if it is not set, of its machine's memory."""

    @property
    def marks(self) -> Marks:
        """Return the marks in the form for spiders."""
        task_bytes, all_bytes = int(self.task_megabytes * MEGABYTE), int(self.megabytes * MEGABYTE)
        return Marks(self.task_pages, task_bytes, self.pages, all_bytes, self.memory)


class Settings(FrozenModel):
    """Settings of all tasks of the file."""

    contact: fields.Contact | None = Field(default=None, examples=["https://example.org/our-crawler"])
    """URL or e-mail address for site owners; goes into the User-Agent, required for public hosts."""
    allow_hosts: fields.AllowedHosts = Field(default=(), examples=[["127.0.0.1", "10.0.0.0/8"]])
    """Private hosts, host:port or networks that may be contacted."""
    delay: float = Field(default=DEFAULT_DELAY, ge=0, allow_inf_nan=False, examples=[1.0])
    """Seconds between two requests to a host, for tasks without a delay of their own."""
    per_address: bool = Field(default=False, examples=[True])
    """Hosts on one IP address share one pace."""
    pressure: PressureMarks = Field(default=PressureMarks(), examples=[{"task_pages": 5000, "memory": 0.75}])
    """How much may wait for extraction until spiders pause."""
    pages: fields.PagesFolder = Field(default=PAGES_FOLDER, examples=[PAGES_FOLDER])
    """Folder of the kept pages, relative to this file; {task} is the task's name, ${NAME} an environment variable.
    Workers on several machines need a shared file system."""
    user_agent: str = Field(default=PRODUCT, pattern=f"^{TOKEN}(/{TOKEN})?$", examples=[PRODUCT])
    """Product name in the User-Agent and in robots.txt."""
    scrapy: fields.Scrapy = Field(
        default_factory=dict, repr=False, examples=[{"AUTOTHROTTLE_ENABLED": True, "HTTPCACHE_ENABLED": True}]
    )
    """Settings of Scrapy for all spiders: middlewares, extensions, HTTP cache, throttling …; values may contain
    ${NAME}."""

    @property
    def product(self) -> str:
        """Return the product name without a version."""
        return self.user_agent.split("/")[0]


class TaskFile(FrozenModel):
    """A task list: tasks by name in the order of the file, with `defaults:` applied.

    Relative outputs are relative to `folder`, which is not published: the same list in another folder is equal.
    """

    tasks: dict[str, Task]
    settings: Settings = Settings()
    folder: Path = Field(default=Path(), exclude=True)

    def __getitem__(self, name: str) -> Task:
        """Return the task called `name`. Raises `TaskError` with the nearest name."""
        if name not in self.tasks:
            raise unknown_task(name, [*self.tasks])
        return self.tasks[name]

    @property
    def fingerprint(self) -> str:
        """Return a hash of the whole list, 16 hex digits."""
        return _digest(self.model_dump(mode="json"))

    def published_form(self) -> tuple[str, dict[str, str]]:
        """Return the settings and each task as JSON, `${VARIABLES}` unexpanded; equal lists give equal texts."""
        return _sorted(self.settings), {name: _sorted(task, exclude={"name"}) for name, task in self.tasks.items()}

    @classmethod
    def of_published(cls, settings: str | bytes, tasks: Mapping[str, str | bytes]) -> "TaskFile":
        """Return the list of these JSON texts. Raises `TaskError` for other texts."""
        try:
            valid = {name: Task.model_validate({"name": name, **json.loads(text)}) for name, text in tasks.items()}
            return cls(tasks=valid, settings=Settings.model_validate_json(settings))
        except (ValueError, TypeError) as error:
            raise TaskError(f"not a published task list: {error}") from None


def _sorted(model: BaseModel, **more: Any) -> str:
    return json.dumps(model.model_dump(mode="json", **more), ensure_ascii=False, sort_keys=True)


def _digest(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
