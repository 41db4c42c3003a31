"""Errors of the workers, named for the reaction they ask for."""


class ExemplarError(Exception):
    """Something a person can mend. Its text says what, where and what to do; it is shown without a traceback."""


class RedisUnavailable(ExemplarError):
    """The Redis that holds ledger and queue can't be used now: stop, nothing is lost, start again later."""


class RedisRefused(ExemplarError):
    """The Redis address is not one to be used as it is: a person has to change it."""


class SinkUnavailable(ExemplarError):
    """A target can't take rows now (disk full, locked, no rights): the page stays in the queue and is tried again."""


class OutputError(ExemplarError):
    """An output is written wrongly in the task: nothing can be tried until a person changes it."""
