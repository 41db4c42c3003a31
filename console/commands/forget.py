"""`exemplar forget TASK [URL …]`: removes URLs from the ledger; the next run fetches or finds them again."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.locale import in_language
from console.options import examples, json_option, ledger_of, task_argument, tasks_option
from console.terminal import counted, print_json, say
from workers.errors import ExemplarError

if TYPE_CHECKING:
    from workers.ledger import Ledger


@click.command(
    epilog=examples(
        "exemplar forget kuaibao https://news.example/a/1.html",
        "exemplar forget kuaibao --reason keep",
        "exemplar forget kuaibao --yes",
    )
)
@task_argument
@click.argument("urls", nargs=-1, metavar="[URL]…")
@click.option("--reason", metavar="TEXT", help="Forget the rejected and failed URLs whose reason begins with TEXT.")
@click.option("--yes", is_flag=True, help="Forget the whole task without asking.")
@tasks_option
@json_option
def command(task: str, urls: tuple[str, ...], reason: str | None, yes: bool, tasks: Path | None, as_json: bool) -> None:
    """Forget URLs of TASK, or all of them with its example and the state of its lists.

    The next run fetches the given URLs again, even if they are no longer on any list; after a whole task was forgotten,
    it finds the articles that are on lists now. Written rows stay in their outputs. If an article is extracted again, a
    .db output updates its row, and a .jsonl output keeps the row that it has.
    """
    from workers.task_state.forgetting import forget_task

    if urls and reason is not None:
        raise click.UsageError("give either URLs or --reason TEXT")
    with ledger_of(task, tasks, purpose="forget") as ledger:
        if reason is not None:
            urls = _of_reason(ledger, reason)
        if urls:
            forgotten, unknown = _forget(ledger, urls)
        else:
            seen = ledger.counts().seen
            if not yes:
                _confirm(f"forget all {counted(seen, 'URL')} of {task}?")
            forget_task(ledger.redis, task)
            forgotten, unknown = [], []
    if as_json:
        print_json({"task": task, "forgotten": forgotten if urls else "all", "unknown": unknown})
    else:
        if urls:
            effect = "; the next run fetches what matches the pattern" if forgotten else ""
            say(f"{task}: {counted(len(forgotten), 'URL')} forgotten{effect}")
        else:
            say(f"{task}: all URLs are forgotten; the next run can find them again")
        for url in unknown:
            say(f"unknown URL: {url}")
    if unknown:
        raise click.exceptions.Exit(1)


def _confirm(question: str) -> None:
    """Ask a person. Raises `click.Abort` if the answer is no, `click.UsageError` if nobody can answer."""
    try:
        is_confirmed = click.confirm(in_language(question), err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise click.UsageError("standard input ended without an answer; add --yes to forget without asking") from None
    if not is_confirmed:
        raise click.Abort


def _of_reason(ledger: "Ledger", reason: str) -> tuple[str, ...]:
    """Return the URLs without a row for a reason that begins with a text. Raises `ExemplarError` if there is none."""
    from console.problems import groups, urls_of
    from workers.task_state.problems import problems

    matched = [group for group in groups(problems(ledger), reason) if group.fate != "to be tried again"]
    urls = urls_of(ledger.task, matched)
    if not urls:
        raise ExemplarError(
            f"{ledger.task}: no URL was rejected for a reason that begins with {reason!r}; see exemplar status "
            f"--problems {ledger.task}"
        )
    return tuple(urls)


def _forget(ledger: "Ledger", urls: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Forget URLs and let those that match the task's pattern wait; return the forgotten and the unknown ones."""
    import re2

    from crawler.discovery.crawl_state import forget_lists
    from extractors.html.urls import normalise
    from workers.extraction_config import config_of
    from workers.task_state.forgetting import forget_url

    config = config_of(ledger.redis, ledger.task)
    forgotten = []
    for url in urls:
        normal = normalise(url)
        matches = config is not None and re2.fullmatch(config.url_regex, normal) is not None
        if forget_url(ledger, normal, fetch=matches):
            forgotten.append(url)
    forget_lists(ledger.redis, ledger.task)
    return forgotten, [url for url in urls if url not in forgotten]
