"""The file outputs of a task: each has its sink, and its own back-off while it is unavailable.

An unavailable output is tried again after a pause that grows with each failure. Until then no page waits for it: its
pages stay in Redis, and the other outputs get their rows.
"""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import cast

from ..errors import RowsRefused, SinkUnavailable
from ..extraction_config import ExtractionConfig
from ..redis_access.redis_clock import Clock
from ..rows import Row, RowKey
from ..sinks import OutputOptions, PageSink, RowCondition, Sink, SourcePage

FACTOR, MOST_FACTOR = 2, 3  # growth of the pause with each failure, and its limit
PROBE_PATIENCE = 1.0  # seconds to wait for an output that was unavailable at the last try


class Output:
    """One file output of a task. `name`: as in the extraction config, `${VARIABLES}` unexpanded, so without secrets.

    `pause`: seconds until it is tried again after a failure; `patience`: seconds to wait for another process that holds
    it.
    """

    def __init__(
        self,
        name: str,
        sink: Sink | PageSink,
        *,
        pause: float,
        patience: float,
        clock: Clock = time.time,
        options: OutputOptions | None = None,
    ):
        self.name = name
        self.sink = sink
        self.options = options or OutputOptions()
        self.takes_pages = isinstance(sink, PageSink)
        self.healed_in = ""  # the turn at its fence (`durability.pass_fence`) in which the ledger has all of its rows
        self.problem = ""  # why it was unavailable at the last attempt
        self._pause, self._patience, self._clock = pause, patience, clock
        self.has_begun = False  # whether writing began at the last attempt: it could be held
        self._failures = 0
        self._not_before = 0.0

    def wait(self) -> float:
        """Return the seconds until the output may be tried again; 0 if it may be tried now."""
        return max(0.0, self._not_before - self._clock()) if self._failures else 0.0

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the output.

        Raises `SinkUnavailable`, also for failures inside the block; the output is then not tried for a while.
        """
        patience = min(self._patience, PROBE_PATIENCE) if self._failures else self._patience
        self.has_begun = False
        try:
            with self.sink.exclusive(patience=patience):
                yield
        except SinkUnavailable as error:
            self.problem = str(error)
            if not self.wait():  # otherwise this attempt belongs to a failure that is already counted
                self._not_before = self._clock() + self._pause * min(FACTOR**self._failures, MOST_FACTOR)
                self._failures += 1
            raise
        self._failures, self.problem = 0, ""

    def admits(self, row: Row) -> bool:
        """Whether a row passes the conditions of the output."""
        return self.options.where.admits(row)

    def is_filtered(self) -> bool:
        """Whether the output gets only some of the task's rows."""
        return self.options.where != RowCondition()

    def write(self, rows: Sequence[Row], *, again: AbstractSet[RowKey]) -> Mapping[RowKey, str]:
        """Write all rows or none, inside `exclusive`, except those that the target refuses because of their content.

        Returns the target's messages by the keys of the refused rows. Raises `SinkUnavailable`.
        """
        self.has_begun = True
        try:
            cast(Sink, self.sink).write(rows, again=again)
        except RowsRefused as error:
            return error.reasons
        return {}

    def write_pages(self, pages: Sequence[SourcePage]) -> None:
        """Write all pages or none, as `write`; only if it `takes_pages`."""
        self.has_begun = True
        cast(PageSink, self.sink).write_pages(pages)


def shortest_wait(outputs: Collection[Output]) -> tuple[float, str]:
    """Return the seconds until one of the outputs may be tried, and why; 0 if one may be tried now or none exists."""
    waits = [(output.wait(), output.problem) for output in outputs]
    return min(waits, default=(0.0, ""))


def options_of(config: ExtractionConfig, output: str) -> OutputOptions:
    """Return the options of an output; an output that is not, or no longer, one of the task has default options."""
    text = config.output_options.get(output)
    return OutputOptions.from_json(text) if text else OutputOptions()
