"""Tries the outputs of a task list: opens each, connects, creates what is missing, and writes no row.

Many outputs are tried at a time, each in a thread of its own, since a connection to an unavailable server may take long
to fail. A thread that does not return in time is left behind; it ends with the process.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from crawler.task_list.models import TaskFile
from workers.addresses import shown
from workers.errors import OutputError, SinkUnavailable
from workers.redaction import concealed
from workers.sinks import OutputOptions, open_sink
from workers.sinks.durability import Durability

AT_A_TIME = 16
LIMIT = 30.0  # seconds for one output: each method of a sink returns within that time
LIMIT_OF_ALL = 120.0  # seconds; a list of 100,000 tasks may have 100,000 outputs
NAMED = 3  # tasks that are named in a message

Outcome = Literal["ok", "invalid", "unavailable", "not tried"]


@dataclass(frozen=True, slots=True)
class OutputToTry:
    """One output, and the tasks that write to it. `output`: `${VARIABLES}` unexpanded."""

    output: str
    tasks: tuple[str, ...]
    folder: Path
    durability: Durability = "safe"
    options: OutputOptions = field(default_factory=OutputOptions)

    @property
    def name(self) -> str:
        """The output's name in messages, without secrets."""
        more = len(self.tasks) - NAMED
        tasks = ", ".join(self.tasks[:NAMED]) + (f" and {more} more" if more > 0 else "")
        return f"task{'s' if len(self.tasks) > 1 else ''} {tasks}: output {shown(self.output)}"


@dataclass(frozen=True, slots=True)
class TriedOutput:
    """The result of the check. `problem`: in words, without secrets; empty if there is none."""

    of: OutputToTry
    outcome: Outcome
    problem: str = ""


def outputs_to_try(tasks: TaskFile) -> list[OutputToTry]:
    """Return each output of the tasks that are not paused, once."""
    writers: dict[str, list[str]] = {}
    options: dict[str, OutputOptions] = {}
    for task in tasks.tasks.values():
        for output in () if task.paused else dict.fromkeys(task.outputs()):
            writers.setdefault(output, []).append(task.name)
        options |= task.output_options()
    folder = tasks.folder.absolute()
    return [
        OutputToTry(output, tuple(names), folder, tasks.settings.durability, options.get(output, OutputOptions()))
        for output, names in writers.items()
    ]


def try_output(output: OutputToTry) -> TriedOutput:
    """Open an output and check it. Never raises: errors of libraries are problems of the output, too."""
    try:
        sink = open_sink(output.output, output.tasks[0], output.folder, output.durability, output.options)
        try:
            sink.check()
        finally:
            sink.close()
    except SinkUnavailable as error:
        return TriedOutput(output, "unavailable", _words(output, error))
    except OutputError as error:
        return TriedOutput(output, "invalid", _words(output, error))
    except Exception as error:
        words = _words(output, error)
        return TriedOutput(output, "unavailable", f"{type(error).__name__}: {words}" if words else type(error).__name__)
    return TriedOutput(output, "ok")


def try_outputs(
    outputs: Sequence[OutputToTry],
    *,
    limit: float = LIMIT,
    limit_of_all: float = LIMIT_OF_ALL,
    at_a_time: int = AT_A_TIME,
    try_one: Callable[[OutputToTry], TriedOutput] = try_output,
) -> list[TriedOutput]:
    """Try the outputs, and return the results in their order. `limit`: seconds for one, `limit_of_all` for all."""
    results = {id(result.of): result for result in _results(outputs, limit, limit_of_all, at_a_time, try_one)}
    untried = f"not tried: the other outputs took {limit_of_all:g} seconds"
    return [results.get(id(output)) or TriedOutput(output, "not tried", untried) for output in outputs]


def _results(
    outputs: Sequence[OutputToTry],
    limit: float,
    limit_of_all: float,
    at_a_time: int,
    try_one: Callable[[OutputToTry], TriedOutput],
) -> Iterator[TriedOutput]:
    """Yield the results in the order of completion, until all outputs are tried or the time is over."""
    waiting = iter(outputs)
    done: queue.SimpleQueue[TriedOutput] = queue.SimpleQueue()
    running: dict[int, tuple[float, OutputToTry]] = {}
    end = time.monotonic() + limit_of_all
    while time.monotonic() < end:
        for output in waiting:
            running[id(output)] = (time.monotonic() + limit, output)
            threading.Thread(target=lambda one=output: done.put(try_one(one)), daemon=True).start()
            if len(running) >= at_a_time:
                break
        if not running:
            return
        try:
            result = done.get(timeout=max(0.0, min(end, *(until for until, _ in running.values())) - time.monotonic()))
        except queue.Empty:
            for until, output in [*running.values()]:
                if until <= time.monotonic():
                    del running[id(output)]
                    yield TriedOutput(output, "unavailable", f"no answer within {limit:g} seconds")
            continue
        if running.pop(id(result.of), None):
            yield result
    yield from (
        TriedOutput(output, "unavailable", "no answer within the time limit for all outputs")
        for _, output in running.values()
    )


def _words(output: OutputToTry, error: Exception) -> str:
    """Return an error's text without secrets, and without what `OutputToTry.name` already contains."""
    words = concealed(str(error))
    name = shown(output.output)
    for prefix in (f"task {output.tasks[0]}: ", f"output {name}: ", "output unavailable: ", f"{name}: "):
        words = words.removeprefix(prefix)
    return words
