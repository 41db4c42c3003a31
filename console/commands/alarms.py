"""`exemplar alarms`: shows or dismisses alarms, with evidence and advice, or sends a notice as a test."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click
import redis

from console.options import examples, json_option, known_ledger, redis_of, tasks_file, tasks_option
from console.terminal import counted, moment, print_json, say, show
from crawler.notifying import NoticeNotSent, send, shown_target
from crawler.task_list.file import load
from workers.health.alarms import Alarm, AlarmKind
from workers.health.store import HealthReport, dismiss_alarms, health_report, present_alarms

SHOWN_URLS = 3


@click.command(
    epilog=examples(
        "exemplar alarms",
        "exemplar alarms kuaibao --json",
        "exemplar alarms kuaibao --dismiss --kind 'template changed'",
        "exemplar alarms kuaibao --test",
    )
)
@click.argument("task", required=False)
@click.option("--dismiss", is_flag=True, help="End the open alarms of TASK: what they show is usual from now on.")
@click.option("--kind", type=click.Choice(get_args(AlarmKind)), help="Only alarms of this kind.")
@click.option("--test", "is_test", is_flag=True, help="Send a notice to the addresses of TASK, or of all tasks.")
@tasks_option
@json_option
def command(
    task: str | None, dismiss: bool, kind: AlarmKind | None, is_test: bool, tasks: Path | None, as_json: bool
) -> None:
    """Show open alarms with their evidence and what to do; with TASK also its earlier alarms.

    Exit codes: 0 no open alarms, or the command succeeded, 1 there are open alarms or a notice could not be sent.
    """
    if dismiss and not task:
        raise click.UsageError("--dismiss needs a TASK")
    file = tasks_file(tasks)
    if is_test:
        _send_tests(file, task)
        return
    with redis_of(tasks, purpose="alarms") as connection:
        if dismiss and task:
            _dismiss(connection, task, kind)
            return
        alarms = _alarms(connection, task, kind)
        report = health_report(connection, known_ledger(connection, task).task) if task else None
    if as_json:
        print_json(report.to_dict() if report else [alarm.to_dict() for alarm in alarms])
    else:
        _show(alarms, report)
    if alarms:
        raise click.exceptions.Exit(1)


def _alarms(connection: redis.Redis, task: str | None, kind: AlarmKind | None) -> list[Alarm]:
    alarms = present_alarms(connection, None if task is None else [task])
    return [alarm for alarm in alarms if kind in (None, alarm.kind)]


def _dismiss(connection: redis.Redis, task: str, kind: AlarmKind | None) -> None:
    known_ledger(connection, task)
    ended = dismiss_alarms(connection, task, [kind] if kind else None)
    show(f"{task}: dismissed: {', '.join(ended)}" if ended else f"{task}: no such alarm is open")


def _show(alarms: Sequence[Alarm], report: HealthReport | None) -> None:
    for alarm in alarms:
        show(f"{alarm.task}: {alarm.in_words()}")
        for url in alarm.urls[:SHOWN_URLS]:
            show(f"    {url}")
        show(f"    what to do: {alarm.advice}")
    if not alarms:
        show("no open alarms" if report is None else f"{report.task}: no open alarms")
    if report is None:
        return
    show(f"observed: {counted(report.pages, 'page')} and {counted(report.visits, 'visit')}")
    for alarm in report.history:
        show(f"    earlier: {alarm.in_words()}, ended {moment(alarm.ended or alarm.last)}")


def _send_tests(file: Path, task: str | None) -> None:
    """Send a notice to each address of a task, or of all tasks of the file, once."""
    loaded = load(file)
    chosen = [loaded[task]] if task else list(loaded.tasks.values())
    targets = list(dict.fromkeys(address for some in chosen for address in some.notify))
    if not targets:
        raise click.UsageError("no address is named: add `notify:` to a task or to `defaults:`")
    failed = 0
    for address in targets:
        try:
            send(address, "Exemplar: a test", "Alarms of your tasks will be sent here.")
        except NoticeNotSent as error:
            failed += 1
            say(f"not sent: {error}")
        else:
            show(f"sent to {shown_target(address)}")
    if failed:
        raise click.exceptions.Exit(1)
