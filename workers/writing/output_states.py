"""The states of queued outputs: how many rows wait for each, since when, and why; on any machine."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import redis

from .. import keys
from ..addresses import shown
from .refused_rows import refused_count, refusing
from .row_queue import all_queues


@dataclass(frozen=True, slots=True)
class OutputState:
    """An output of a task for which rows wait, or that refused some. Times in Unix seconds, None if unknown.

    `output`: as in tasks.yaml, without secrets. `waiting`: how many rows; `since`: when the oldest of them was queued.
    `refused`: rows that are kept (`workers.writing.refused_rows`).
    """

    task: str
    output: str
    waiting: int = 0
    since: float | None = None
    problem: str = ""
    problem_since: float | None = None
    refused: int = 0


def output_states(connection: "redis.Redis") -> list[OutputState]:
    """Return the outputs for which rows wait, or that refused some, by task."""
    refused = {queue: refused_count(connection, *queue) for queue in refusing(connection)}
    states = [
        replace(state, output=shown(state.output), refused=refused.get((state.task, state.output), 0))
        for state in queue_states(connection, [*dict.fromkeys([*all_queues(connection), *refused])])
    ]
    return sorted((each for each in states if each.waiting or each.refused), key=lambda each: (each.task, each.output))


def queue_states(connection: "redis.Redis", queues: Sequence[tuple[str, str]]) -> list[OutputState]:
    """Return the states of row queues, without their refused rows. `queues`: task and output, as in the result."""
    pipe = connection.pipeline(transaction=False)
    for task, output in queues:
        pipe.llen(keys.of_task(task, f"rows:{output}"))
        pipe.lindex(keys.of_task(task, f"rows:{output}"), 0)
        pipe.hmget(keys.of_task(task, f"queue:{output}"), "problem", "problem_since")
    answers = pipe.execute()
    states = []
    for queue, rows, oldest, (problem, since) in zip(queues, answers[::3], answers[1::3], answers[2::3], strict=True):
        at = float(oldest.partition(b"\n")[0].split(b" ")[2]) if oldest else None
        text = problem.decode("utf-8", "replace") if problem else ""
        states.append(OutputState(*queue, int(rows), at, text, float(since) if since else None))
    return states
