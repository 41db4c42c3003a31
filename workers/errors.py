"""Errors of the workers, named for the reaction that they require."""


class ExemplarError(Exception):
    """A problem that a person can solve. Its text says what, where and what to do; it is shown without a traceback."""


class RedisUnavailable(ExemplarError):
    """The Redis that holds ledger and queue is unavailable: stop, nothing is lost, start again later."""


class RedisRefused(ExemplarError):
    """The Redis at this address is invalid, unsafe or wrongly configured: a person has to change that."""


class SinkUnavailable(ExemplarError):
    """An output can't be written now (disk full, locked, no permission): the page is kept and tried again."""


class OutputError(ExemplarError):
    """A task names an invalid output, or an unusable example: its pages wait until a person changes the task."""
