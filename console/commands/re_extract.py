"""`exemplar re-extract TASK`: extracts the kept pages again, without a request."""

import os
from datetime import UTC
from pathlib import Path
from typing import Any

import click

from console.options import (
    DAY,
    examples,
    json_option,
    known_ledger,
    redis_url_of,
    task_argument,
    tasks_file,
    tasks_option,
)
from console.terminal import counted, print_json, say, show, tallied
from crawler.logs import start_logging
from crawler.task_list.file import load
from crawler.task_list.publication import publish
from workers.extraction.re_extraction import ReExtraction, kept_pages_for
from workers.processes import stop_by_signal
from workers.redis_access.connection import connect
from workers.worker_processes.supervisor import Supervisor


@click.command(epilog=examples("exemplar re-extract kuaibao", "exemplar re-extract kuaibao --since 2024-03-01"))
@task_argument
@click.option("--since", type=DAY, metavar="DAY", help="Only pages fetched since DAY (UTC).")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Extraction workers.  [default: one per core]")
@tasks_option
@json_option
def command(task: str, since: Any, workers: int | None, tasks: Path | None, as_json: bool) -> None:
    """Extract the kept pages of TASK again, and write new versions of the rows whose title or text differs.

    The task needs `keep_pages`. Nothing is fetched. Example and method are those of tasks.yaml; `exemplar backtest`
    shows the effect of others before they are set there.
    """
    start_logging()
    file = tasks_file(tasks).absolute()
    with redis_url_of(file.parent, purpose="re-extract") as url:
        connection = connect(url)
        if file.exists():
            publish(connection, load(file), file, take_over="REDIS_URL" not in os.environ)
        ledger = known_ledger(connection, task)
        first = since.replace(tzinfo=UTC).timestamp() if since is not None else 0.0
        work = ReExtraction(ledger, kept_pages_for(ledger), since=first)
        supervisor = Supervisor(url, workers or os.cpu_count() or 2, until=work.step)
        stop_by_signal(supervisor.stop)
        is_done = supervisor.run(lambda problem, is_over: say(problem.in_words(is_over)), on_notice=say)
    counts = {kind: work.counts[kind] for kind in ("same", "changed", "refused", "failed", "postponed")}
    if as_json:
        print_json({"task": task, "pages": work.counts.total(), **counts, "failures": work.failures})
    else:
        show(f"{task}: {counted(work.counts.total(), 'page')}: {tallied(counts)}")
        for failure in work.failures:
            show(f"  failed: {failure}")
    if not is_done:
        say("problem: output unavailable; pages and rows are kept")
    if work.counts["failed"] or not is_done:
        raise click.exceptions.Exit(1)
