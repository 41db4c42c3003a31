"""`exemplar schedule`: the scheduler of a cluster."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.options import (
    counted,
    examples,
    exit_option,
    log_format_option,
    log_to_stderr,
    refuse_task_name,
    say,
    tasks_argument,
    verbose_option,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.scheduling.scheduler import Scheduler
    from crawler.task_list.models import TaskFile
    from crawler.task_list.publication import Change
    from workers.redis_access.servers import RedisServer, RedisServers


@click.command(epilog=examples("REDIS_URL=redis://queue:6379/0 exemplar schedule tasks.yaml"))
@tasks_argument
@click.option("--take-over", is_flag=True, help="Publish this task list in place of another one.")
@exit_option
@verbose_option
@log_format_option
def command(tasks: Path | None, take_over: bool, exits: bool, verbose: bool, log_format: str | None) -> None:
    """Publish the task list, watch it for edits, and make tasks due at their time.

    Any number of schedulers may share one Redis; each task is still started once.
    """
    from console.several_servers import ServerPart, notices_of, serve
    from crawler.scheduling.scheduler import Scheduler
    from workers.redis_access.embedded import redis_for
    from workers.redis_access.servers import RedisServers
    from workers.state_folder import state_folder

    log_to_stderr(verbose, log_format)
    file = tasks or Path("tasks.yaml")
    refuse_task_name(file, "schedule")
    with redis_for(state_folder(file.absolute().parent), purpose="schedule", say=say) as url:
        servers = RedisServers(url)
        if len(servers) > 1:
            schedulers = _schedulers(servers, file, take_over, exits)
        else:
            server = servers[0]
            schedulers = [
                Scheduler(
                    server.connection,
                    file,
                    take_over=take_over,
                    exits_without_redis=exits,
                    on_notice=say,
                    on_change=_teller(server, file, say),
                )
            ]
        for server, scheduler in zip(servers, schedulers, strict=True):
            _tell_notes(server, scheduler.start(), file, notices_of(server, servers, say))
        scheduled = counted(sum(scheduler.tasks for scheduler in schedulers), "task")
        say(f"scheduling {scheduled} of {file}; press Ctrl-C to stop")
        on_fired = (lambda names: say(f"due: {', '.join(names)}")) if verbose else None
        pairs = zip(servers, schedulers, strict=True)
        serve([ServerPart(server.name, partial(own.run, on_fired), own.stop) for server, own in pairs], say)


def _teller(server: "RedisServer", file: Path, tell: "Callable[[str], None]") -> "Callable[[Change], None]":
    """Return a function that prints the tasks that an edit of the file changed, with advice."""

    def tell_change(change: "Change") -> None:
        tell(f"{file}: {change.in_words()}")
        _tell_notes(server, change, file, tell)

    return tell_change


def _tell_notes(server: "RedisServer", change: "Change", file: Path, tell: "Callable[[str], None]") -> None:
    """Print the effect of a change of the task list on existing rows and URLs, with the command for it."""
    from console.task_changes import notes_on

    for text in notes_on(server.connection, change, file.absolute().parent):
        tell(f"note: {text}")


def _schedulers(servers: "RedisServers", file: Path, take_over: bool, exits: bool) -> "list[Scheduler]":
    """Return a scheduler for each server, each of which reads its part of the file."""
    from console.several_servers import notices_of
    from crawler.scheduling.scheduler import Scheduler
    from crawler.task_list.file import load
    from crawler.task_list.placement import in_words, part_of
    from crawler.task_list.publication import forget_source

    def reader(server: "RedisServer") -> "Callable[[Path], TaskFile]":
        def read(path: Path) -> "TaskFile":
            part = part_of(load(path), servers, server)
            if text := in_words(part):
                say(text)
            return part.tasks

        return read

    for server in servers:
        forget_source(server.connection)  # the set of servers may have changed since the last start
    return [
        Scheduler(
            server.connection,
            file,
            take_over=take_over,
            read=reader(server),
            exits_without_redis=exits,
            on_notice=notices_of(server, servers, say),
            on_change=_teller(server, file, notices_of(server, servers, say)),
        )
        for server in servers
    ]
