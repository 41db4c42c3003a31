"""Tries the outputs of a task list: opens each, connects, creates what is missing, and writes no row.

Many outputs are tried at a time, each in a thread of its own, since a connection to an unavailable server may take long
to fail. A thread that does not return in time is left behind; it ends with the process.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Literal

import redis

from crawler.task_list.models import TaskFile
from workers.addresses import shown
from workers.errors import OutputError, SinkUnavailable
from workers.ledger import Ledger
from workers.redaction import concealed
from workers.sinks import OutputOptions, RowCondition, Target, expand, kind_of, open_sink
from workers.sinks.reading import files_of

AT_A_TIME = 16
LIMIT = 30.0  # seconds for one output: each method of a sink returns within that time
NAMED = 3  # tasks that are named in a message

Outcome = Literal["ok", "invalid", "unavailable"]


@dataclass(frozen=True, slots=True)
class OutputToTry:
    """One output, and the tasks that write to it. `output`: `${VARIABLES}` unexpanded."""

    output: str
    tasks: tuple[str, ...]
    folder: Path
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
        OutputToTry(output, tuple(names), folder, options.get(output, OutputOptions()))
        for output, names in writers.items()
    ]


def try_output(output: OutputToTry) -> TriedOutput:
    """Open an output and check it. Never raises: errors of libraries are problems of the output, too."""
    try:
        sink = open_sink(output.output, output.tasks[0], output.folder, output.options)
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
    at_a_time: int = AT_A_TIME,
    try_one: Callable[[OutputToTry], TriedOutput] = try_output,
) -> list[TriedOutput]:
    """Try the outputs, and return the results in their order. `limit`: seconds for one."""
    results: dict[str, TriedOutput] = {}

    def work(output: OutputToTry) -> None:
        results[output.output] = try_one(output)

    for start in range(0, len(outputs), at_a_time):
        threads = [
            threading.Thread(target=work, args=(one,), daemon=True) for one in outputs[start : start + at_a_time]
        ]
        for thread in threads:
            thread.start()
        end = time.monotonic() + limit
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
    late = f"no answer within {limit:g} seconds"
    return [results.get(output.output) or TriedOutput(output, "unavailable", late) for output in outputs]


def emptied_outputs(tasks: TaskFile, connection: "redis.Redis") -> list[str]:
    """Return a warning for each file output without a row whose task has written rows. No file is read whole."""
    warnings = []
    for name, task in tasks.tasks.items():
        written, some = Ledger(connection, name).counts().states["written"], task.output_options()
        for output in task.outputs() if written else ():
            options = some.get(output, OutputOptions())
            has_all, is_whole = options.where == RowCondition(), not options.fields
            if has_all and _is_empty(output, name, tasks.folder.absolute(), is_whole):
                warnings.append(
                    f"task {name}: output {shown(output)} has no row, but {written} URLs count as written. To fill it "
                    f"from another output: exemplar export {name} --to {shown(output)}; to fetch them again: exemplar "
                    f"forget {name}"
                )
    return warnings


def _is_empty(output: str, task: str, folder: Path, is_whole: bool) -> bool:
    """Whether an output is a file of this machine that is missing or has no row. `is_whole`: rows have all fields."""
    with suppress(OutputError, SinkUnavailable):
        target = Target(expand(output, task), output, task, folder)
        kind = kind_of(target.address)
        if kind is not None and kind.reads and is_whole:
            return next(kind.rows(target), None) is None
        if kind is not None and not kind.is_queued:
            path, placeholder, _ = str(folder / Path(target.address).expanduser()).partition("{")
            names = Path(f"{path}_").parent.glob("[!.]*") if placeholder else files_of(escape(path))
            return not any(file.stat().st_size for file in names)
    return False


def _words(output: OutputToTry, error: Exception) -> str:
    """Return an error's text without secrets, and without what `OutputToTry.name` already contains."""
    words = concealed(str(error))
    name = shown(output.output)
    for prefix in (f"task {output.tasks[0]}: ", f"output {name}: ", "output unavailable: ", f"{name}: "):
        words = words.removeprefix(prefix)
    return words
