"""`exemplar work crawl` and `exemplar work extract`: the workers of a cluster."""

import os
import signal
from typing import Any

import click

from console.options import counted, examples, log_to_stderr, print_json, say, verbose_option


@click.group(epilog=examples("exemplar work crawl -n 2", "exemplar work extract -n 8"))
def command() -> None:
    """Run workers of one kind; any number of them may share one Redis, on any number of machines."""


@command.command(epilog=examples("REDIS_URL=redis://queue:6379/0 exemplar work crawl -n 2"))
@click.option(
    "-n", "--number", type=click.IntRange(min=1), default=2, show_default=True, help="Number of spiders at a time."
)
@verbose_option
def crawl(number: int, verbose: bool) -> None:
    """Take due tasks from the schedule and run their spiders."""
    from crawler.scheduling.crawl_worker import CrawlWorkers
    from workers.connection import connect
    from workers.embedded import redis_for
    from workers.quarantine import state_folder

    log_to_stderr(verbose)
    with redis_for(state_folder(), purpose="work crawl", say=say) as url:
        workers = CrawlWorkers(url, connect(url), number)
        _stop_by_signal(workers.stop)
        say(f"{counted(number, 'crawl worker')} running; press Ctrl-C to stop")
        workers.run(on_report=lambda task, report: print_json({"task": task, **report}))


@command.command(epilog=examples("exemplar work extract -n 8", "exemplar work extract --until-empty"))
@click.option("-n", "--number", type=click.IntRange(min=1), help="Worker processes.  [default: one a processor]")
@click.option("--until-empty", is_flag=True, help="Stop when no page waits.")
@verbose_option
def extract(number: int | None, until_empty: bool, verbose: bool) -> None:
    """Extract the articles of fetched pages and write their rows."""
    from workers.embedded import redis_for
    from workers.quarantine import state_folder
    from workers.supervisor import Supervisor

    log_to_stderr(verbose)
    count = number or os.cpu_count() or 2
    with redis_for(state_folder(), purpose="work extract", say=say) as url:
        supervisor = Supervisor(url, count, state=state_folder().absolute(), until_empty=until_empty)
        _stop_by_signal(supervisor.stop)
        say(
            f"{counted(count, 'extraction worker')} running; "
            + ("they stop when no page waits" if until_empty else "press Ctrl-C to stop")
        )
        if not supervisor.run(on_problem=_each_once(say)):
            say("problem: output unavailable; pages are kept")
            raise click.exceptions.Exit(1)


def _stop_by_signal(stop: Any) -> None:
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def _each_once(report: Any) -> Any:
    """Return a function that reports each problem only once, not for each page."""
    reported: set[str] = set()

    def report_once(text: str) -> None:
        if text not in reported:
            reported.add(text)
            report(f"problem: {text}")

    return report_once
