"""The types of the JSON API: one model for each object; the OpenAPI document is generated from them.

A model is read from the value of the console that has the same names, or is that value: the pages show some models,
too. In a model times are Unix seconds, in JSON they are in ISO 8601.
"""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from console.terminal import moment
from console.web.texts import Worded, translations, worded
from crawler.run.run_report import RunReport
from workers.health.alarms import AlarmKind


def _texts(reasons: tuple[Worded, ...]) -> list[str]:
    return [worded(reason, translations("en")) for reason in reasons]


def _day(value: date | str) -> date:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"{value!r} is not a day; write it as 2024-12-31") from None


MOST = 200  # tasks, articles or failures in one response
Time = Annotated[float, PlainSerializer(moment, str)]


class ApiObject(BaseModel):
    """An object of the API."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class ApiError(ApiObject):
    """The error of a request that failed."""

    error: str


class ApiPage(ApiObject):
    """The part of a list that a request asks for."""

    offset: int = Field(default=0, ge=0, lt=10**8, description="How many to leave out.")
    limit: int = Field(default=50, ge=1, le=MOST, description="How many to return.")

    @property
    def place(self) -> slice:
        """The part of the list."""
        return slice(self.offset, self.offset + self.limit)


class ApiPageOfTask(ApiPage):
    """The part of a list that a request asks for, of all tasks or of one."""

    task: str | None = Field(default=None, description="Only those of this task.")


class ArticleQuery(ApiObject):
    """A search. Days are inclusive, in UTC, of the time of fetching."""

    model_config = ConfigDict(populate_by_name=True)

    text: str = Field(
        default="", alias="q", max_length=500, description="Words, “phrases”, and -words that must not occur."
    )
    task: str = Field(default="", description="Only articles of this task.")
    language: str = Field(default="", description="Only articles in this language.")
    since: Annotated[date, BeforeValidator(_day)] | None = Field(
        default=None, description="First day of fetching, as 2026-11-22."
    )
    until: Annotated[date, BeforeValidator(_day)] | None = Field(default=None, description="Last day of fetching.")
    before: int | None = Field(
        default=None, ge=0, lt=10**18, description="Only articles before this id: `next` of the previous page."
    )
    limit: int = Field(default=50, ge=1, le=MOST, description="How many to return.")


class ApiRun(ApiObject):
    """One run of a task. Times in ISO 8601."""

    started: str
    ended: str
    outcome: str
    lists: int
    found: int
    new: int
    fetched: int
    rejected: int
    failed: int
    problems: list[str]
    remarks: list[str]

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, report: dict[str, Any]) -> dict[str, Any]:
        """Give a report the values that an earlier version did not store."""
        return RunReport("", "").to_dict() | report


class ApiTask(ApiObject):
    """One task. `counts`: URLs by state; `days`: articles found on each of the last days, oldest first."""

    name: str
    state: Literal["running", "due", "idle", "paused", "removed", "unpublished"]
    health: Literal["ok", "attention", "failing", "new", "paused"]
    reasons: Annotated[list[str], BeforeValidator(_texts)]
    every: str
    next_run: Time | None
    counts: dict[str, int]
    days: list[int]
    example: str
    pattern: str
    last_run: ApiRun | None


class ApiTasks(ApiObject):
    """A page of the tasks, by name; `total`: of all pages."""

    total: int
    tasks: list[ApiTask]


class ApiRuns(ApiObject):
    """The last runs of a task, newest first."""

    task: str
    runs: list[ApiRun]


class ApiArticle(ApiObject):
    """An article of the index."""

    id: int
    task: str
    url: str
    title: str
    published: Annotated[str, PlainSerializer(lambda text: text or None, str | None)]
    fetched_at: Time
    language: str
    confidence: float
    method: str


class ApiArticles(ApiObject):
    """A page of a search, newest first. `more_than`: there are more matches than `count`. `next`: for the next page."""

    count: int
    more_than: bool
    next: int | None
    articles: list[ApiArticle]


class ApiReason(ApiObject):
    """URLs with similar reasons."""

    reason: str
    key: str
    number: int
    urls: list[str]
    last: Time | None
    fate: str = Field(exclude=True)
    kept: frozenset[str] = Field(default=frozenset(), exclude=True)  # those whose page is in quarantine


class ApiFailures(ApiObject):
    """The failed pages and refused rows of a task, by reason."""

    task: str
    failed: int
    pages: list[ApiReason]
    rows: list[ApiReason]


class ApiFailureList(ApiObject):
    """The failures of the tasks that have any; `total`: how many tasks."""

    total: int
    tasks: list[ApiFailures]


class ApiAlarm(ApiObject):
    """An open alarm. `unproposed`: why no new example is proposed, if the template changed and that is known."""

    task: str
    kind: str
    state: str
    since: Time | None
    opened: Time | None
    last: Time | None
    count: int
    repeats: int
    evidence: str
    unproposed: str
    advice: str
    urls: list[str]


class ApiAlarms(ApiObject):
    """A page of the open alarms, by task; `total`: of all pages."""

    total: int
    alarms: list[ApiAlarm]


class ApiProposal(ApiObject):
    """A proposed example and the figures of its back-test.

    `former`: the example that it would replace; `since`: when the first page of the new template came in; `low`: how
    many pages are off the template since; `cluster`: how many of those have the new one; `problem`: why it is not
    adopted without a person. `counts`: tested pages by kind; `fits_old`, `fits_new`: how many each example fits.
    """

    task: str
    url: str
    title: str
    former: str
    state: Literal["proposed", "adopted", "dismissed"]
    at: Time | None
    since: Time | None
    low: int
    cluster: int
    confidence: float
    problem: str
    counts: dict[str, int]
    text_f1: float
    fits_old: int
    fits_new: int


class ApiProposals(ApiObject):
    """A page of the proposals that wait for a decision, newest first; `total`: of all pages."""

    total: int
    proposals: list[ApiProposal]


class ApiComparedPage(ApiObject):
    """A page of a back-test: its fields by the present example and by the proposed one."""

    url: str
    kind: Literal["same", "changed", "lost", "gained", "none"]
    f1: float
    differing: list[str]
    old: dict[str, Any]
    new: dict[str, Any]


class ApiTaskProposal(ApiObject):
    """The newest proposal of a task with the pages of its back-test. `unproposed`: why there is none, if known."""

    task: str
    proposal: ApiProposal | None
    pages: list[ApiComparedPage]
    unproposed: str


class ApiDone(ApiObject):
    """The result of an action."""

    ok: bool
    text: str


class ApiAction(ApiObject):
    """The body of a request that changes something: a misspelt field is refused: without it more would change."""

    model_config = ConfigDict(extra="forbid")


class ApiTaskAction(ApiAction):
    """An action on a task."""

    do: Literal["run", "pause", "resume"]


class ApiAlarmAction(ApiAction):
    """Dismiss an open alarm: what it shows is usual from now on."""

    task: str
    kind: AlarmKind
    do: Literal["dismiss"]


class ApiProposalAction(ApiAction):
    """What to do with the proposed example. `url`: of the proposed page; another one is not decided on."""

    do: Literal["adopt", "dismiss"]
    url: str


class ApiFailureAction(ApiAction):
    """An action on failures of a task: on all, on one group (`key`), or on one URL."""

    task: str
    do: Literal["retry", "drop"]
    what: Literal["pages", "rows"] = "pages"
    key: str | None = None
    url: str | None = None


class ApiNewTask(ApiAction):
    """A task to add: its name, and its keys as in tasks.yaml."""

    name: str
    keys: dict[str, Any] = Field(default_factory=dict)
