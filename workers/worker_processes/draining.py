"""Extraction while Redis is full: RQ's commands are refused, so workers take fetched pages from the ledger themselves.

Settling a page frees its memory. When enough is free, or no page is left, the worker waits for wake-up jobs again; the
jobs of pages that were settled meanwhile have no effect.
"""

import logging
import random
import signal
import time
from collections.abc import Callable
from typing import Any

import redis

from ..inbox import PAGES_A_JOB
from ..ledger import Ledger, with_pages
from ..redis_access.full_redis import memory_of
from .extraction_worker import ExtractionWorker

DRAINED = 0.9  # share of the memory below which wake-up jobs are used again
CHOSEN_FROM = 200  # pages of a task to choose from, so that several workers rarely try the same ones
PAUSE = 0.5  # seconds until a full Redis without fetched pages is checked again

log = logging.getLogger(__name__)


class Draining:
    """The extraction of one worker while Redis is full. `sleep`: a function that waits for some seconds."""

    def __init__(
        self, connection: "redis.Redis", extraction: ExtractionWorker, *, sleep: Callable[[float], None] = time.sleep
    ):
        self.redis, self.extraction, self.sleep = connection, extraction, sleep
        self.stopping = False

    def run(self) -> bool:
        """If Redis is full, extract pages until it is not, or until `stop`.

        Return whether the worker is to continue.
        """
        if not memory_of(self.redis).is_full:
            return True
        before = signal.signal(signal.SIGTERM, self.stop)
        log.warning("Redis is full; pages are taken from the ledger, without wake-up jobs")
        try:
            while not self.stopping and self._is_needed():
                if not self.extract_some():
                    self.sleep(PAUSE)
        finally:
            signal.signal(signal.SIGTERM, before)
        return not self.stopping

    def stop(self, *_: Any) -> None:
        """Return from `run` after the present pages. Safe in a signal handler."""
        self.stopping = True

    def extract_some(self) -> int:
        """Extract a few pages of each task that has any; return how many were tried."""
        tried = 0
        for task in with_pages(self.redis):
            if self.stopping:
                break
            names = Ledger(self.redis, task).fetched_names(CHOSEN_FROM)
            chosen = random.sample(names, min(PAGES_A_JOB, len(names)))
            if chosen:
                self.extraction.extract_pages(task, chosen)
            tried += len(chosen)
        return tried

    def _is_needed(self) -> bool:
        memory = memory_of(self.redis)
        return memory.is_full or (memory.share >= DRAINED and bool(with_pages(self.redis)))
