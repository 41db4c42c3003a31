"""`exemplar work crawl` and `exemplar work extract`: the workers of a cluster."""

import os
import signal
from typing import Any

import click

from console.options import counted, examples, log_to_stderr, print_json, say, verbose_option


@click.group(epilog=examples("exemplar work crawl -n 2", "exemplar work extract -n 8"))
def command() -> None:
    """Run workers of one kind against one Redis; start as many, on as many machines, as you like."""


@command.command(epilog=examples("REDIS_URL=redis://queue:6379/0 exemplar work crawl -n 2"))
@click.option("-n", "--number", type=click.IntRange(min=1), default=2, show_default=True, help="Spiders at a time.")
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
        say(f"{counted(number, 'crawl worker')} at work; Ctrl-C ends")
        workers.run(on_report=lambda task, report: print_json({"task": task, **report}))


@command.command(epilog=examples("exemplar work extract -n 8", "exemplar work extract --until-empty"))
@click.option("-n", "--number", type=click.IntRange(min=1), help="Worker processes.  [default: one a processor]")
@click.option("--until-empty", is_flag=True, help="End when no page waits.")
@verbose_option
def extract(number: int | None, until_empty: bool, verbose: bool) -> None:
    """Cut the articles out of fetched pages and write them."""
    from workers.embedded import redis_for
    from workers.quarantine import state_folder
    from workers.supervisor import Supervisor

    log_to_stderr(verbose)
    count = number or os.cpu_count() or 2
    with redis_for(state_folder(), purpose="work extract", say=say) as url:
        supervisor = Supervisor(url, count, state=state_folder().absolute(), until_empty=until_empty)
        _stop_by_signal(supervisor.stop)
        say(
            f"{counted(count, 'extraction worker')} at work; "
            + ("they end when no page waits" if until_empty else "Ctrl-C ends")
        )
        if not supervisor.run(on_problem=_once(say)):
            say("problem: pages wait that can't be written; they are kept")
            raise click.exceptions.Exit(1)


def _stop_by_signal(stop: Any) -> None:
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def _once(speak: Any) -> Any:
    """Say each trouble once, not for every page that meets it."""
    said: set[str] = set()

    def speak_once(text: str) -> None:
        if text not in said:
            said.add(text)
            speak(f"problem: {text}")

    return speak_once
