"""`exemplar failures`: lists, shows, retries or drops failed pages and refused rows, on any machine."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from console.locale import in_language, word
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
from console.terminal import aligned, counted, moment, print_json, say, show_data
from console.terminal import show as show_line
from workers.addresses import shown
from workers.errors import ExemplarError
from workers.url_states import fingerprint

if TYPE_CHECKING:
    import redis

    from console.problems import Group
    from workers.ledger import Ledger
    from workers.task_state.problems import FailedPage
    from workers.writing.refused_rows import RefusedRow

SHOWN = 3  # URLs of a group that are shown

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
    """Count failed pages and refused rows by task and reason; for TASK, also show some URLs, or with --json all."""
    from console.problems import refused_groups
    from workers.ledger import Ledger, ledgers

    with redis_of(tasks, purpose="failures") as connection:
        if task is None:
            chosen = [Ledger(connection, name) for name in ledgers(connection)]
        else:
            chosen = [known_ledger(connection, task)]
        rows: list[tuple[str, Group, dict[str, FailedPage]]] = []
        for ledger in chosen:
            failed, by_url = _groups(ledger, reason)
            rows += [(ledger.task, group, by_url) for group in failed]
        refused = [group for ledger in chosen for group in refused_groups(ledger.redis, ledger.task, reason)]
    if as_json:
        for row in rows:
            _print_group(*row)
        for group in refused:
            for facts in group.to_dicts():
                print_json(facts)
        return
    if rows:
        titles = ("task", "pages", "kept", "last", "reason")
        pages = [(_cells(*row), row[1].urls) for row in rows]
        _show_table(titles, pages, with_urls=task is not None, complete=complete)
    if refused:
        titles = ("task", "rows", "last", "output", "reason")
        refusals = [(group.cells(), [row.url for row in group.rows]) for group in refused]
        _show_table(titles, refusals, with_urls=task is not None, complete=complete)
    if not rows and not refused:
        say(f"{task}: no failed pages" if task else "no failed pages")


@command.command()
@task_argument
@click.argument("url")
@click.option("--page", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the page's bytes to FILE.")
@tasks_option
@json_option
def show(task: str, url: str, file: Path | None, tasks: Path | None, as_json: bool) -> None:
    """Show why the page of URL failed, or which outputs refused its rows, and what is kept."""
    from console.problems import refused_of
    from extractors.html.urls import normalise
    from workers.pages.quarantine import kept_page

    url = normalise(url)
    with ledger_of(task, tasks, purpose="failures") as ledger:
        state = ledger.state_of(url)
        if (state is None or state[0] != "failed") and (refused := refused_of(ledger.redis, task, [url], None)):
            _show_rows(ledger.redis, refused, file, as_json)
            return
        if state is None or state[0] != "failed":
            raise ExemplarError(f"{url} has not failed: " + (f"it is {state[0]}" if state else "unknown URL"))
        by_url = _groups(ledger, None)[1]
        failed = by_url.get(url)
        kept = kept_page(ledger.redis, task, fingerprint(url))
    at = failed.problem.at if failed else None
    facts: dict[str, Any] = {"task": task, "url": url, "reason": failed.problem.reason if failed else state[1]}
    facts |= {"at": moment(at) if at is not None else None, "kept": kept is not None}
    if kept is not None:
        note, body = kept
        facts |= {"fetched_from": note.url, "type": note.type, "fetched_at": note.fetched_at, "bytes": len(body)}
    if file is not None:
        if kept is None:
            raise ExemplarError(f"the page is not kept; `exemplar failures retry {task} {url}` fetches it again")
        file.write_bytes(kept[1])
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        show_line(f"{name.replace('_', ' ')}: {value if value is not None else 'unknown'}")


@command.command()
@chosen_pages
def retry(**chosen: Any) -> None:
    """Let the next run fetch failed pages of TASK again, and queue its refused rows again.

    Choose them by URL, by reason, or all.
    """
    from workers.task_state.problems import retry as retry_url
    from workers.task_state.problems import retry_row

    _apply((retry_url, retry_row), "retried", "the next run fetches them", "they are delivered again", **chosen)


@command.command()
@chosen_pages
def drop(**chosen: Any) -> None:
    """Reject failed pages of TASK permanently, and remove its refused rows: by URL, by reason, or all.

    The pages are not fetched again, unless `exemplar accept` accepts them.
    """
    from workers.task_state.problems import drop as drop_url
    from workers.task_state.problems import drop_row

    _apply((drop_url, drop_row), "dropped", "they count as rejected", "they are not delivered", **chosen)


def _apply(
    steps: "tuple[Callable[[Ledger, str], bool], Callable[[Ledger, RefusedRow], bool]]",
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
    from console.problems import refused_of
    from extractors.html.urls import normalise

    if bool(urls) + (reason is not None) + everything != 1:
        raise click.UsageError("give URLs, a group by --reason TEXT, or --all: see exemplar failures TASK")
    with ledger_of(task, tasks, purpose="failures") as ledger:
        named = [normalise(url) for url in urls]
        rows = [row for row in refused_of(ledger.redis, task, named, reason) if steps[1](ledger, row)]
        of_rows = {url for row in rows for url in (row.url, row.canonical_url)}
        chosen = named if urls else _of_reason(ledger, reason, may_be_none=bool(rows))
        results = {url: steps[0](ledger, url) for url in chosen}
    succeeded = [url for url, is_done in results.items() if is_done]
    refused = [url for url, is_done in results.items() if not is_done and url not in of_rows]
    if as_json:
        print_json({"task": task, done: succeeded, "refused": refused} | ({"rows": len(rows)} if rows else {}))
    else:
        if succeeded or not rows:
            say(f"{task}: {counted(len(succeeded), 'page')} {done}" + f"; {effect}" * bool(succeeded))
        if rows:
            say(f"{task}: {counted(len(rows), 'refused row')} {done}; {row_effect}")
        for url in refused:
            say(f"{url} has not failed")
    if refused:
        raise click.exceptions.Exit(1)


def _of_reason(ledger: "Ledger", reason: str | None, *, may_be_none: bool) -> list[str]:
    """Return the failed URLs whose reason begins with a text, or all. Raises `ExemplarError` if there is none."""
    from console.problems import urls_of

    urls = urls_of(ledger.task, _groups(ledger, reason)[0])
    if not urls and not may_be_none:
        which = f" for a reason that begins with {reason!r}" if reason else ""
        raise ExemplarError(f"{ledger.task}: no page failed{which}; see exemplar failures {ledger.task}")
    return urls


def _groups(ledger: "Ledger", reason: str | None) -> "tuple[list[Group], dict[str, FailedPage]]":
    """Return the groups of a task's failed pages, and the pages by their URLs."""
    from console.problems import groups
    from workers.task_state.problems import failures

    failed = failures(ledger)
    by_url = {page.problem.url: page for page in failed if page.problem.url is not None}
    return groups((page.problem for page in failed), reason), by_url


def _show_table(
    titles: Sequence[str], rows: Sequence[tuple[tuple[str, ...], Sequence[str]]], *, with_urls: bool, complete: bool
) -> None:
    """Print a table. `rows`: the cells of each row, and the URLs to show below it."""
    heads, *lines = aligned([tuple(map(word, titles)), *(cells for cells, _ in rows)])
    show_data(heads)
    for line, (_, urls) in zip(lines, rows, strict=True):
        show_data(line)
        if with_urls:
            _echo_urls(urls, complete)


def _show_rows(connection: "redis.Redis", rows: "Sequence[RefusedRow]", file: Path | None, as_json: bool) -> None:
    """Show refused rows of one URL; `file`: where the newest of them is written as JSON."""
    from workers.writing.refused_rows import refused_row

    if file is not None:
        file.write_text(json.dumps(refused_row(connection, rows[0]), ensure_ascii=False) + "\n", "utf-8", "replace")
    for row in rows:
        facts = {
            "task": row.task,
            "url": row.url,
            "output": shown(row.output),
            "reason": row.reason,
            "at": moment(row.at),
        }
        if as_json:
            print_json(facts | {"row": refused_row(connection, row)})
            continue
        for name, value in facts.items():
            show_line(f"{name}: {value}")


def _cells(task: str, group: "Group", by_url: "dict[str, FailedPage]") -> tuple[str, str, str, str, str]:
    kept = sum(by_url[url].page is not None for url in group.urls)
    last = max((member.at for member in group.members if member.at is not None), default=None)
    return task, str(len(group.members)), str(kept), moment(last) if last is not None else "–", in_language(group.label)


def _echo_urls(urls: Sequence[str], complete: bool) -> None:
    shown = urls if complete else urls[:SHOWN]
    for url in shown:
        click.echo(f"    {url}")
    if len(urls) > len(shown):
        show_line(f"    … and {len(urls) - len(shown)} more: --all shows them")


def _print_group(task: str, group: "Group", by_url: "dict[str, FailedPage]") -> None:
    for problem in group.members:
        at = moment(problem.at) if problem.at is not None else None
        kept = problem.url is not None and by_url[problem.url].page is not None
        print_json(
            {"task": task, "url": problem.url, "reason": problem.reason, "at": at, "group": group.key, "kept": kept}
        )
