"""A task's URLs without a row, and refused rows, grouped by their fate and by reason; which of them can be accepted.

Reasons that differ only in numbers, quoted text or URLs form one group: `a list: 5 of 10 texts each follow a link` and
`a list: 7 of 9 texts each follow a link` are in the group `a list: N of N texts each follow a link`.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import click
import re2

from console.locale import in_language
from console.terminal import counted, moment, print_json, say, show_data
from crawler.run.admission import BEYOND_LIMIT
from extractors.html.urls import normalise
from workers.addresses import shown
from workers.errors import ExemplarError
from workers.extraction.filters import OTHER_DAYS
from workers.extraction_config import ExtractionConfig
from workers.ledger import REASON_BYTES, Ledger
from workers.pages.quarantine import kept_notes
from workers.task_state.problems import Problem, is_in_block, problems
from workers.url_states import State, fingerprint
from workers.writing.refused_rows import refused_rows

Fate = Literal["judged", "unwanted", "not a page", "dead link", "failed", "refused", "to be tried again"]

TITLES: dict[Fate, str] = {  # headings, in the order in which they are shown
    "judged": "judged not to be an article",
    "unwanted": "left out by the task's own rules (keep, drop, skip, days, limit)",
    "not a page": "no page to judge (robots.txt, not HTML)",
    "failed": "could not be fetched or extracted",
    "refused": "rows that outputs refused",
    "to be tried again": "to be tried again",
    "dead link": "dead links",
}
SHOWN = 3  # URLs of a group that are shown
LONGEST_CHARACTER = 4  # bytes of a character in UTF-8
_QUOTED = re.compile(r"“[^”]*(?:”|$)|\"[^\"]*(?:\"|$)|「[^」]*(?:」|$)")
_URL = re.compile(r"https?://[^\s,;)]+")
_NUMBER = re.compile(r"(?<!\bhttp )(?<![A-Za-z\d])\d+(?:[.,:-]\d+)*")
_DEAD = re.compile(r"http \d+")
_UNWANTED = ("keep: ", "drop: ", "skip: ")
_NOT_A_PAGE = ("robots.txt forbids it", "not a page", "not a picture")


@dataclass(frozen=True, slots=True)
class Group:
    """Problems with one fate and similar reasons. `key`: the reason with placeholders for its variable parts.

    `output`: that refused the rows; `kept`: the URLs whose page or row is kept.
    """

    fate: Fate
    key: str
    members: tuple[Problem, ...]
    output: str = ""
    kept: frozenset[str] = frozenset()

    @property
    def number(self) -> int:
        """The number of members."""
        return len(self.members)

    @property
    def label(self) -> str:
        """The reason itself if all members have the same one, else the key; after the output that refused the rows."""
        reasons = {member.reason for member in self.members}
        label = reasons.pop() if len(reasons) == 1 else self.key
        return f"{self.output}: {label}" if self.output else label

    @property
    def urls(self) -> list[str]:
        """The URLs of the members that have one."""
        return [member.url for member in self.members if member.url is not None]

    @property
    def last(self) -> float | None:
        """When the newest member was settled, Unix seconds; None if that is unknown."""
        return max((member.at for member in self.members if member.at is not None), default=None)


def groups(some: Iterable[Problem], beginning: str | None = None) -> list[Group]:
    """Return the groups in the order of `TITLES`, the largest of each fate first.

    `beginning`: of their reasons; None for all groups.
    """
    known: dict[tuple[Fate, str], list[Problem]] = {}
    for problem in sorted(some, key=lambda unsorted: unsorted.url is None):
        place = fate_of(problem.state, problem.reason), alike(problem.reason)
        if problem.url is None and place not in known:
            place = next((group for group in known if _may_belong(place, group, problem.reason)), place)
        known.setdefault(place, []).append(problem)
    order = list(TITLES)
    result = [Group(fate, key, tuple(members)) for (fate, key), members in known.items() if begins(key, beginning)]
    return sorted(result, key=lambda group: (order.index(group.fate), -len(group.members), group.key))


def _may_belong(truncated: tuple[Fate, str], whole: tuple[Fate, str], reason: str) -> bool:
    """Whether a truncated reason may belong to a group."""
    return (
        len(reason.encode()) > REASON_BYTES - LONGEST_CHARACTER
        and truncated[0] == whole[0]
        and whole[1].startswith(truncated[1])
    )


def fate_of(state: State, reason: str) -> Fate:
    """Return the fate of a URL without a row."""
    if state not in ("rejected", "failed"):
        return "to be tried again"
    if _DEAD.fullmatch(reason) and state == "rejected":
        return "dead link"
    if state == "failed":
        return "failed"
    if reason.startswith(_UNWANTED) or reason in (OTHER_DAYS, BEYOND_LIMIT):
        return "unwanted"
    return "not a page" if reason.startswith(_NOT_A_PAGE) else "judged"


def begins(reason: str, beginning: str | None) -> bool:
    """Whether a reason begins with a text, whatever its variable parts are; with None each does."""
    return beginning is None or alike(reason).casefold().startswith(alike(beginning).removesuffix("; …").casefold())


def alike(reason: str) -> str:
    """Return a reason with placeholders for its variable parts; of several reasons, separated by "; ", the first."""
    text = _NUMBER.sub("N", _URL.sub("URL", _QUOTED.sub("“…”", reason)))
    first, more, _ = text.partition("; ")
    return f"{first}; …" if more else first


def failed_groups(ledger: Ledger, failed: Iterable[Problem], beginning: str | None = None) -> list[Group]:
    """Return the groups of failed pages. `beginning`: as in `groups`."""
    found = groups(failed, beginning)
    notes = kept_notes(ledger.redis, ledger.task) if found else {}
    return [replace(one, kept=frozenset(url for url in one.urls if fingerprint(url) in notes)) for one in found]


def refused_groups(ledger: Ledger, beginning: str | None = None) -> list[Group]:
    """Return the groups of a task's refused rows by output. `beginning`: as in `groups`."""
    by_output: dict[str, list[Problem]] = {}
    for row in refused_rows(ledger.redis, ledger.task):
        by_output.setdefault(row.output, []).append(Problem("failed", row.reason, row.url, row.at))
    return [
        replace(group, fate="refused", output=shown(output), kept=frozenset(group.urls))
        for output, rows in sorted(by_output.items())
        for group in groups(rows, beginning)
    ]


def print_groups(task: str, found: Sequence[Group]) -> None:
    """Print each member of the groups as JSON."""
    for group in found:
        for member in group.members:
            facts = {"task": task, "url": member.url, "state": member.state, "reason": member.reason}
            facts |= {"at": moment(member.at) if member.at is not None else None, "fate": group.fate}
            print_json(facts | {"group": group.key, "output": group.output, "kept": member.url in group.kept})


def show_groups(task: str, found: Sequence[Group], command: str, *, complete: bool) -> None:
    """Print the groups by fate; `complete`: with all URLs; else with some, and the command for the rest."""
    for fate, title in TITLES.items():
        members = [group for group in found if group.fate == fate]
        if members:
            show_data(f"\n{in_language(title)}: {sum(group.number for group in members)}")
        for group in members:
            for line in _group_lines(task, group, command, complete):
                show_data(line)


def _group_lines(task: str, group: Group, command: str, complete: bool) -> list[str]:
    urls = group.urls
    some = urls if complete else urls[:SHOWN]
    label = f"{group.label} ({len(group.kept)} kept)" if group.kept else group.label
    text = [f"{group.number:6}  {in_language(label)}", *(f"          {url}" for url in some)]
    if len(urls) > len(some):
        more = in_language(f"          … and {len(urls) - len(some)} more:")
        text.append(" ".join((more, command, task, "--reason", shlex.quote(group.key))))
    if unnamed := group.number - len(urls):
        fetched = f"; exemplar crawl {task} --all fetches them" if group.key == BEYOND_LIMIT else ""
        text.append(in_language(f"          {unnamed} whose URLs are not kept{fetched}"))
    return text


# The URLs that the commands accept, forget and failures are given


def accept_page(ledger: Ledger, config: ExtractionConfig, url: str) -> str:
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


def urls_of_reason(ledger: Ledger, reason: str | None, *fates: Fate) -> list[str]:
    """Return the URLs without a row whose fate is one of these, and whose reason begins with a text.

    Say how many have no URL. Raises `ExemplarError` if there is none.
    """
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
