"""`exemplar forget TASK [URL …]`: removes URLs from the ledger; the next run fetches or finds them again."""

import sys
from pathlib import Path

import click
import re2

from console.locale import in_language
from console.options import examples, json_option, ledger_of, task_argument, tasks_option
from console.problems import Fate, show_results, urls_of_reason
from console.terminal import counted, print_json, say
from crawler.discovery.crawl_state import forget_lists
from extractors.html.urls import normalise
from workers.extraction_config import config_of
from workers.ledger import Ledger
from workers.task_state.forgetting import forget_task, forget_url

SETTLED: tuple[Fate, ...] = ("judged", "unwanted", "not a page", "failed", "dead link")


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
    if urls and reason is not None:
        raise click.UsageError("give either URLs or --reason TEXT")
    with ledger_of(task, tasks, purpose="forget") as ledger:
        if reason is not None:
            urls = tuple(urls_of_reason(ledger, reason, *SETTLED))
        if urls:
            results = _forget(ledger, urls)
        else:
            if not yes:
                _confirm(f"forget all {counted(ledger.counts().seen, 'URL')} of {task}?")
            forget_task(ledger.redis, task)
    if urls:
        effect = "the next run fetches what matches the pattern"
        show_results(task, results, done="forgotten", effect=effect, as_json=as_json)
    elif as_json:
        print_json({"task": task, "forgotten": "all"})
    else:
        say(f"{task}: all URLs are forgotten; the next run can find them again")


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


def _forget(ledger: Ledger, urls: tuple[str, ...]) -> dict[str, str]:
    """Forget URLs and let those that match the task's pattern wait; return for each why it was not forgotten."""
    config = config_of(ledger.redis, ledger.task)
    results = {}
    for url in urls:
        normal = normalise(url)
        matches = config is not None and re2.fullmatch(config.url_regex, normal) is not None
        results[url] = "" if forget_url(ledger, normal, fetch=matches) else "unknown URL"
    forget_lists(ledger.redis, ledger.task)
    return results
