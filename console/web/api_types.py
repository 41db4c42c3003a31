"""The types of the JSON API: one dataclass for each object; the OpenAPI document is generated from them."""

from dataclasses import dataclass, field
from typing import Any, Literal

from workers.health.alarms import AlarmKind


@dataclass(frozen=True, slots=True)
class ApiError:
    """The error of a request that failed."""

    error: str


@dataclass(frozen=True, slots=True)
class ApiRun:
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


@dataclass(frozen=True, slots=True)
class ApiTask:
    """One task. `counts`: URLs by state; `days`: articles found on each of the last days, oldest first."""

    name: str
    state: Literal["running", "due", "idle", "paused", "removed", "unpublished"]
    health: Literal["ok", "attention", "failing", "new", "paused"]
    reasons: list[str]
    every: str
    next_run: str | None
    counts: dict[str, int]
    days: list[int]
    example: str
    pattern: str
    last_run: ApiRun | None


@dataclass(frozen=True, slots=True)
class ApiTasks:
    """A page of the tasks, by name; `total`: of all pages."""

    total: int
    tasks: list[ApiTask]


@dataclass(frozen=True, slots=True)
class ApiRuns:
    """The last runs of a task, newest first."""

    task: str
    runs: list[ApiRun]


@dataclass(frozen=True, slots=True)
class ApiArticle:
    """An article of the index."""

    id: int
    task: str
    url: str
    title: str
    published: str | None
    fetched_at: str
    language: str
    confidence: float
    method: str


@dataclass(frozen=True, slots=True)
class ApiArticles:
    """A page of a search, newest first. `more_than`: there are more matches than `count`. `next`: for the next page."""

    count: int
    more_than: bool
    next: int | None
    articles: list[ApiArticle]


@dataclass(frozen=True, slots=True)
class ApiReason:
    """URLs with similar reasons."""

    reason: str
    key: str
    number: int
    urls: list[str]
    last: str | None


@dataclass(frozen=True, slots=True)
class ApiFailures:
    """The failed pages and refused rows of a task, by reason."""

    task: str
    failed: int
    pages: list[ApiReason]
    rows: list[ApiReason]


@dataclass(frozen=True, slots=True)
class ApiFailureList:
    """The failures of the tasks that have any; `total`: how many tasks."""

    total: int
    tasks: list[ApiFailures]


@dataclass(frozen=True, slots=True)
class ApiProcess:
    """A process of the system. `at`: its last heartbeat."""

    role: str
    node: str
    pid: int
    alive: bool
    at: str | None
    version: str | None
    task: str | None


@dataclass(frozen=True, slots=True)
class ApiMachines:
    """Processes alive and dead, and present problems."""

    processes: list[ApiProcess]
    problems: list[str]


@dataclass(frozen=True, slots=True)
class ApiScheduled:
    """The next run of a task."""

    task: str
    at: str | None
    every: str


@dataclass(frozen=True, slots=True)
class ApiSchedule:
    """The running tasks, those that wait for a crawl worker, and the next runs."""

    running: list[str]
    due: list[str]
    next: list[ApiScheduled]
    scheduled: int


@dataclass(frozen=True, slots=True)
class ApiAlarm:
    """An open alarm. `unproposed`: why no new example is proposed, if the template changed and that is known."""

    task: str
    kind: str
    state: str
    since: str | None
    opened: str | None
    last: str | None
    count: int
    repeats: int
    evidence: str
    unproposed: str
    advice: str
    urls: list[str]


@dataclass(frozen=True, slots=True)
class ApiAlarms:
    """A page of the open alarms, by task; `total`: of all pages."""

    total: int
    alarms: list[ApiAlarm]


@dataclass(frozen=True, slots=True)
class ApiProposal:
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
    at: str | None
    since: str | None
    low: int
    cluster: int
    confidence: float
    problem: str
    counts: dict[str, int]
    text_f1: float
    fits_old: int
    fits_new: int


@dataclass(frozen=True, slots=True)
class ApiProposals:
    """A page of the proposals that wait for a decision, newest first; `total`: of all pages."""

    total: int
    proposals: list[ApiProposal]


@dataclass(frozen=True, slots=True)
class ApiComparedPage:
    """A page of a back-test: its fields by the present example and by the proposed one."""

    url: str
    kind: Literal["same", "changed", "lost", "gained", "none"]
    f1: float
    differing: list[str]
    old: dict[str, Any]
    new: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ApiTaskProposal:
    """The newest proposal of a task with the pages of its back-test. `unproposed`: why there is none, if known."""

    task: str
    proposal: ApiProposal | None
    pages: list[ApiComparedPage]
    unproposed: str


@dataclass(frozen=True, slots=True)
class ApiDone:
    """The result of an action."""

    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class ApiTaskAction:
    """An action on a task."""

    do: Literal["run", "pause", "resume"]


@dataclass(frozen=True, slots=True)
class ApiAlarmAction:
    """Dismiss an open alarm: what it shows is usual from now on."""

    task: str
    kind: AlarmKind
    do: Literal["dismiss"]


@dataclass(frozen=True, slots=True)
class ApiProposalAction:
    """What to do with the proposed example. `url`: of the proposed page; another one is not decided on."""

    do: Literal["adopt", "dismiss"]
    url: str


@dataclass(frozen=True, slots=True)
class ApiFailureAction:
    """An action on failures of a task: on all, on one group (`key`), or on one URL."""

    task: str
    do: Literal["retry", "drop"]
    what: Literal["pages", "rows"] = "pages"
    key: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ApiNewTask:
    """A task to add: its name, and its keys as in tasks.yaml."""

    name: str
    keys: dict[str, Any] = field(default_factory=dict)
