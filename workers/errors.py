"""Errors of the workers, named for the reaction that they require."""

from collections.abc import Mapping

from .redaction import concealed


class ExemplarError(Exception):
    """A problem that a person can solve.

    Its text states the problem, its place and the remedy; it is shown without a traceback. Secrets are redacted.
    """

    def __init__(self, message: str = ""):
        super().__init__(concealed(message))


class RedisUnavailable(ExemplarError):
    """The Redis with the ledger and the queue is unavailable: stop and start again later; nothing is lost."""


class RedisRefused(ExemplarError):
    """The Redis at this address is invalid, unsafe or wrongly configured: a person has to change that."""


class MemoryLimited(ExemplarError):
    """The limit on the address space of this machine's processes is too low to start."""


class SinkUnavailable(ExemplarError):
    """An output cannot be written now (disk full, locked, no permission): the page is kept and tried again.

    `wait`: the target's Retry-After in seconds; 0 without one.
    """

    def __init__(self, message: str, *, wait: float = 0.0):
        super().__init__(message)
        self.wait = wait


class RowsRefused(ExemplarError):
    """A target refused rows because of their content; the other rows of the same write are written.

    `reasons`: for each refused row the target's message, by row key. They are kept with the row until a person decides.
    """

    def __init__(self, reasons: Mapping[tuple[str, str, int], str]):
        self.reasons = {key: concealed(reason) for key, reason in reasons.items()}
        super().__init__(next(iter(self.reasons.values()), ""))


class OutputError(ExemplarError):
    """A task names an invalid output, or an unusable example: its pages wait until a person changes the task."""
