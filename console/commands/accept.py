"""`exemplar accept TASK URL…`: accepts rejected pages as articles."""

from pathlib import Path

import click
import re2

from console.options import examples, json_option, ledger_of, task_argument, tasks_option
from console.problems import fate_of, show_results, urls_of_reason
from crawler.task_list.mistakes import TaskError
from extractors.html.urls import normalise
from workers.extraction_config import ExtractionConfig, config_of
from workers.ledger import Ledger
from workers.task_state.problems import is_in_block
from workers.url_states import State


@click.command(
    epilog=examples(
        "exemplar accept kuaibao https://news.example/a/1.html",
        "exemplar accept kuaibao --reason 'a list: N of N texts each follow a link'",
    )
)
@task_argument
@click.argument("urls", nargs=-1, metavar="[URL]…")
@click.option(
    "--reason", metavar="TEXT", help="Accept all pages judged not to be articles, for a reason that begins with TEXT."
)
@tasks_option
@json_option
def command(task: str, urls: tuple[str, ...], reason: str | None, tasks: Path | None, as_json: bool) -> None:
    """Accept rejected pages of TASK as articles: the next run fetches them again and writes a row for each.

    `exemplar status --problems TASK` lists them. Accepted pages are not judged again; the task's keep, drop and skip
    still apply.
    """
    if bool(urls) == bool(reason):
        raise click.UsageError("give URLs, or a group by --reason TEXT: see exemplar status --problems TASK")
    with ledger_of(task, tasks, purpose="accept") as ledger:
        config = config_of(ledger.redis, task)
        if config is None:
            raise TaskError(f"task {task} is not in the published task list, so no run would fetch its pages")
        chosen = urls or urls_of_reason(ledger, reason, "judged")
        results = {url: _accept(ledger, config, url) for url in chosen}
    show_results(task, results, done="accepted", effect="the next run fetches and writes them", as_json=as_json)


def _accept(ledger: Ledger, config: ExtractionConfig, url: str) -> str:
    """Accept one URL; return why it cannot be accepted, or an empty text."""
    url = normalise(url)
    matches = re2.fullmatch(config.url_regex, url) is not None
    state = ledger.state_of(url)
    if state is None:
        return "unknown URL: no run has found it" + ("" if matches else "; it does not match the task's pattern")
    if not matches:
        return "it no longer matches the task's pattern; change `pattern` first"
    if is_in_block(ledger, url):
        return "the site sends block pages instead of articles; it is fetched again when that is over"
    return _refusal(ledger.task, url, *state) or ("" if ledger.accept(url) else "it is no longer rejected")


def _refusal(task: str, url: str, state: State, reason: str) -> str:
    """Return why a URL in a state cannot be accepted; empty if it can."""
    command_ = "failures retry" if state == "failed" else "forget"
    again = f"`exemplar {command_} {task} {url}` lets the next run try it again"
    if state in ("waiting", "leased", "fetched"):
        return "it is not rejected: it waits to be fetched or extracted" + (f" ({reason})" if reason else "")
    if state != "rejected":
        return f"its state is {state}, not rejected" + (f" ({reason}); {again}" if state == "failed" else "")
    fate = fate_of(state, reason)
    if fate == "unwanted":
        return f"the task's own rules reject it ({reason}); change them, then {again}"
    return "" if fate == "judged" else f"there was no page to judge ({reason}); {again}"
