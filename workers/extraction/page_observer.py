"""Observers follow the pages of one job: votes of recent pages, redesigns, quarantine, health.

Each is one class that can be taken out; `workers.worker_processes.job_observers` lists them. An observer decides
nothing about the page itself.
"""

import logging
from collections.abc import Callable, Sequence

import redis

from ..url_states import PageLease
from .page_decision import Fail, Reject, WriteRows

log = logging.getLogger(__name__)


class PageObserver:
    """Is told what becomes of the pages of one job. Each method does nothing here."""

    def judged(self, judged: object) -> None:
        """A page was judged, with this result; it is not settled yet."""

    def failed(self, lease: PageLease, decision: Fail) -> None:
        """A page cannot be extracted; it is not settled yet."""

    def refused(self, lease: PageLease, decision: Reject) -> None:
        """A page was settled as rejected."""

    def written(self, lease: PageLease, decision: WriteRows) -> None:
        """The rows of a page were written, and it is settled."""

    def end(self) -> None:
        """All pages of the job are settled, released, or leased to another worker."""


class PageObservers:
    """The observers of one job, told in order. A defect of one is logged: it disturbs neither pages nor the others."""

    def __init__(self, task: str, observers: Sequence[PageObserver] = ()) -> None:
        self._task, self._observers = task, observers

    def tell(self, what: Callable[[PageObserver], None]) -> None:
        """Call a method of each observer. Raises what Redis raises, and `MemoryError`."""
        for observer in self._observers:
            try:
                what(observer)
            except (MemoryError, redis.RedisError):
                raise
            except Exception:  # a defect of the program
                log.exception("task %s: %s failed", self._task, type(observer).__name__)
