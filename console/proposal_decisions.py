"""A person's decision on a proposed example: it is adopted and written into tasks.yaml, or dismissed."""

from pathlib import Path
from typing import Any

import redis

from console.terminal import moment
from crawler.task_list.change import unwritten_examples, write_examples
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.publication import publish
from workers.errors import ExemplarError
from workers.extraction_config import adopted_examples
from workers.redesign.adoption import adopt
from workers.redesign.proposals import Proposal, dismiss
from workers.redis_access.redis_clock import clock_of


def adopt_proposal(connection: "redis.Redis", task: str, file: Path) -> tuple[Proposal, list[str]]:
    """Adopt the proposal of a task and write it into the task list `file`; return it, and notes for the user.

    Raises `ExemplarError` if there is nothing to adopt.
    """
    proposal = adopt(connection, task)
    try:
        unwritten = {name: url for name, url in unwritten_examples(connection, file).items() if name == task}
        problems = write_examples(file, unwritten)
        if unwritten and not problems:
            publish(connection, load(file), file)
    except TaskError as error:
        problems = [f"the example is adopted, but only in Redis: {error}"]
    if not problems and task in adopted_examples(connection):
        where = f"{file} is not the task list in force; set example: {proposal.url} in the one that is in force"
        problems = [f"the example is adopted, but only in Redis: {where}"]
    return proposal, problems


def dismiss_proposal(connection: "redis.Redis", proposal: Proposal) -> Proposal:
    """Dismiss a proposal. Raises `ExemplarError` if it is already adopted or dismissed."""
    if proposal.state != "proposed":
        raise ExemplarError(f"task {proposal.task}: the proposed example has already been {proposal.state}")
    return dismiss(connection, proposal, now=clock_of(connection).now())


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal as JSON types, its times in ISO 8601."""
    times = {name: moment(getattr(proposal, name)) for name in ("at", "since")}
    return proposal.to_dict() | times | {"decided_at": moment(proposal.decided_at) if proposal.decided_at else None}
