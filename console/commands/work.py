"""`exemplar work crawl` and `exemplar work extract`: the workers of a cluster."""

import os
from typing import Any

import click

from console.options import examples, exit_option, logging_options, redis_url_of, runs_option
from console.terminal import counted, print_json, say
from workers.processes import stop_by_signal


@click.group(epilog=examples("exemplar work crawl --runs 50", "exemplar work extract -n 8"))
def command() -> None:
    """Run workers of one kind; any number of them may share one Redis, on any number of machines."""


@command.command(epilog=examples("REDIS_URL=redis://queue:6379/0 exemplar work crawl --runs 50"))
@runs_option("-n", "--runs")
@exit_option
@logging_options
def crawl(runs: int, exits: bool) -> None:
    """Take due tasks from the schedule and run their spiders, all in one process."""
    from crawler.scheduling.crawl_worker import CrawlWorkers
    from workers.redis_access.connection import connect

    def report(task: str, report: dict[str, Any]) -> None:
        print_json({"task": task, **report})

    with redis_url_of(None, purpose="work crawl") as url:
        workers = CrawlWorkers(url, connect(url), runs, exits_without_redis=exits, on_notice=say)
        stop_by_signal(workers.stop)
        say(f"crawl worker running, for up to {counted(runs, 'run')} at a time; press Ctrl-C to stop")
        workers.run(report)


@command.command(epilog=examples("exemplar work extract -n 8", "exemplar work extract --until-empty"))
@click.option("-n", "--number", type=click.IntRange(min=1), help="Worker processes.  [default: one per processor]")
@click.option("--until-empty", is_flag=True, help="Stop when no page waits.")
@exit_option
@logging_options
def extract(number: int | None, until_empty: bool, exits: bool) -> None:
    """Extract the articles of fetched pages, write their rows and deliver those that are queued."""
    from workers.worker_processes.supervisor import Supervisor

    count = number or os.cpu_count() or 2
    with redis_url_of(None, purpose="work extract") as url:
        say(
            f"{counted(count, 'extraction worker')} running; "
            + ("they stop when no page waits" if until_empty else "press Ctrl-C to stop")
        )
        supervisor = Supervisor(url, count, until_empty=until_empty, exits_without_redis=exits)
        stop_by_signal(supervisor.stop)
        if not supervisor.run(lambda problem, is_over: say(problem.in_words(is_over)), on_notice=say):
            say("problem: output unavailable; pages and rows are kept")
            raise click.exceptions.Exit(1)
