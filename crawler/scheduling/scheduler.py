"""The scheduler process: keeps schedule and task list in step with tasks.yaml, and makes tasks due at their time."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import redis

from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.publication import (
    Change,
    digest,
    edition,
    is_in_force,
    publish,
    published_count,
    published_periods,
)
from workers.errors import ExemplarError
from workers.inbox import Inbox
from workers.presence import Presence

TICK = 0.5  # seconds between looks at the clock
LOOK_AT_FILE = 2.0  # seconds between looks at tasks.yaml
READ_WAIT = 0.2  # seconds that the clock waits for an edit to be read; a long list is read beside it
SWEEP_EVERY = 5.0  # seconds between looks for lost pages, for the time when no extraction worker is up

log = logging.getLogger(__name__)


class Scheduler:
    """Serves the schedule until stopped. Any number may serve the same Redis.

    With `file` it watches the task list and publishes edits; without, it serves the list that others publish.
    """

    def __init__(self, connection: "redis.Redis", file: Path | None, *, take_over: bool = False):
        self.redis = connection
        self.file = file
        self.take_over = take_over
        self.schedule = Schedule(connection)
        self.inbox = Inbox(connection)
        self.presence = Presence(connection, "schedule")
        self.tasks = 0  # how many are scheduled
        self.stopping = False
        self._adopted: str | None = None  # fingerprint of the edition that is served
        self._copy: str | None = None  # fingerprint of our file as it was read last
        self._stamp: tuple[float, int] | None = None
        self._reading: Future[Change] | None = None  # of an edited file, while it goes on
        self._on_fired: Callable[[list[str]], None] | None = None
        self._said = ""
        self._looked = self._swept = 0.0

    def start(self) -> Change:
        """Load and publish the file, plan its tasks. Raises `TaskFileError` or `DivergentCopy`."""
        change = Change()
        if self.file is not None:
            self._stamp = _stamp(self.file)
            change = self._publish(take_over=self.take_over)
        self._look_at_edition()
        return change

    def run(self, on_fired: Callable[[list[str]], None] | None = None) -> None:
        """Serve until `stop`. Raises `redis.RedisError` if it is away."""
        try:
            while not self.stopping:
                self.tick(on_fired)
                time.sleep(TICK)
        finally:
            self.presence.leave()

    def tick(self, on_fired: Callable[[list[str]], None] | None = None) -> None:
        """One look at file, list and clock."""
        self._on_fired = on_fired
        now = time.monotonic()
        if now - self._looked >= LOOK_AT_FILE:
            self._looked = now
            self._look_at_file()
            self._look_at_edition()
            self.presence.show(tasks=self.tasks)
        if now - self._swept >= SWEEP_EVERY:
            self._swept = now
            self.inbox.sweep()
        self._fire()

    def _fire(self) -> None:
        fired = self.schedule.fire()
        if fired and self._on_fired is not None:
            self._on_fired(fired)

    def stop(self, *_: Any) -> None:
        """Return from `run` soon. Fit for a signal handler."""
        self.stopping = True

    def _look_at_file(self) -> None:
        if self.file is None:
            return
        if self._reading is None:
            stamp = _stamp(self.file)
            if stamp is None or stamp == self._stamp:
                return
            self._stamp = stamp
            self._reading = _beside(self._publish)
        wait([self._reading], READ_WAIT)
        if not self._reading.done():
            return
        reading, self._reading = self._reading, None
        try:
            change = reading.result()
        except (TaskError, ExemplarError) as error:
            self._say(f"{error}\nthe published task list is unchanged")
            return
        self._said = ""
        if change:
            log.warning("%s: %s", self.file, _in_words(change))

    def _publish(self, *, take_over: bool = False) -> Change:
        assert self.file is not None
        source, current = _digest_of(self.file), edition(self.redis)
        if current is not None and is_in_force(current, source, self.file, take_over=take_over):
            self._copy = current.fingerprint
            return Change()
        tasks = load(self.file)
        before, self._copy = self._copy, tasks.fingerprint
        return publish(self.redis, tasks, self.file, in_step_with=before, take_over=take_over, source=source)

    def _look_at_edition(self) -> None:
        current = edition(self.redis)
        if current is None or current.fingerprint == self._adopted:
            return
        if current.fingerprint != self.schedule.edition():
            self.schedule.plan(published_periods(self.redis), edition=current.fingerprint, between=self._fire)
        self._adopted = current.fingerprint
        self.tasks = published_count(self.redis)

    def _say(self, text: str) -> None:
        if text != self._said:
            self._said = text
            log.error("%s", text)


def _beside(work: Callable[[], Change]) -> "Future[Change]":
    """Do it in a thread that does not hold up the end of the process."""
    future: Future[Change] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="task-list", daemon=True).start()
    return future


def _digest_of(file: Path) -> str:
    try:
        return digest(file.read_bytes())
    except OSError:
        return ""  # `load` says what is wrong with it


def _stamp(file: Path) -> tuple[float, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None  # an editor that writes a new file and renames it leaves a gap
    return found.st_mtime, found.st_size


def _in_words(change: Change) -> str:
    parts = [f"{name} {', '.join(tasks)}" for name, tasks in vars_of(change).items() if tasks]
    return "; ".join(parts)


def vars_of(change: Change) -> dict[str, tuple[str, ...]]:
    """What changed, by kind of change."""
    return {"added": change.added, "changed": change.changed, "removed": change.removed}
