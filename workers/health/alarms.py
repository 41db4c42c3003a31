"""Alarms: their content, and advice on them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

AlarmKind = Literal[
    "template changed",
    "blocked",
    "pages off the template",
    "failures",
    "section moved",
    "section quiet",
    "everything new",
]
KINDS: tuple[AlarmKind, ...] = get_args(AlarmKind)
PAGE_KINDS: tuple[AlarmKind, ...] = ("template changed", "blocked", "pages off the template")
AlarmState = Literal["open", "repeated", "recovered", "dismissed"]
News = Literal["opened", "repeated", "recovered"]

_ADVICE: Mapping[AlarmKind, str] = {  # 0: the task, 1: the URL of a page
    "template changed": "`exemplar proposals {0}` shows a new example, if one was found; else look at such a page "
    "with `exemplar extract {1}`, and set one of them as `example` of the task",
    "blocked": "look at what the site sends with `exemplar extract {1}`; raise `delay`, set `render: true` if the "
    "text needs JavaScript, or ask the site's owner",
    "pages off the template": "look at such a page with `exemplar extract {1}`; if they are not articles, narrow "
    "`pattern`, or give them a task of their own",
    "failures": "`exemplar status --problems {0}` and `exemplar failures {0}` show the reasons",
    "section moved": "see with `exemplar try {0}` whether the section's list or the URLs of its articles have changed, "
    "and correct `start` or `pattern`",
    "section quiet": "check the site for new articles, and compare what `exemplar try {0}` finds",
    "everything new": "run the task more often (`every`), or name the section's feed or further lists as `start`",
}
_WITHOUT_PROPOSAL = (
    "run `exemplar backtest {0} --example {1}` for this or another page of the new template; if no page loses its "
    "article, set it as `example` of the task"
)


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of a task. Times are Unix seconds: `since`, the first sign; `opened`; `last`, the last sign; its end.

    `state`: open, repeated (open again within a day of its recovery), recovered, or dismissed by a person. `count`: how
    many observations show it; `evidence`: figures with the task's baseline; `urls`: of some of these observations.
    `unproposed`: why no new example is proposed, if that is known.
    """

    task: str
    kind: AlarmKind
    state: AlarmState
    since: float
    opened: float
    last: float
    count: int
    evidence: str
    urls: tuple[str, ...] = ()
    ended: float | None = None
    repeats: int = 0
    is_told: bool = False
    unproposed: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the change is still present, as far as is known."""
        return self.state in ("open", "repeated")

    @property
    def advice(self) -> str:
        """Advice for a person, with a command."""
        if self.unproposed:
            return _WITHOUT_PROPOSAL.format(self.task, self.urls[0] if self.urls else "URL")
        return _ADVICE[self.kind].format(self.task, self.urls[0] if self.urls else "URL")

    def in_words(self) -> str:
        """Return one line."""
        at = datetime.fromtimestamp(self.since, UTC).strftime("%Y-%m-%d %H:%M")
        times = f", again {self.repeats} times" if self.repeats > 1 else ", again" if self.repeats else ""
        if self.is_open:
            shown = f"{self.kind} (since {at} UTC{times}): {self.evidence}"
            return f"{shown}; no example is proposed: {self.unproposed}" if self.unproposed else shown
        return f"{self.kind}: {self.state} (since {at} UTC)"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-ready form, with the advice."""
        return asdict(self) | {"urls": list(self.urls), "advice": self.advice}


@dataclass(frozen=True, slots=True)
class AlarmChange:
    """A notice of an alarm."""

    news: News
    alarm: Alarm
