"""`exemplar run`: all parts of the system on this machine."""

import os
import signal
from pathlib import Path

import click

from console.options import counted, examples, exit_option, log_to_stderr, say, tasks_argument, verbose_option


@click.command(
    epilog=examples("exemplar run --once", "exemplar run news/tasks.yaml --workers 4", "exemplar run --once | tail -1")
)
@tasks_argument
@click.option("--once", is_flag=True, help="Run every task once, wait until all is written, then stop.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Extraction processes.  [default: one a processor, at most 4]"
)
@click.option(
    "--crawlers", type=click.IntRange(min=1), default=4, show_default=True, help="Number of spiders at a time."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines, even on a terminal.")
@exit_option
@verbose_option
def command(
    tasks: Path | None, once: bool, workers: int | None, crawlers: int, as_json: bool, exits: bool, verbose: bool
) -> None:
    """Schedule, crawl, extract and write, for the tasks of TASKS.YAML (default: tasks.yaml here).

    Uses the Redis of REDIS_URL, or starts an embedded one in .exemplar/ beside the file. Ctrl-C stops the run; nothing
    is lost. A terminal shows progress live; other outputs get JSON lines, the last of them the accounting.
    """
    from console.progress import progress_for
    from console.runner import Runner
    from crawler.session import contact_of
    from crawler.task_list.file import load
    from workers.embedded import redis_for
    from workers.state_folder import state_folder

    log_to_stderr(verbose)
    file = (tasks or Path("tasks.yaml")).absolute()
    loaded = load(file)
    if not loaded.tasks:
        raise click.UsageError(f"{file} has no tasks; add one, or see `exemplar init`")
    if not contact_of(loaded.settings):
        say("note: settings.contact is not set: public sites are not crawled until it is")
    state = state_folder(file.parent).absolute()
    count = workers or min(4, os.cpu_count() or 2)
    with redis_for(state, purpose="run", say=say) as url, progress_for(as_json) as progress:
        runner = Runner(
            url,
            file,
            workers=count,
            crawlers=crawlers,
            on_event=progress.event,
            exits_without_redis=exits,
        )
        signal.signal(signal.SIGINT, runner.stop)
        signal.signal(signal.SIGTERM, runner.stop)
        say(
            f"{counted(len(loaded.tasks), 'task')} of {file}; "
            + ("each that is not paused runs once" if once else "they run on schedule; press Ctrl-C to stop")
        )
        accounting = runner.run(once=once, on_look=progress.look)
        progress.end(accounting, once=once)
    if accounting.gave_up or (once and not accounting.ok):
        raise click.exceptions.Exit(1)
