"""What must hold of every history. Pure: a history in, violations out.

published ─▶ one state each, the one that its kind of article must have
written   ─▶ one row in each output, and no row without it
a row     ─▶ of the article that the site served under its URL, word for word, once
at any moment the counts add up; requests keep the pace; a page of a killed process is soon worked on again
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.site import Expected

OPEN = frozenset({"waiting", "delayed", "leased", "fetched", "held"})
WINDOW = 10.0  # seconds: the pace is judged in each window of at most this length
EARLY = 0.5  # seconds by which the requests of a window may be ahead: the log notes when they arrive
COMPARED = ("title", "text", "parts", "published", "canonical_url")  # values of a row that the site's page decides


@dataclass(frozen=True)
class OutputRow:
    """A row as an output has it."""

    task: str
    url: str
    version: int
    title: str
    text: str = ""
    parts: int = 1
    published: str = ""
    canonical_url: str = ""


@dataclass(frozen=True)
class History:
    """What was seen of one run, from outside.

    `published`: the articles of each task, by URL. `served`: how often the site was asked for each. `places`: where the
    ledger has each URL: in sets of open URLs, or a final state. `counts`: the ledger's own, by task; `samples`: those
    of earlier moments. `outputs`: the rows of each output, by task and kind; `damaged`: its lines that are no rows.
    `reasons`: why a URL has its state. `requests`: when the site was asked for anything, in order; `interval`: seconds
    that must be between two requests. `waits`: seconds until the pages of killed processes were worked on again, in
    order; `longest_wait`: that 99 of 100 may take. `left`: what Redis holds of settled pages. `is_lossy`: Redis went
    back or was emptied, and with it its memory of near-duplicates.
    """

    published: Mapping[str, Mapping[str, Expected]]
    served: Mapping[str, int]
    places: Mapping[tuple[str, str], Sequence[str]]
    counts: Mapping[str, Mapping[str, int]]
    outputs: Mapping[tuple[str, str], Sequence[OutputRow]]
    damaged: Mapping[tuple[str, str], int] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    samples: Sequence[tuple[str, Mapping[str, int]]] = ()
    requests: Sequence[float] = ()
    interval: float = 0.0
    waits: Sequence[float] = ()
    longest_wait: float = float("inf")
    left: Sequence[str] = ()
    is_lossy: bool = False


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
    rules = (_states, _twins, _counted, _sampled, _written_and_rows, _once, _true_rows, _paced, _recovered, _cleared)
    return [violation for rule in rules for violation in rule(history)]


def _states(history: History) -> Iterator[Violation]:
    """Each article that was published has one state, and that is one which its kind may have."""
    for task, articles in history.published.items():
        for url, expected in articles.items():
            places = history.places.get((task, url), ())
            why = history.reasons.get(url, "")
            if not places:
                asked = history.served.get(url, 0)
                yield Violation("lost", task, f"{url} has no state; the site was asked for it {asked} times")
            elif len(places) > 1:
                yield Violation("two states", task, f"{url} is {' and '.join(places)}")
            elif places[0] in OPEN:
                yield Violation("open", task, f"{url} is still {places[0]} {why}".rstrip())
            elif places[0] not in expected.states:
                rule = "blamed" if "written" in expected.states else "not blamed"
                yield Violation(rule, task, f"{url} is {places[0]}: {why}")


def _twins(history: History) -> Iterator[Violation]:
    """Of two URLs of one article exactly one is written."""
    for task, articles in history.published.items():
        for url, expected in articles.items():
            twin = articles.get(expected.twin)
            if twin is None:
                continue
            both = [history.places.get((task, each), ()) for each in (url, expected.twin)]
            if both == [("duplicate",)] * 2:
                yield Violation("lost", task, f"{url} and {expected.twin} are duplicates of each other")
            is_near = expected.canonical_url != twin.canonical_url
            if both == [("written",)] * 2 and not (is_near and history.is_lossy):
                yield Violation("twice", task, f"{url} and {expected.twin} are written")


def _counted(history: History) -> Iterator[Violation]:
    """The ledger's counts add up, and agree with the states of its URLs."""
    for task, counts in history.counts.items():
        if counts.get("seen", 0) != (states := _sum_of_states(counts)):
            yield Violation("counts", task, f"seen {counts.get('seen', 0)}, states {states}")
        known = sum(name == task and bool(places) for (name, _), places in history.places.items())
        if counts.get("seen", 0) > known:
            yield Violation("counts", task, f"seen {counts.get('seen', 0)}, {known} URLs of the site are known")
        written = sum("written" in places for (name, _), places in history.places.items() if name == task)
        if counts.get("written", 0) != written:
            yield Violation("counts", task, f"counted {counts.get('written', 0)} written, {written} URLs are")


def _sampled(history: History) -> Iterator[Violation]:
    """The counts added up at each moment at which they were read."""
    for task, counts in history.samples:
        if counts.get("seen", 0) != (states := _sum_of_states(counts)):
            yield Violation("counts", task, f"seen {counts.get('seen', 0)}, states {states} at some moment")
            return


def _sum_of_states(counts: Mapping[str, int]) -> int:
    return sum(number for state, number in counts.items() if state not in ("seen", "unaccounted"))


def _written_and_rows(history: History) -> Iterator[Violation]:
    """Ledger and outputs agree in both directions."""
    written: dict[str, set[str]] = {}
    for (task, url), places in history.places.items():
        if "written" in places:
            written.setdefault(task, set()).add(url)
    for (task, kind), rows in history.outputs.items():
        there, canonical = {row.url for row in rows}, {row.canonical_url for row in rows}
        articles = history.published.get(task, {})
        for url in sorted(written.get(task, set()) - there):
            if history.is_lossy and url in articles and articles[url].twin and articles[url].canonical_url in canonical:
                continue  # the row was written under its twin's URL, before Redis lost that
            yield Violation("row lost", f"{task}.{kind}", f"{url} is written and has no row")
        for url in sorted(there - written.get(task, set())):
            if history.is_lossy and url in articles and articles[url].twin:
                continue  # its duplicate is written, too, since Redis did not know of this row
            state = " and ".join(history.places.get((task, url), ())) or "without a state"
            yield Violation("row too many", f"{task}.{kind}", f"{url} has a row and is {state}")


def _once(history: History) -> Iterator[Violation]:
    """Each article has one row in each output, of version 1: the site never changes one."""
    for (task, kind), rows in history.outputs.items():
        for url, number in Counter(row.canonical_url or row.url for row in rows).items():
            if number > 1:
                versions = sorted(row.version for row in rows if url in (row.canonical_url, row.url))
                yield Violation("twice", f"{task}.{kind}", f"{url} has {number} rows, of versions {versions}")
        if history.damaged.get((task, kind)):
            yield Violation("damaged", f"{task}.{kind}", f"{history.damaged[task, kind]} lines are no rows")


def _true_rows(history: History) -> Iterator[Violation]:
    """A row is of its task, and says what the site served."""
    for (task, kind), rows in history.outputs.items():
        known = history.published.get(task, {})
        for row in rows:
            if row.task != task or row.url not in known:
                yield Violation("foreign row", f"{task}.{kind}", f"{row.url} of task {row.task}")
            elif not history.served.get(row.url):
                yield Violation("foreign row", f"{task}.{kind}", f"{row.url} was never served")
            for name in COMPARED if row.url in known else ():
                has, should = getattr(row, name), getattr(known[row.url], name)
                if has != should:
                    what = f"{row.url} has {name} {str(has)[:60]!r} …, not {str(should)[:60]!r} …"
                    yield Violation("foreign row", f"{task}.{kind}", what)


def _paced(history: History) -> Iterator[Violation]:
    """In no window the site got more requests than the pace allows."""
    window: deque[tuple[float, float]] = deque()  # when, and by how much the request is behind an exact pace
    for number, at in enumerate(history.requests if history.interval else ()):
        behind = at - number * history.interval
        while window and window[0][0] < at - WINDOW:
            window.popleft()
        if window and (ahead := max(other for _, other in window) - behind) > EARLY:
            last = sum(each > at - 1 for each, _ in window) + 1
            yield Violation("too fast", "site", f"{ahead:.2f} s ahead of the pace, {last} requests in the last second")
            return
        window.append((at, behind))


def _recovered(history: History) -> Iterator[Violation]:
    """Pages of killed processes were soon worked on again."""
    most = percentile(history.waits, 0.99)
    if most is not None and most > history.longest_wait:
        yield Violation("late", "pages in hand", f"p99 {most:.1f} s, not {history.longest_wait:.0f} s")


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest of the sorted values that at least so large a share does not exceed."""
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


def _cleared(history: History) -> Iterator[Violation]:
    """Redis keeps nothing of a page that is settled."""
    for what in history.left:
        yield Violation("left over", "redis", what)
