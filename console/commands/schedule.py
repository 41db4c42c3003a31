"""`exemplar schedule`: the scheduler of a cluster."""

from functools import partial
from pathlib import Path

import click
import redis

from console.options import examples, exit_option, logging_options, redis_url_of, tasks_argument
from console.terminal import counted, say
from crawler.scheduling.scheduler import Scheduler
from crawler.task_list.publication import Change, notes_on
from workers.processes import stop_by_signal
from workers.redis_access.connection import connect


@click.command(epilog=examples("REDIS_URL=redis://queue:6379/0 exemplar schedule tasks.yaml"))
@tasks_argument
@click.option("--take-over", is_flag=True, help="Publish this task list in place of another one.")
@exit_option
@logging_options
def command(tasks: Path | None, take_over: bool, exits: bool) -> None:
    """Publish the task list, watch it for edits, and make tasks due at their time.

    Any number of schedulers may share one Redis; each task is still started once.
    """
    file = tasks or Path("tasks.yaml")
    with redis_url_of(file.absolute().parent, purpose="schedule") as url:
        connection = connect(url)
        scheduler = Scheduler(
            connection,
            file,
            take_over=take_over,
            exits_without_redis=exits,
            on_notice=say,
            on_change=partial(_tell_change, connection, file),
        )
        _tell_notes(connection, scheduler.start())
        say(f"scheduling {counted(scheduler.tasks, 'task')} of {file}; press Ctrl-C to stop")
        stop_by_signal(scheduler.stop)
        scheduler.run()


def _tell_change(connection: redis.Redis, file: Path, change: Change) -> None:
    """Print the tasks that an edit of the file changed."""
    say(f"{file}: {change.in_words()}")
    _tell_notes(connection, change)


def _tell_notes(connection: redis.Redis, change: Change) -> None:

    for text in notes_on(connection, change):
        say(f"note: {text}")
