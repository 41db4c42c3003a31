"""What the commands on URLs of a task share (`accept`, `forget`, `failures`): which URLs are meant, and the results."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from console.terminal import counted, print_json, say
from workers.errors import ExemplarError

if TYPE_CHECKING:
    from console.problems import Fate
    from workers.ledger import Ledger


def urls_of_reason(ledger: "Ledger", reason: str | None, *fates: "Fate") -> list[str]:
    """Return the URLs without a row whose fate is one of these, and whose reason begins with a text.

    Say how many have no URL. Raises `ExemplarError` if there is none.
    """
    from console.problems import groups
    from workers.task_state.problems import problems

    matched = [group for group in groups(problems(ledger), reason) if group.fate in fates]
    urls = [url for group in matched for url in group.urls]
    if unnamed := sum(len(group.members) for group in matched) - len(urls):
        say(f"{ledger.task}: the URLs of {counted(unnamed, 'further page')} are not kept; give them as arguments")
    if not urls:
        which = f" with a reason that begins with {reason!r}" if reason else ""
        raise ExemplarError(f"{ledger.task}: no such URL{which}; see exemplar status --problems {ledger.task}")
    return urls


def show_results(task: str, results: Mapping[str, str], *, done: str, effect: str, as_json: bool) -> None:
    """Print what was done with URLs. `results`: by URL why it is refused, empty if it was done.

    `done`: past participle; `effect`: what follows. Raises `Exit` 1 if a URL was refused.
    """
    refused = {url: why for url, why in results.items() if why}
    succeeded = [url for url in results if url not in refused]
    if as_json:
        rows = [{"url": url, "reason": why} for url, why in refused.items()]
        print_json({"task": task, done: succeeded, "refused": rows})
    else:
        say(f"{task}: {counted(len(succeeded), 'URL')} {done}" + f"; {effect}" * bool(succeeded))
        for url, why in refused.items():
            say(f"{url}: {why}")
    if refused:
        raise click.exceptions.Exit(1)
