"""Commands in the background: `exemplar add --dry-run`, `try` and `run`; a survey's pattern corrected by a person.

A command is a child process, which ends with the console. On one machine the console owns the embedded Redis, and `run`
uses it.

The person marks which links are articles of the section. The pattern is fitted to the marked links and narrowed so that
it matches few of the others, as in a survey.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from crawler.discovery.links import PageLink
from crawler.patterns.pattern import Pattern, PatternError
from crawler.scouting.address_parts import address_of
from crawler.scouting.inference import SeenPage, SiteLinks, infer
from crawler.task_list.identity import CONTACT
from workers.processes import ended_by, ending_with_parent

AT_A_TIME = 2  # child processes that run at the same time
KEPT_MOST = 20  # jobs whose results are kept
LIMIT = 300.0  # seconds for one survey
STOP_WAIT = 30.0  # seconds until a run that does not end is killed
LINES_MOST = 200  # lines of progress
LINKS_MOST = 300  # links of each kind in the result of a survey
READ, ERROR = "read ", "error: "  # how lines on standard error begin

JobKind = Literal["survey", "trial", "run"]
LEFT_BY_PERSON = "left by you"


class TooManyJobs(RuntimeError):
    """The maximum number of surveys is already running."""


@dataclass
class Job:
    """A command. `progress`: pages read, each a URL and its problem; `result`: None until a survey or trial is done.

    `may_be_overruled`: the error does not arise if a person declares that the page is an article; `contact`: the one
    that the person entered, which tasks.yaml does not have yet.
    """

    id: str
    kind: JobKind
    subject: str
    progress: list[tuple[str, str]] = field(default_factory=list)
    result: dict[str, Any] | None = None
    error: str = ""
    proposals: list[str] = field(default_factory=list)
    may_be_overruled: bool = False
    contact: str = ""
    done: bool = False
    process: "subprocess.Popen[str] | None" = None


class Jobs:
    """Starts jobs and keeps their results for a while. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}

    def start(self, kind: JobKind, subject: str, arguments: Sequence[str], contact: str = "") -> Job:
        """Start a job. `arguments`: of the command, without the task list's. Raises `TooManyJobs`."""
        with self._lock:
            self._forget_old()
            if sum(not job.done for job in self._jobs.values()) >= AT_A_TIME:
                raise TooManyJobs
            job = Job(secrets.token_urlsafe(9), kind, subject, contact=contact)
            self._jobs[job.id] = job
        _begin(job, arguments, {CONTACT: contact} if contact else {})
        return job

    def get(self, job_id: str) -> Job | None:
        """Return a job; None if it is unknown or forgotten."""
        with self._lock:
            return self._jobs.get(job_id)

    def stop(self) -> None:
        """End all child processes."""
        with self._lock:
            for job in self._jobs.values():
                if job.process is not None:
                    job.process.kill()

    def _forget_old(self) -> None:
        done = [job.id for job in self._jobs.values() if job.done]
        for job_id in done[:-KEPT_MOST]:
            del self._jobs[job_id]


class LocalRun:
    """`exemplar run` for a task list: started and stopped by a click. `url`: of the Redis that it uses."""

    def __init__(self, url: str, tasks: Path):
        self.url, self.tasks = url, tasks
        self._lock = threading.Lock()
        self._job = Job("run", "run", "", done=True)

    @property
    def is_running(self) -> bool:
        """Whether the child is alive, or is being started."""
        return not self._job.done

    @property
    def problem(self) -> str:
        """Return why the last run ended; empty while it runs, or after it was stopped."""
        return self._job.error if self._job.done else ""

    def start(self) -> None:
        """Start the child if it is not running."""
        with self._lock:
            if not self.is_running:
                self._job = Job("run", "run", str(self.tasks))
                _begin(self._job, ["run", str(self.tasks)], {"REDIS_URL": self.url})

    def stop(self) -> None:
        """End the child: spiders hand over the pages that they fetched, workers finish their present pages."""
        with self._lock:
            limit, is_told = time.monotonic() + STOP_WAIT, False
            while not self._job.done:
                if self._job.process is not None and (not is_told or time.monotonic() > limit):
                    self._job.process.send_signal(signal.SIGKILL if is_told else signal.SIGTERM)
                    is_told = True
                time.sleep(0.05)


def _begin(job: Job, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Start the command of a job. The kernel ends a child when the *thread* that started it ends: it waits for it."""
    threading.Thread(target=_run, args=(job, arguments, environment), name=job.kind, daemon=True).start()


def _run(job: Job, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    is_run = job.kind == "run"
    with tempfile.TemporaryFile() as output:
        job.process = process = subprocess.Popen(
            [sys.executable, "-m", "console", *arguments, "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if is_run else output,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "LC_ALL": "C.UTF-8", **environment},  # the pages translate the texts
            start_new_session=is_run,
            preexec_fn=ending_with_parent(signal.SIGTERM if is_run else signal.SIGKILL),
        )
        killer = threading.Timer(LIMIT, process.kill)
        killer.daemon = True
        if not is_run:
            killer.start()
        try:
            assert process.stderr is not None
            for line in process.stderr:
                _take_line(job, line.strip())
            process.wait()
            output.seek(0)
            _take_result(job, output.read())
        except (OSError, ValueError) as error:
            job.error = str(error)
        finally:
            killer.cancel()
            code = process.poll() or 0
            if is_run:
                job.error = "" if code in (0, -signal.SIGTERM) else f"{ended_by(code)}: {job.error}"
            elif job.result is None and not job.error:
                job.error = ended_by(code)
            job.done = True


def _take_line(job: Job, line: str) -> None:
    if job.kind == "run":
        job.error = line
        print(line, file=sys.stderr)  # in the terminal of the console
    elif line.startswith(ERROR):
        job.error = line.removeprefix(ERROR)
    elif line.startswith(READ) and len(job.progress) < LINES_MOST:
        url, _, problem = line.removeprefix(READ).partition(": ")
        job.progress.append((url, problem))


def _take_result(job: Job, output: bytes) -> None:
    """Take the line of JSON that a command prints, unless it has ended with an error."""
    result = json.loads(output or b"{}")
    if "error" in result:
        job.error, job.may_be_overruled = result["error"], result["may_be_overruled"]
        job.proposals = result["articles"]
    elif result:
        job.result = result | {name: result[name][:LINKS_MOST] for name in ("taken", "left") if name in result}


@dataclass(frozen=True, slots=True)
class CorrectedPattern:
    """A pattern, "" if none was found. `missed`: marked links without a match; `too_many`: other links with a match."""

    pattern: str
    missed: tuple[str, ...] = ()
    too_many: tuple[str, ...] = ()
    problem: str = ""


def corrected(example: str, chosen: Sequence[str], others: Mapping[str, str]) -> CorrectedPattern:
    """Return the pattern of the chosen links. `others`: the links that are not articles, with their texts."""
    wanted = list(dict.fromkeys([example, *chosen]))
    if len(wanted) < 2:
        return CorrectedPattern("", problem="Mark at least one link besides the example.")
    links = (*(PageLink(url, "") for url in wanted), *(PageLink(url, text) for url, text in others.items()))
    evidence = SiteLinks(example, (SeenPage(example, links),), frozenset(), dict.fromkeys(others, LEFT_BY_PERSON))
    best: CorrectedPattern | None = None
    for dates in ("all", "folders", "none"):
        try:
            text = infer(evidence, [address_of(url, dates) for url in wanted]).pattern
            pattern = Pattern.parse(text)
        except PatternError:
            continue
        missed = tuple(url for url in wanted if not pattern.match(url))
        too_many = tuple(url for url in others if pattern.match(url))
        result = CorrectedPattern(text, missed, too_many)
        if best is None or len(missed) + len(too_many) < len(best.missed) + len(best.too_many):
            best = result
    return best or CorrectedPattern("", problem="No pattern fits these links.")


def with_pattern(result: Mapping[str, Any], pattern: str) -> dict[str, Any]:
    """Return a survey's result whose links are judged by another pattern."""
    compiled = Pattern.parse(pattern, result["task"]["example"])
    links = [*result["taken"], *result["left"]]
    reasons = {link["url"]: link.get("reason", "") for link in result["left"]}
    taken = [link for link in links if compiled.match(link["url"])]
    left = [
        link | {"reason": compiled.difference(link["url"]) or reasons.get(link["url"], "")}
        for link in links
        if not compiled.match(link["url"])
    ]
    return {**result, "task": {**result["task"], "pattern": pattern}, "taken": taken, "left": left, "doubtful": []}
