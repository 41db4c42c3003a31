"""What must hold of every history. Pure: a history in, violations out.

published ─▶ one state each, and `written`: the site serves good articles only
written   ─▶ one row in each output, and no row without it
a row     ─▶ of the article that the site served under its URL, once
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.site import title_of

OPEN = frozenset({"waiting", "delayed", "leased", "fetched", "held"})


@dataclass(frozen=True)
class OutputRow:
    """A row as an output has it."""

    task: str
    url: str
    version: int
    title: str


@dataclass(frozen=True)
class History:
    """What was seen of one run, from outside.

    `published`: the URLs of each task's articles. `served`: how often the site was asked for each. `places`: where the
    ledger has each URL: in sets of open URLs, or a final state. `counts`: the ledger's own, by task. `outputs`: the
    rows of each output, by task and kind; `damaged`: its lines that are no rows. `reasons`: why a URL has its state.
    """

    published: Mapping[str, Sequence[str]]
    served: Mapping[str, int]
    places: Mapping[tuple[str, str], Sequence[str]]
    counts: Mapping[str, Mapping[str, int]]
    outputs: Mapping[tuple[str, str], Sequence[OutputRow]]
    damaged: Mapping[tuple[str, str], int] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Violation:
    """A broken promise: its rule, where, and what."""

    rule: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.where}: {self.what}"


def violations(history: History) -> list[Violation]:
    """All broken promises of a history, in a fixed order."""
    rules = (_states, _counted, _written_and_rows, _once, _true_rows)
    return [violation for rule in rules for violation in rule(history)]


def _states(history: History) -> Iterator[Violation]:
    """Each article that was published has one state, and that is `written`."""
    for task, urls in history.published.items():
        for url in urls:
            places = history.places.get((task, url), ())
            why = history.reasons.get(url, "")
            if not places:
                asked = history.served.get(url, 0)
                yield Violation("lost", task, f"{url} has no state; the site was asked for it {asked} times")
            elif len(places) > 1:
                yield Violation("two states", task, f"{url} is {' and '.join(places)}")
            elif places[0] in OPEN:
                yield Violation("open", task, f"{url} is still {places[0]} {why}".rstrip())
            elif places[0] != "written":
                yield Violation("blamed", task, f"{url} is {places[0]}: {why}")


def _counted(history: History) -> Iterator[Violation]:
    """The ledger's counts add up, and agree with the states of its URLs."""
    for task, counts in history.counts.items():
        states = {state: number for state, number in counts.items() if state not in ("seen", "unaccounted")}
        if counts.get("seen", 0) != sum(states.values()):
            yield Violation("counts", task, f"seen {counts.get('seen', 0)}, states {sum(states.values())}")
        known = sum(name == task and bool(places) for (name, _), places in history.places.items())
        if counts.get("seen", 0) > known:
            yield Violation("counts", task, f"seen {counts.get('seen', 0)}, {known} URLs of the site are known")
        written = sum("written" in places for (name, _), places in history.places.items() if name == task)
        if states.get("written", 0) != written:
            yield Violation("counts", task, f"counted {states.get('written', 0)} written, {written} URLs are")


def _written_and_rows(history: History) -> Iterator[Violation]:
    """Ledger and outputs agree in both directions."""
    written: dict[str, set[str]] = {}
    for (task, url), places in history.places.items():
        if "written" in places:
            written.setdefault(task, set()).add(url)
    for (task, kind), rows in history.outputs.items():
        there = {row.url for row in rows}
        for url in sorted(written.get(task, set()) - there):
            yield Violation("row lost", f"{task}.{kind}", f"{url} is written and has no row")
        for url in sorted(there - written.get(task, set())):
            state = " and ".join(history.places.get((task, url), ())) or "without a state"
            yield Violation("row too many", f"{task}.{kind}", f"{url} has a row and is {state}")


def _once(history: History) -> Iterator[Violation]:
    """Each article has one row in each output, of version 1: the site never changes one."""
    for (task, kind), rows in history.outputs.items():
        for url, number in Counter(row.url for row in rows).items():
            if number > 1:
                versions = sorted(row.version for row in rows if row.url == url)
                yield Violation("twice", f"{task}.{kind}", f"{url} has {number} rows, of versions {versions}")
        if history.damaged.get((task, kind)):
            yield Violation("damaged", f"{task}.{kind}", f"{history.damaged[task, kind]} lines are no rows")


def _true_rows(history: History) -> Iterator[Violation]:
    """A row is of its task, and says what the site served."""
    for (task, kind), rows in history.outputs.items():
        known = set(history.published.get(task, ()))
        for row in rows:
            if row.task != task or row.url not in known:
                yield Violation("foreign row", f"{task}.{kind}", f"{row.url} of task {row.task}")
            elif not history.served.get(row.url):
                yield Violation("foreign row", f"{task}.{kind}", f"{row.url} was never served")
            elif row.title != title_of(row.url):
                yield Violation("foreign row", f"{task}.{kind}", f"{row.url} has the title {row.title!r}")
