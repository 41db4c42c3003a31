"""`exemplar status`: what the system does at this moment."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.options import examples, json_option, print_json, say, tasks_file, tasks_option

if TYPE_CHECKING:
    import redis

    from workers.ledger import Ledger

WIDTH = 140  # characters, where standard output is no terminal


@click.command(epilog=examples("exemplar status", "exemplar status --json", "exemplar status --problems kuaibao"))
@tasks_option
@click.option(
    "--problems", metavar="TASK", help="List the task's rejected and failed URLs, and those to be tried again."
)
@click.option("--days", metavar="TASK", help="The task's counts by the day on which its URLs were first seen (UTC).")
@json_option
def command(tasks: Path | None, problems: str | None, days: str | None, as_json: bool) -> None:
    """Tasks with their next run and counts, the queue, and the workers that are alive."""
    from console.status import overview, table
    from crawler.politeness.host_states import in_words
    from workers.connection import connect
    from workers.embedded import redis_for
    from workers.quarantine import state_folder

    file = tasks_file(tasks)
    with redis_for(state_folder(file.absolute().parent), purpose="status", say=say) as url:
        connection = connect(url)
        if problems is not None:
            _show_problems(connection, problems, as_json)
            return
        if days is not None:
            _show_days(connection, days, as_json)
            return
        seen = overview(connection)
    if as_json:
        print_json(seen)
        return
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    if not seen["tasks"]:
        console.print("no tasks are published yet; start `exemplar run`")
        return
    console.print(table(seen))
    console.print(f"\nqueue: {seen['queue']['jobs']} jobs; due: {len(seen['queue']['due'])}", highlight=False)
    for process in seen["processes"]:
        console.print(f"alive: {process['name']}", highlight=False)
    if not seen["processes"]:
        console.print("no worker is alive")
    for host in seen["hosts"]:
        console.print(in_words(host), highlight=False, markup=False)
    for row in seen["tasks"]:
        for problem in (row["last_run"] or {}).get("problems", []):
            console.print(f"{row['task']}: {problem}", highlight=False, markup=False)


def _ledger(connection: "redis.Redis", task: str) -> "Ledger":
    from workers.ledger import Ledger, ledgers

    if task not in ledgers(connection):
        raise click.UsageError(f"no task {task!r} has run; known are {', '.join(ledgers(connection)) or 'none'}")
    return Ledger(connection, task)


def _moment(seconds: str) -> str:
    return datetime.fromtimestamp(float(seconds), UTC).isoformat(timespec="seconds")


def _show_days(connection: "redis.Redis", task: str, as_json: bool) -> None:
    from workers.url_states import FINAL_STATES

    ledger = _ledger(connection, task)
    rows = [
        {
            "day": day.isoformat(),
            "seen": counts.seen,
            "open": counts.open,
            **{s: counts.states[s] for s in FINAL_STATES},
        }
        for day, counts in ledger.days().items()
    ]
    if as_json:
        for row in rows:
            print_json(row)
        return
    click.echo("\t".join(("day", "seen", "open", *FINAL_STATES)))
    for row in rows:
        click.echo("\t".join(map(str, row.values())))


def _show_problems(connection: "redis.Redis", task: str, as_json: bool) -> None:
    ledger = _ledger(connection, task)
    settled = [row | {"at": _moment(row["at"])} for row in ledger.problems()]
    rows = [row for row in ledger.open_urls("waiting") if row["reason"]] + settled
    for row in rows:
        if as_json:
            print_json(row)
        else:
            click.echo(f"{row['state']}\t{row['reason']}\t{row['url']}")
