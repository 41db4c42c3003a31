"""`exemplar failures`: lists, shows, retries or drops failed pages and refused rows, on any machine."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import redis

from console.options import (
    complete_tasks,
    examples,
    json_option,
    known_ledger,
    ledger_of,
    redis_of,
    task_argument,
    tasks_option,
)
from console.problems import (
    Group,
    begins,
    failed_groups,
    print_groups,
    refused_groups,
    show_groups,
    show_results,
    urls_of_reason,
)
from console.terminal import counted, moment, print_json, say, show
from extractors.html.urls import normalise
from workers.addresses import shown
from workers.errors import ExemplarError
from workers.ledger import Ledger, ledgers
from workers.pages.quarantine import kept_page
from workers.task_state import problems
from workers.task_state.problems import Problem, failures
from workers.url_states import fingerprint
from workers.writing.refused_rows import RefusedRow, drop_refused, refused_row, refused_rows, retry_refused

reason_option = click.option("--reason", metavar="TEXT", help="Only pages whose reason begins with TEXT.")
urls_argument = click.argument("urls", nargs=-1, metavar="[URL]…")
all_option = click.option("--all", "everything", is_flag=True, help="All failed pages and refused rows of TASK.")


def chosen_pages(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the arguments that choose failed pages of a task."""
    for parameter in (json_option, tasks_option, all_option, reason_option, urls_argument, task_argument):
        function = parameter(function)
    return function


class _ListByDefault(click.Group):
    """A group whose default command is `list`: `exemplar failures [TASK]` means `exemplar failures list [TASK]`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As in click; without the name of a command, `list` is meant."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=_ListByDefault,
    epilog=examples(
        "exemplar failures",
        "exemplar failures kuaibao --reason 'http 500'",
        "exemplar failures show kuaibao https://news.example/a/1.html --page page.html",
        "exemplar failures retry kuaibao --all",
        "exemplar failures drop kuaibao https://news.example/a/1.html",
    ),
)
def command() -> None:
    """Show failed pages and refused rows by task and reason, try them again or drop them.

    The default command is `list`. The newest pages that could not be extracted, and the newest rows that an output
    refused because of their content, are kept in Redis for 30 days.
    """


@command.command("list")
@click.argument("task", required=False, shell_complete=complete_tasks)
@reason_option
@click.option("--all", "complete", is_flag=True, help="All URLs of each reason.")
@tasks_option
@json_option
def list_(task: str | None, reason: str | None, complete: bool, tasks: Path | None, as_json: bool) -> None:
    """Count failed pages and refused rows by task and reason, and show some of their URLs, or with --json all."""
    with redis_of(tasks, purpose="failures") as connection:
        names = ledgers(connection) if task is None else [known_ledger(connection, task).task]
        by_task = {name: _groups(Ledger(connection, name), reason) for name in names}
    for name, found in by_task.items():
        if as_json:
            print_groups(name, found)
        elif found:
            total = sum(group.number for group in found)
            show(f"{name}: {total} failures by {counted(len(found), 'reason')}")
            show_groups(name, found, "exemplar failures", complete=complete)
    if not as_json and not any(by_task.values()):
        say(f"{task}: no failed pages" if task else "no failed pages")


def _groups(ledger: Ledger, reason: str | None) -> list[Group]:
    """Return the failed pages of a task by reason, then its refused rows by output and reason."""
    return [*failed_groups(ledger, failures(ledger), reason), *refused_groups(ledger, reason)]


@command.command("show")
@task_argument
@click.argument("url")
@click.option("--page", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the page's bytes to FILE.")
@tasks_option
@json_option
def show_(task: str, url: str, file: Path | None, tasks: Path | None, as_json: bool) -> None:
    """Show why the page of URL failed, or which outputs refused its rows, and what is kept."""
    url = normalise(url)
    with ledger_of(task, tasks, purpose="failures") as ledger:
        state = ledger.state_of(url)
        if state is not None and state[0] == "failed":
            found = [_failed_page(ledger, url, state[1])]
        else:
            found = _refused(ledger, url)
    if not found:
        raise ExemplarError(f"{url} has not failed: " + (f"it is {state[0]}" if state else "unknown URL"))
    if file is not None:
        if (content := found[0][1]) is None:
            raise ExemplarError(f"the page is not kept; `exemplar failures retry {task} {url}` fetches it again")
        file.write_bytes(content)
    for facts, _ in found:
        if as_json:
            print_json(facts)
        else:
            for name, value in facts.items():
                show(f"{name.replace('_', ' ')}: {value if value is not None else 'unknown'}")


def _failed_page(ledger: Ledger, url: str, short_reason: str) -> tuple[dict[str, Any], bytes | None]:
    """Return the facts of a failed page, and its bytes if they are kept."""
    problem = next((one for one in failures(ledger) if one.url == url), Problem("failed", short_reason))
    kept = kept_page(ledger.redis, ledger.task, fingerprint(url))
    facts: dict[str, Any] = {"task": ledger.task, "url": url, "reason": problem.reason}
    facts |= {"at": moment(problem.at) if problem.at is not None else None, "kept": kept is not None}
    if kept is None:
        return facts, None
    note, body = kept
    facts |= {"fetched_from": note.url, "type": note.type, "fetched_at": note.fetched_at, "bytes": len(body)}
    return facts, body


def _refused(ledger: Ledger, url: str) -> list[tuple[dict[str, Any], bytes | None]]:
    """Return the facts of the refused rows of a URL, each with the row as JSON."""
    return [
        (
            {"task": row.task, "url": row.url, "output": shown(row.output), "reason": row.reason, "at": moment(row.at)},
            (json.dumps(refused_row(ledger.redis, row), ensure_ascii=False) + "\n").encode("utf-8", "replace"),
        )
        for row in _refused_of(ledger, [url], None)
    ]


def _refused_of(ledger: Ledger, urls: Sequence[str], reason: str | None) -> list[RefusedRow]:
    """Return the refused rows of some URLs; without URLs those with a reason, or all."""
    rows = [row for row in refused_rows(ledger.redis, ledger.task) if begins(row.reason, reason)]
    return [row for row in rows if not urls or row.url in urls or row.canonical_url in urls]


@command.command()
@chosen_pages
def retry(**chosen: Any) -> None:
    """Let the next run fetch failed pages of TASK again, and queue its refused rows again.

    Choose them by URL, by reason, or all.
    """
    _apply(
        (problems.retry, retry_refused),
        "retried",
        "the next run fetches them",
        "they are delivered again",
        **chosen,
    )


@command.command()
@chosen_pages
def drop(**chosen: Any) -> None:
    """Reject failed pages of TASK permanently, and remove its refused rows: by URL, by reason, or all.

    The pages are not fetched again, unless `exemplar accept` accepts them.
    """
    _apply((problems.drop, drop_refused), "dropped", "they count as rejected", "they are not delivered", **chosen)


def _apply(
    steps: tuple[Callable[[Ledger, str], bool], Callable[["redis.Redis", RefusedRow], bool]],
    done: str,
    effect: str,
    row_effect: str,
    *,
    task: str,
    urls: Sequence[str],
    reason: str | None,
    everything: bool,
    tasks: Path | None,
    as_json: bool,
) -> None:
    """Apply an action to each of the chosen URLs and refused rows, and print the result.

    `done`: its past participle.
    """
    if bool(urls) + (reason is not None) + everything != 1:
        raise click.UsageError("give URLs, a group by --reason TEXT, or --all: see exemplar failures TASK")
    with ledger_of(task, tasks, purpose="failures") as ledger:
        named = [normalise(url) for url in urls]
        rows = [row for row in _refused_of(ledger, named, reason) if steps[1](ledger.redis, row)]
        of_rows = {url for row in rows for url in (row.url, row.canonical_url)}
        try:
            chosen = named or urls_of_reason(ledger, reason, "failed")
        except ExemplarError:
            if not rows:
                raise
            chosen = []
        results = {url: "" if steps[0](ledger, url) else "it has not failed" for url in chosen}
    if rows:
        say(f"{task}: {counted(len(rows), 'refused row')} {done}; {row_effect}")
    results = {url: why for url, why in results.items() if not why or url not in of_rows}
    if results or as_json:
        show_results(task, results, done=done, effect=effect, as_json=as_json)
