"""What requests ask for: parts of lists, searches and actions, of the JSON API and of the forms of pages."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from workers.health.alarms import AlarmKind


def _day(value: date | str) -> date:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"{value!r} is not a day; write it as 2024-12-31") from None


MOST = 200  # tasks, articles or failures in one response


class ApiPage(BaseModel):
    """The part of a list that a request asks for."""

    offset: int = Field(default=0, ge=0, lt=10**8)
    limit: int = Field(default=50, ge=1, le=MOST)

    @property
    def place(self) -> slice:
        """The part of the list."""
        return slice(self.offset, self.offset + self.limit)


class ArticleQuery(BaseModel):
    """A search. Days are inclusive, in UTC, of the time of fetching. `before`: only articles before this id."""

    model_config = ConfigDict(populate_by_name=True, frozen=True)

    text: str = Field(default="", alias="q", max_length=500)
    task: str = ""
    language: str = ""
    since: Annotated[date, BeforeValidator(_day)] | None = None
    until: Annotated[date, BeforeValidator(_day)] | None = None
    before: int | None = Field(default=None, ge=0, lt=10**18)
    limit: int = Field(default=50, ge=1, le=MOST)


class ApiAction(BaseModel):
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


class ApiAcceptance(ApiAction):
    """Accept a rejected page as an article."""

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
