"""Proposals of a new example, after pages of a section got another template. The newest one of each task is in Redis.

A proposal is `proposed` until a person, or the task's setting, decides: `adopted` or `dismissed`. The page itself is in
a hash of the task, so that it can be adopted without a request.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, cast

import redis

from .. import keys
from ..page_store import StoredPage, pack, unpack
from ..stored_json import loaded
from ..unproposed import forget_unproposed, note_unproposed
from .backtest import BackTest

ProposalState = Literal["proposed", "adopted", "dismissed"]


@dataclass(frozen=True, slots=True)
class GapCounts:
    """The numbers of URLs that are extracted again after an adoption.

    `stored`: their pages were in Redis or kept, no request is needed; `to_fetch`: they wait for the next run;
    `untouched`: open, forgotten or duplicates.
    """

    stored: int = 0
    to_fetch: int = 0
    untouched: int = 0

    def __add__(self, other: "GapCounts") -> "GapCounts":
        """Return the sums."""
        return GapCounts(self.stored + other.stored, self.to_fetch + other.to_fetch, self.untouched + other.untouched)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A page that is proposed as example. Times are Unix seconds.

    `former`: the URL of the example whose template the pages no longer have; `example_version`: its version. `since`:
    when the first page of the new template was extracted; `low`: the number of pages off the template noted since then;
    `cluster`: how many of the kept ones have the new template. `problem`: why it was not adopted automatically, or
    would not be; `is_doubtful`: because its pages are not surely articles. `gap`: None until it is known what is
    extracted again.
    """

    task: str
    url: str
    title: str
    former: str
    example_version: str
    at: float
    since: float
    low: int
    cluster: int
    confidence: float
    test: BackTest = field(default_factory=BackTest)
    state: ProposalState = "proposed"
    decided_at: float = 0.0
    problem: str = ""
    gap: GapCounts | None = None
    is_doubtful: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the proposal as JSON types; `loaded` of `workers.stored_json` reads them."""
        return asdict(replace(self, test=BackTest())) | {"test": self.test.to_dict()}


def proposal_of(connection: "redis.Redis", task: str) -> Proposal | None:
    """Return the newest proposal of a task; None if there is none. A task may have been renamed since."""
    raw = cast("bytes | None", connection.hget(keys.PROPOSALS, task))
    return replace(loaded(Proposal, raw), task=task) if raw else None


def proposals(connection: "redis.Redis") -> list[Proposal]:
    """Return the newest proposal of each task, newest first."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.PROPOSALS))
    found = [replace(loaded(Proposal, text), task=name.decode()) for name, text in raw.items()]
    return sorted(found, key=lambda proposal: proposal.at, reverse=True)


def proposed_page(connection: "redis.Redis", task: str) -> StoredPage | None:
    """Return the page of the newest proposal of a task. Raises `ValueError` if it is damaged."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.of_task(task, "proposal")))
    return unpack({name.decode(): value for name, value in raw.items()}) if raw else None


def keep_proposal(connection: "redis.Redis", proposal: Proposal, page: StoredPage) -> None:
    """Store a proposal and its page in place of the earlier one of the task."""
    pipe = connection.pipeline(transaction=True)
    forget_unproposed(pipe, proposal.task)
    pipe.delete(keys.of_task(proposal.task, "proposal"))
    pipe.hset(keys.of_task(proposal.task, "proposal"), mapping=pack(page))  # type: ignore[arg-type]
    update_proposal(pipe, proposal)
    pipe.execute()


def update_proposal(connection: Any, proposal: Proposal) -> None:
    """Store a proposal whose page is already stored. `connection` may be a pipeline."""
    connection.hset(keys.PROPOSALS, proposal.task, json.dumps(proposal.to_dict(), ensure_ascii=False))


def dismiss(connection: "redis.Redis", proposal: Proposal, *, now: float) -> Proposal:
    """Dismiss a proposal: as long as the task has this example, no other one is proposed."""
    dismissed = replace(proposal, state="dismissed", decided_at=now)
    reason = f"{proposal.url} was proposed and dismissed; no other page is proposed in its place"
    note_unproposed(connection, proposal.task, reason)
    update_proposal(connection, dismissed)
    return dismissed
