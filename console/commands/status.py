"""`exemplar status`: the present state of the system."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote

import click
import redis

from console.locale import in_language
from console.options import complete_tasks, examples, json_option, known_ledger, redis_of, tasks_file, tasks_option
from console.output_checks import emptied_outputs
from console.overview import Overview, overview
from console.problems import Group, groups, print_groups, show_groups
from console.status_table import died_line, output_lines, overview_json, pressure_lines, process_line, table
from console.terminal import counted, print_json, say, show, show_data, wide_console
from crawler.politeness.pace import in_words
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError, suggest
from workers.extraction_config import config_of
from workers.ledger import Ledger, ledgers
from workers.task_state import problems as url_problems

EVERY_TASK = "*"  # cannot be a task's name


@click.command(
    epilog=examples(
        "exemplar status",
        "exemplar status --json",
        "exemplar status --problems kuaibao",
        "exemplar status --problems kuaibao --reason 'a list'",
    )
)
@click.argument("names", nargs=-1, metavar="[TASK]…", shell_complete=complete_tasks)
@tasks_option
@click.option(
    "--problems",
    metavar="[TASK]",
    shell_complete=complete_tasks,
    is_flag=False,
    flag_value=EVERY_TASK,
    help="URLs without a row, by reason: rejected, failed, to be tried again; of TASK, or of all tasks.",
)
@click.option(
    "--reason", metavar="TEXT", help="With --problems: only reasons that begin with TEXT, with all their URLs."
)
@click.option("--all", "complete", is_flag=True, help="With --problems: all URLs of each reason.")
@json_option
def command(
    names: tuple[str, ...], tasks: Path | None, problems: str | None, reason: str | None, complete: bool, as_json: bool
) -> None:
    """Show tasks with their next run and counts, the queue, and the live processes; of the tasks only TASKs, if named.

    --problems shows some URLs for each reason; with --json all of them, one per line.
    """

    if problems is None and (reason is not None or complete):
        raise click.UsageError("--reason and --all can only be used with --problems TASK")
    file = tasks_file(tasks)
    with redis_of(tasks, purpose="status") as connection:
        if problems is not None:
            _show_problems(connection, problems, reason, complete or reason is not None, as_json)
            return
        state = overview(connection)
        emptied: list[str] | None = None
        with suppress(TaskError):  # this machine may not have the task list
            emptied = emptied_outputs(load(file), connection)
    if names:
        state = _choose(state, names)
        emptied = [text for text in emptied or () if text.partition(":")[0].removeprefix("task ") in names]
    if as_json:
        print_json(overview_json(state) | ({} if emptied is None else {"emptied": emptied}))
        return
    console = wide_console()
    tasks_shown = state.tasks.tasks
    if not tasks_shown:
        show("no tasks are published yet; start `exemplar run`")
        return
    console.print(table(tasks_shown, console.width))
    _show_cluster(state)
    alarms = [f"alarm: {alarm.task}: {alarm.in_words()}" for alarm in state.tasks.alarms]
    for line in [*alarms, *(emptied or ()), *(in_words(host.to_dict()) for host in state.machines.hosts)]:
        show(line)
    for task in tasks_shown.values():
        for problem in (task.last_run or {}).get("problems", []):
            show_data(f"{task.name}: {in_language(problem)}")


def _choose(state: Overview, names: Sequence[str]) -> Overview:
    """Return an overview with some tasks only. Raises `click.UsageError` for an unknown task."""
    known = [*state.tasks.tasks]
    for name in names:
        if name not in known:
            is_file = Path(name).is_file()
            advice = f"exemplar status --tasks {name} shows those of a file" if is_file else suggest(name, known)
            raise click.UsageError(f"unknown task {name!r}; {advice if known else 'no tasks are published yet'}")
    chosen = replace(
        state.tasks,
        tasks={name: task for name, task in state.tasks.tasks.items() if name in names},
        outputs=[output for output in state.tasks.outputs if output.task in names],
        alarms=[alarm for alarm in state.tasks.alarms if alarm.task in names],
    )
    return replace(state, tasks=chosen)


def _show_cluster(state: Overview) -> None:
    """Print the queue, the processes and the present problems."""

    machines, server = state.machines, state.machines.redis
    now, waited = machines.at, machines.oldest_page
    oldest = f"; the oldest page has waited for {waited:.0f} s" if waited is not None else ""
    queue = f"\nqueue: {machines.jobs} jobs, {machines.pages.pages} pages; due: {len(state.tasks.due)}{oldest}"
    lines = [queue, *pressure_lines(machines), *output_lines(state.tasks.outputs)]
    program = f" ({server['program']})" if server["program"] else ""
    lines.append(f"redis: {server['product']} {server['version']}{program}")
    lines += [f"alive: {process_line(process, now)}" for process in machines.living]
    lines += [f"died: {died_line(process, now)}" for process in machines.dead]
    if not machines.living:
        lines.append("no worker is running")
    lines += [f"{problem.in_words()} on {', '.join(problem.nodes)}" for problem in machines.problems]
    show("\n".join(lines))


def _show_problems(connection: redis.Redis, task: str, reason: str | None, complete: bool, as_json: bool) -> None:

    every = task == EVERY_TASK
    for name in ledgers(connection) if every else [known_ledger(connection, task).task]:
        without_row = url_problems.problems(Ledger(connection, name))
        found = groups(without_row, reason)
        if as_json:
            print_groups(name, found)
        elif found:
            total = sum(group.number for group in found)
            show(f"{name}: {counted(total, 'URL')} without a row, for {counted(len(found), 'reason')}")
            show_groups(name, found, "exemplar status --problems", complete=complete)
            _show_what_to_do(connection, name, found)
        elif not every:
            say(f"{task}: " + ("no URLs without a row" if not without_row else f"no reason begins with {reason!r}"))


def _show_what_to_do(connection: redis.Redis, task: str, found: Sequence[Group]) -> None:
    """Print the commands for pages that were judged not to be articles, if there are any."""

    judged = next((group for group in found if group.fate == "judged" and group.urls), None)
    if judged is None:
        return
    config, url = config_of(connection, task), judged.urls[0]
    by = f"--example {config.example} " if config else ""
    show_data("\n" + in_language("To see the text of such a page: ") + f"exemplar extract --article {by}{url}")
    show_data(in_language("To accept it as an article:     ") + f"exemplar accept {task} {url}")
    show_data(in_language("To accept a whole group:        ") + f"exemplar accept {task} --reason {quote(judged.key)}")
