"""`exemplar export`: writes the earlier rows of a task to a new output."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import click

from console.options import DAY, check_value, examples, json_option, task_argument, tasks_file, tasks_option
from console.terminal import counted, print_json, say, show
from crawler.logs import start_logging
from crawler.task_list.file import load
from crawler.task_list.models import Task, TaskFile
from crawler.task_list.outputs import target_of
from crawler.task_list.validators import check_output
from workers.addresses import shown
from workers.errors import OutputError, SinkUnavailable
from workers.rows import Row
from workers.sinks import KINDS, OutputOptions, Target, batch_size, expand, kind_of, open_sink
from workers.sinks.paths import pattern_of
from workers.writing.export import Exported, export_rows

EXIT_FAILED, EXIT_UNAVAILABLE = 1, 3
SHOWN_REFUSALS = 5


@click.command(
    epilog=examples(
        "exemplar export news --to news.db",
        "exemplar export news --to 'postgresql://news:${PASSWORD}@db.example/news' --since 2026-01-01",
        "exemplar export news --from out/news.jsonl --to titles.jsonl",
    )
)
@task_argument
@click.option("--to", "target", required=True, help="The new output, written as in tasks.yaml.")
@click.option("--from", "source", help="The output to read.  [default: the task's first one that can be read]")
@click.option("--since", type=DAY, help="Only rows whose page was fetched on this day (UTC) or later.")
@tasks_option
@json_option
def command(
    task: str, target: str, source: str | None, since: datetime | None, tasks: Path | None, as_json: bool
) -> None:
    """Copy rows that TASK has already delivered into another output.

    Rows are read from an output of the task, the oldest first, and written in batches. Rows that the target already has
    are not written again, so the command may be interrupted and repeated. Relative paths are relative to the folder
    of tasks.yaml. If the target is an output of the task, its `fields:` and `where:` apply.

    Exit codes: 0 ok, 1 the target refused some rows, 2 wrong usage, 3 the source or the target is unavailable.
    """

    start_logging()
    check_value("--to", target, check_output)
    if (kind := kind_of(expand(target, task))) and kind.name == "warc":
        raise click.UsageError(f"--to {shown(target)}: rows have no pages; name an output of rows")
    loaded = load(tasks_file(tasks))
    chosen = loaded[task]
    options = _options(chosen, target)
    read_from = _source(loaded, chosen, source, target)
    folder = loaded.folder.absolute()
    options = replace(options, batch_rows=batch_size(target, task, options)[0])
    sink = open_sink(target, task, folder, options)
    try:
        sink.check()
        names = {task, *chosen.formerly}
        exported = export_rows(_rows(read_from, names, since), sink, options)
    except SinkUnavailable as error:
        say(f"error: {error}; nothing is lost, start again when it is available")
        raise click.exceptions.Exit(EXIT_UNAVAILABLE) from None
    finally:
        sink.close()
    _print_result(task, read_from, target, exported, as_json)
    if exported.refused:
        raise click.exceptions.Exit(EXIT_FAILED)


def _options(task: Task, target: str) -> OutputOptions:
    """Return the options of the target: those in tasks.yaml if it is an output of the task."""

    known = {target_of(name, task.name): options for name, options in task.output_options().items()}
    return known.get(target_of(target, task.name), OutputOptions())


def _source(tasks: TaskFile, task: Task, source: str | None, target: str) -> Target:
    """Return the output to read. Raises `click.UsageError` if none can be read."""

    options, place = task.output_options(), target_of(target, task.name)
    partial = {target_of(name, task.name) for name in options if options[name].fields}  # with some fields only
    readable = [
        name
        for name in sorted(task.outputs(), key=options.__contains__)  # first those without `where`, which have all rows
        if _reads(name, task.name) and target_of(name, task.name) not in {place, *partial}
    ]
    kinds = ", ".join(kind.name for kind in KINDS.values() if kind.reads and kind.name != "sqlite address")
    if source is None and not readable:
        raise click.UsageError(
            f"task {task.name} has no other output whose rows can be read; name one with --from. Rows can be read from "
            f"{kinds}, with all fields"
        )
    chosen = source or readable[0]
    if target_of(chosen, task.name) == place:
        raise click.UsageError(f"--from and --to are the same output: {shown(target)}")
    if target_of(chosen, task.name) in partial:
        raise click.UsageError(f"output {shown(chosen)} has only some fields of the rows; name another with --from")
    if not _reads(chosen, task.name):
        raise click.UsageError(f"rows cannot be read from {shown(chosen)}; they can be read from {kinds}")
    found = Target(expand(chosen, task.name), chosen, task.name, tasks.folder.absolute())
    if "{" in found.address:
        try:
            pattern_of(found)
        except OutputError as error:
            raise click.UsageError(f"--from: {error}") from None
    return found


def _reads(output: str, task: str) -> bool:
    """Whether the rows of an output can be read."""

    kind = kind_of(expand(output, task))
    return kind is not None and bool(kind.reads)


def _rows(source: Target, names: Collection[str], since: datetime | None) -> Iterator[Row]:
    """Yield the rows of an output that have one of the task's names. Raises `SinkUnavailable`."""

    kind = kind_of(source.address)
    assert kind is not None
    for row in kind.rows(source):
        if row["task"] in names and (since is None or _day(row["fetched_at"]) >= since.date()):
            yield row


def _day(fetched_at: str) -> date:
    try:
        moment = datetime.fromisoformat(fetched_at)
    except ValueError:
        return date.min
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()


def _print_result(task: str, source: Target, target: str, exported: Exported, as_json: bool) -> None:
    refused = [
        {"canonical_url": url, "version": version, "reason": reason}
        for (_, url, version), reason in exported.refused.items()
    ]
    if as_json:
        counts = {"read": exported.read, "written": exported.written, "left_out": exported.left_out}
        print_json({"task": task, "from": shown(source.label), "to": shown(target), **counts, "refused": refused})
        return
    left_out = f", {exported.left_out} left out by `where`" if exported.left_out else ""
    show(f"{task}: {counted(exported.written, 'row')} from {shown(source.label)} are in {shown(target)}{left_out}")
    for row in refused[:SHOWN_REFUSALS]:
        say(f"refused: {row['canonical_url']}: {row['reason']}")
    if len(refused) > SHOWN_REFUSALS:
        say(f"refused: {len(refused) - SHOWN_REFUSALS} more")
