"""One seed: a system is started, suffers its faults while articles appear, heals, and is judged by its history."""

import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import redis

from tests.chaos.checker import Violation, percentile, violations
from tests.chaos.cluster import Cluster, Form, end_orphans, until, until_still
from tests.chaos.faults import FAULTS, World, deliver_refused
from tests.chaos.history import history_of
from tests.chaos.recovery import Recovery
from tests.chaos.site import Site
from tests.workers.servers import Server
from workers.ledger import Ledger

FIRST_SHARE = 0.4  # of the articles that are there at the start; the others appear between the faults
UP_WAIT = 180.0  # seconds until the first request
LATENCY = 0.05  # seconds until an article is answered
LOOK_EVERY = 0.25  # seconds between looks at the counts
PAUSES = (0.2, 2.0)  # seconds between two faults
LOAD = 5.0  # above which the system may take longer to recover


@dataclass(frozen=True)
class Trial:
    """What a seed is tried with. `settle`: seconds without progress after which it is judged."""

    seed: int
    form: Form
    faults: Sequence[str]  # the kinds to choose from
    pages: int  # at the least: some faults need more
    number: int  # of faults; each kind comes at least once if there are enough
    settle: float
    every: str
    sections: int
    hold: float  # factor of the faults' durations
    delay: float  # seconds between two requests
    within: float  # seconds within which pages of killed processes are worked on again


@dataclass
class Outcome:
    """What came of a trial."""

    trial: Trial
    violations: list[Violation] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    recovery: list[float] = field(default_factory=list)  # seconds, sorted
    settled_after: float | None = None  # seconds after the last fault; None: it never was
    seconds: float = 0.0
    pages: int = 0
    broken: str = ""  # why it could not be judged

    def line(self) -> str:
        """The row of the table."""
        after = f"{self.settled_after:.1f}" if self.settled_after is not None else "never"
        half, most = (percentile(self.recovery, share) for share in (0.5, 0.99))
        waits = f"{len(self.recovery)} pages p50 {half:.1f} p99 {most:.1f}" if half is not None else "-"
        rules = ", ".join(f"{number} {rule}" for rule, number in Counter(v.rule for v in self.violations).items())
        kinds = " ".join(f"{kind}×{number}" for kind, number in sorted(Counter(self.faults).items()))
        verdict = self.broken or rules or "none"
        return (
            f"{self.trial.seed:>4} {self.trial.form:7} {self.seconds:>5.0f}s {after:>6} {waits:32} {verdict:30} {kinds}"
        )


HEAD = f"{'seed':>4} {'form':7} {'took':>6} {'heals':>6} {'in hand when killed, seconds':32} {'violations':30} faults"


def run(trial: Trial, keep: Path | None = None) -> Outcome:
    """Run one trial. With `keep` the folder of one with violations is moved there, for a person to look at."""
    outcome = Outcome(trial)
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    try:
        with _world(trial, folder) as world:
            _live(trial, world, outcome)
            outcome.recovery = world.recovery.seconds()
            history = history_of(world.cluster.site, world.client, world.cluster.out)
            most = trial.within * max(1.0, os.getloadavg()[0] / LOAD)
            outcome.violations = violations(
                replace(
                    history, samples=world.samples, interval=trial.delay, waits=outcome.recovery, longest_wait=most,
                    is_lossy="redis-emptied" in outcome.faults,
                )
            )  # fmt: skip
            outcome.violations += _exits(world.cluster)
            outcome.pages = sum(world.cluster.site.published.values())
    except (OSError, TimeoutError, redis.RedisError, sqlite3.Error, subprocess.SubprocessError) as error:
        outcome.broken = f"{type(error).__name__}: {error}"
    finally:
        end_orphans()
        if keep and (outcome.violations or outcome.broken):
            _keep(folder, keep / f"seed-{trial.seed}-{trial.form}", outcome)
        shutil.rmtree(folder, ignore_errors=True)
    outcome.seconds = time.monotonic() - started
    return outcome


def _exits(cluster: Cluster) -> list[Violation]:
    """Nodes that ended by themselves: whatever happens to Redis or an output, they wait for it."""
    exits = Counter((name, code) for name, node in cluster.nodes.items() for code in node.exits if code >= 0)
    return [Violation("exit", name, f"ended by itself {n} times with code {code}") for (name, code), n in exits.items()]


def _live(trial: Trial, world: World, outcome: Outcome) -> None:
    """Let articles appear and faults come, one after another; then the last articles, and wait until all is settled."""
    site, choose = world.cluster.site, world.choose
    left = trial.pages - sum(site.published.values())
    portion = left // (trial.number + 1)
    kinds = [choose.sample(trial.faults, len(trial.faults)) for _ in range(-(-trial.number // len(trial.faults)))]
    chosen = [kind for some in kinds for kind in some][: trial.number]
    for kind in chosen:
        site.publish(portion)
        world.fire()
        time.sleep(choose.uniform(*PAUSES))
        FAULTS[kind].act(world, trial.hold * choose.uniform(*FAULTS[kind].hold))
        outcome.faults.append(kind)
    healed = time.monotonic()
    site.publish(left - portion * len(chosen))  # what the schedule has to find by itself
    is_still = until_still(world.is_settled, world.progress, trial.settle, every=0.5)
    # A worker that was stopped may have kept a row after the fault ended.
    if sum(deliver_refused(world.client, task) for task in site.published):
        is_still = until_still(world.is_settled, world.progress, trial.settle, every=0.5)
    if is_still:
        outcome.settled_after = time.monotonic() - healed
        time.sleep(1.0)  # what comes late, such as a worker that was stopped, must not write any more


@contextmanager
def _world(trial: Trial, folder: Path) -> Iterator[World]:
    """A running system, and what faults need; everything is ended at the end."""
    with ExitStack() as stack:
        site = stack.enter_context(Site("127.0.0.1", trial.sections, LATENCY, "section-grows" in trial.faults))
        site.publish(int(trial.pages * FIRST_SHARE))
        server = stack.enter_context(Server("--appendfsync", "everysec")) if trial.form == "cluster" else None
        cluster = Cluster(
            folder, site, trial.form, server.socket if server else None, every=trial.every, seed=trial.seed,
            delay=trial.delay,
        )  # fmt: skip
        stack.enter_context(cluster)
        client = redis.Redis.from_url(server.url if server else cluster.embedded_url, socket_timeout=5.0)
        recovery = stack.enter_context(Recovery(client, cluster, site.served))
        samples: list[tuple[str, dict[str, int]]] = []
        stack.enter_context(_looking(lambda: samples.extend(_counts_of(client, site.published))))
        if not until(lambda: site.requests, within=UP_WAIT):
            raise TimeoutError(f"no request within {UP_WAIT:.0f} s; see the logs in {folder}")
        yield World(cluster, recovery, client, server, samples, random.Random(trial.seed))


@contextmanager
def _looking(look: Callable[[], None]) -> Iterator[None]:
    """Let a thread look at something again and again."""
    stopping = threading.Event()

    def run() -> None:
        while not stopping.wait(LOOK_EVERY):
            with suppress(OSError, redis.RedisError):
                look()

    thread = threading.Thread(target=run, name="look", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def _counts_of(client: "redis.Redis", tasks: Iterable[str]) -> Iterator[tuple[str, dict[str, int]]]:
    """The counts of each ledger, read in one step."""
    return ((task, Ledger(client, task).counts().to_dict()) for task in tasks)


def _keep(folder: Path, place: Path, outcome: Outcome) -> None:
    """Copy logs, outputs and the violations of a trial to a place where they stay."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place, ignore=shutil.ignore_patterns("s", "redis.sock", "ballast"), dirs_exist_ok=True)
    lines = [outcome.line(), *map(str, outcome.violations)]
    (place / "violations").write_text("\n".join(lines) + "\n", "utf-8")
