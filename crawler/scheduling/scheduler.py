"""The scheduler process, which publishes tasks.yaml and its edits, and marks tasks as due at their times."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import redis

from crawler.notifying import Notifier
from crawler.scheduling.schedule import Schedule
from crawler.task_list.change import unwritten_examples, write_examples
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.publication import Change, edition, publish, published_names, published_periods
from workers import keys
from workers.errors import ExemplarError
from workers.inbox import Inbox
from workers.redis_access.connection import persistence_problem
from workers.redis_access.epoch import EpochWatch
from workers.redis_access.outage import Outage
from workers.reporting.presence import Presence

TICK = 0.5  # seconds between two checks of the time
LOOK_AT_FILE = 2.0  # seconds between two checks of tasks.yaml
NOTIFY_EVERY = 2.0  # seconds between two checks for notices
NOTIFY_WAIT = 10.0  # seconds for which the end waits for notices that are being sent
SWEEP_EVERY = 2.0  # seconds between two sweeps, for times when no extraction worker runs

log = logging.getLogger(__name__)


class Scheduler:
    """Serves the schedule until stopped. Any number of schedulers may serve the same Redis.

    With `file` it watches the task list and publishes edits; without it, it serves the list that another one publishes.
    `only`: the tasks whose times this scheduler serves; None: all. `on_change` gets the changes by an edit of the file.
    `exits_without_redis`: raise `redis.RedisError` when Redis is unavailable, instead of waiting for it. `on_notice`
    gets texts on the loss and return of Redis.
    """

    def __init__(
        self,
        connection: "redis.Redis",
        file: Path | None,
        *,
        take_over: bool = False,
        only: Sequence[str] | None = None,
        exits_without_redis: bool = False,
        on_notice: Callable[[str], None] | None = None,
        on_change: Callable[[Change], None] | None = None,
    ):
        self.redis = connection
        self.file = file
        self.take_over, self.only = take_over, only
        self.schedule = Schedule(connection)
        self.inbox = Inbox(connection)
        self.presence = Presence(connection, "schedule")
        self.tasks = 0  # number of published tasks
        self.stopping = False
        self._on_change = on_change or (lambda change: log.warning("%s: %s", self.file, change.in_words()))
        self._on_notice = on_notice or (lambda text: log.warning("%s", text))
        self._outage = Outage(connection, self._notice, exits=exits_without_redis)
        self._adopted: str | None = None  # fingerprint of the edition that is planned
        self._epoch: EpochWatch | None = None  # set by `start`
        self._copy: str | None = None  # fingerprint of the file when it was last read
        self._stamp: tuple[float, int] | None = None  # of the file at the last look; None: it was missing
        self._on_fired: Callable[[list[str]], None] | None = None
        self._tried_examples: dict[str, str] = {}  # adopted examples, by task, that were to be written into the file
        self._logged = ""  # the last error, which is not logged twice in a row
        self._looked = self._swept = 0.0
        self._notifier = Notifier(connection)
        self._ending = threading.Event()

    def start(self) -> Change:
        """Read and publish the file, plan its tasks. Raises `TaskFileError` or `DivergentCopy`."""
        if problem := persistence_problem(self.redis):
            log.warning("%s", problem)
        self._epoch = EpochWatch(self.redis)
        change = Change()
        if self.file is not None:
            self._write_adopted()
            self._stamp = _stamp(self.file)
            change = self._publish(take_over=self.take_over)
        self._look_at_edition()
        return change

    def run(self, on_fired: Callable[[list[str]], None] | None = None) -> None:
        """Serve until `stop`; wait while Redis is unavailable.

        Raises `redis.RedisError` if Redis fails in a way that will not pass, or with `exits_without_redis`.
        """
        self._ending.clear()
        sending = threading.Thread(target=self._send_notices, name="notices", daemon=True)
        sending.start()
        try:
            while not self.stopping:
                self._outage.attempt(lambda: self.tick(on_fired))
                time.sleep(TICK)
        finally:
            self._ending.set()
            sending.join(NOTIFY_WAIT)
            with suppress(redis.RedisError):
                self.presence.leave()

    def _notice(self, text: str) -> None:
        self.presence.note_error(text)
        self._on_notice(text)

    def tick(self, on_fired: Callable[[list[str]], None] | None = None) -> None:
        """Check file, published list and time once. `on_fired` gets the tasks that this call marked as due."""
        self._on_fired = on_fired
        now = time.monotonic()
        if now - self._looked >= LOOK_AT_FILE:
            self._looked = now
            self._look_at_epoch()
            self._write_adopted()
            self._look_at_file()
            self._look_at_edition()
            self.presence.show(tasks=self.tasks)
        if now - self._swept >= SWEEP_EVERY:
            self._swept = now
            self.inbox.sweep()
        self._fire()

    def _send_notices(self) -> None:
        """Send the notices of alarms until the end, in a thread since a service may take seconds.

        The last pages of the runs may have caused some, so it sends once more at the end.
        """
        is_ending = False
        while not is_ending:
            is_ending = self._ending.wait(NOTIFY_EVERY)
            try:
                for problem in self._notifier.step():
                    self._log_once(problem)
            except redis.RedisError:
                pass  # they are sent when Redis is available again, or has memory
            except Exception:  # a defect of the program must not stop the schedule
                log.exception("notices cannot be sent")

    def _fire(self) -> None:
        fired = self.schedule.fire(self.only)
        if fired and self._on_fired is not None:
            self._on_fired(fired)

    def stop(self, *_: Any) -> None:
        """Make `run` return soon. Safe in a signal handler."""
        self.stopping = True

    def _look_at_epoch(self) -> None:
        """If Redis may have lost the task list or the plan, publish and plan the missing part again."""
        is_over = self._epoch is not None and self._epoch.has_changed()
        if self.file is not None:
            is_lost = edition(self.redis) is None
            if is_lost and self._adopted is not None:
                log.warning("Redis has no task list (it was emptied or replaced); %s is published again", self.file)
            if is_lost or is_over:
                self._stamp = None
        if is_over:
            self._adopted = None

    def _write_adopted(self) -> None:
        """Write examples that were adopted after a redesign into the file, each once; it is then published again."""
        if self.file is None or not self.redis.exists(keys.EXAMPLES):
            return
        try:
            unwritten = unwritten_examples(self.redis, self.file)
        except TaskError:
            return  # the file has mistakes: reading it reports them
        new = {name: url for name, url in unwritten.items() if self._tried_examples.get(name) != url}
        if not new:
            return
        self._tried_examples |= new
        for problem in write_examples(self.file, new):
            self._log_once(problem)

    def _look_at_file(self) -> None:
        if self.file is None:
            return
        before, self._stamp = self._stamp, _stamp(self.file)
        if self._stamp is None and before is None:
            self._refuse(f"{self.file}: the file is missing")
        if self._stamp in (before, None):
            return
        try:
            change = self._publish()
        except (TaskError, ExemplarError) as error:
            self._refuse(str(error))
            return
        self._logged = ""
        if change:
            self._look_at_edition()  # planned first, so that the next times of its tasks are known
            self._on_change(change)

    def _refuse(self, error: str) -> None:
        self._log_once(f"{error}\nthe published task list is unchanged")

    def _publish(self, *, take_over: bool = False) -> Change:
        assert self.file is not None
        tasks = load(self.file)
        before, self._copy = self._copy, tasks.fingerprint
        return publish(self.redis, tasks, self.file, in_step_with=before, take_over=take_over)

    def _look_at_edition(self) -> None:
        current = edition(self.redis)
        if current is None:
            self._adopted = None
        if current is None or current.fingerprint == self._adopted:
            return
        if current.fingerprint != self.schedule.edition():
            self.schedule.plan(published_periods(self.redis), edition=current.fingerprint)
        self._adopted = current.fingerprint
        self.tasks = len(published_names(self.redis))

    def _log_once(self, text: str) -> None:
        if text != self._logged:
            self._logged = text
            self.presence.note_error(text)
            log.error("%s", text)


def _stamp(file: Path) -> tuple[float, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None  # perhaps for a moment only, while an editor replaces it
    return status.st_mtime, status.st_size
