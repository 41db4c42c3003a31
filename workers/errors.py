"""Errors of the workers, named for the reaction that they require."""

from collections.abc import Mapping


class ExemplarError(Exception):
    """A problem that a person can solve. Its text says what, where and what to do; it is shown without a traceback."""


class RedisUnavailable(ExemplarError):
    """The Redis that holds ledger and queue is unavailable: stop, nothing is lost, start again later."""


class RedisRefused(ExemplarError):
    """The Redis at this address is invalid, unsafe or wrongly configured: a person has to change that."""


class SinkUnavailable(ExemplarError):
    """An output can't be written now (disk full, locked, no permission): the page is kept and tried again.

    `wait`: for how many seconds the target asks not to be tried; 0 if it does not.
    """

    def __init__(self, message: str, *, wait: float = 0.0):
        super().__init__(message)
        self.wait = wait


class RowsRefused(ExemplarError):
    """A target refused rows for what they contain; the other rows of the same write are written.

    `reasons`: for each refused row the target's words, by row key. They are kept with the row until a person decides.
    """

    def __init__(self, reasons: Mapping[tuple[str, str, int], str]):
        super().__init__(next(iter(reasons.values()), ""))
        self.reasons = reasons


class OutputError(ExemplarError):
    """A task names an invalid output, or an unusable example: its pages wait until a person changes the task."""
