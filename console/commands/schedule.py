"""`exemplar schedule`: the scheduler of a cluster."""

import signal
from pathlib import Path

import click

from console.options import counted, examples, exit_option, log_to_stderr, say, tasks_argument, verbose_option


@click.command(epilog=examples("REDIS_URL=redis://queue:6379/0 exemplar schedule tasks.yaml"))
@tasks_argument
@click.option("--take-over", is_flag=True, help="Publish this task list in place of another one.")
@exit_option
@verbose_option
def command(tasks: Path | None, take_over: bool, exits: bool, verbose: bool) -> None:
    """Publish the task list, watch it for edits, and make tasks due at their time.

    Any number of schedulers may share one Redis; each task is still started once.
    """
    from crawler.scheduling.scheduler import Scheduler
    from workers.connection import connect
    from workers.embedded import redis_for
    from workers.quarantine import state_folder

    log_to_stderr(verbose)
    file = tasks or Path("tasks.yaml")
    with redis_for(state_folder(file.absolute().parent), purpose="schedule", say=say) as url:
        scheduler = Scheduler(connect(url), file, take_over=take_over, exits_without_redis=exits, on_notice=say)
        scheduler.start()
        signal.signal(signal.SIGTERM, scheduler.stop)
        signal.signal(signal.SIGINT, scheduler.stop)
        say(f"scheduling {counted(scheduler.tasks, 'task')} of {file}; press Ctrl-C to stop")
        scheduler.run(on_fired=lambda names: say(f"due: {', '.join(names)}") if verbose else None)
