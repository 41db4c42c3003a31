"""The steps of an extraction, noted while it runs, for an explanation of its result.

    with traced() as trace:
        article = section.extract(page)

Within the block, the methods note what they decided as values of their own (`body.BodySteps`, `trimming.Trimming`,
`example.Vote` …), in the order in which they decided it; `explanation` reads them. Outside such a block nothing is
noted, and a step costs only the read of a variable.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Step = TypeVar("Step")


class Trace:
    """The steps that an extraction noted, in order."""

    def __init__(self) -> None:
        self.steps: list[object] = []

    def steps_of(self, kind: type[Step]) -> list[Step]:
        """Return all steps of a kind."""
        return [step for step in self.steps if isinstance(step, kind)]

    def last(self, kind: type[Step], before: object = None) -> Step | None:
        """Return the last step of a kind, or the last one before the step `before`; None if there is none."""
        end = next((place for place, step in enumerate(self.steps) if step is before), len(self.steps))
        return next((step for step in reversed(self.steps[:end]) if isinstance(step, kind)), None)

    def first(self, kind: type[Step]) -> Step | None:
        """Return the first step of a kind; None if there is none."""
        return next((step for step in self.steps if isinstance(step, kind)), None)


_trace: ContextVar[Trace | None] = ContextVar("trace", default=None)


def tracing() -> Trace | None:
    """Return the trace in which steps are noted; None, the usual case, if no trace was requested."""
    return _trace.get()


def note(step: object) -> None:
    """Note a step if a trace was requested."""
    if (trace := _trace.get()) is not None:
        trace.steps.append(step)


@contextmanager
def traced() -> Iterator[Trace]:
    """Note the steps of the extractions within the block."""
    trace = Trace()
    token = _trace.set(trace)
    try:
        yield trace
    finally:
        _trace.reset(token)
