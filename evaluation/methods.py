"""The measured forms of our own methods: a registered method, with or without an example page and section memory.

- `density`: each page alone, as any registered method that needs no example;
- `example`: all ordered pairs of a group, as any registered method that needs an example;
- `METHOD+example`: a method that can do without an example, with one;
- `METHOD+memoryN`: with an example, after N other pages of the group were learned;
- `METHOD+foreign`: with an example of another group or set, whose template has nothing in common;
- `METHOD+odd`: with another page of the same site that is not a sibling: a list, a page of another type or section;
- `METHOD@sites`, `METHOD@set`: a method that needs no example, with learned parts that have not seen the page's site,
  or any page of its set (`left_out`).
"""

import random
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from extractors import Article, NoArticle, Section, UnusablePage
from extractors.page import Refuse
from extractors.registry import METHODS

from .data import OTHER_KINDS, DataSet, Row, domain_of

Mode = Literal["alone", "example", "memory", "foreign", "odd"]
ODD = 2  # pages that serve as an unfit example of one page
_NAME = re.compile(r"(?P<method>.+?)(?:\+(?P<mode>example|memory|foreign|odd)(?P<count>\d*)|@(?P<left>sites|set))?")


class UnknownName(ValueError):
    """An unknown name; the message has the nearest known one."""


@dataclass(frozen=True, slots=True)
class Method:
    """A registered method and its use. `memory`: number of pages learned in addition to the example."""

    registered: str
    mode: Mode
    memory: int = 0
    left_out: str = ""

    @property
    def name(self) -> str:
        """The name on the command line, in tables and in file names."""
        if self.left_out:
            return f"{self.registered}@{self.left_out}"
        if self.mode == "alone" or (self.mode == "example" and needs_example(self.registered)):
            return self.registered
        return f"{self.registered}+{self.mode}{self.memory or ''}"

    def section(self, example: bytes | None, memory: Sequence[bytes] = ()) -> Section:
        """Return the section to measure, prepared. Raises `UnusablePage` if the example cannot be used."""
        section = Section(example, method=self.registered)
        for page in memory:
            section.learn(page)
        return section


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a method or peer on a page. `none`: why there is no article; `crash`: the error that it raised."""

    text: str = ""
    title: str | None = None
    day: str | None = None
    none: str | None = None
    crash: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A page to extract, its example page, and other pages that were learned before."""

    page: Row
    example: Row
    memory: tuple[Row, ...] = ()


def needs_example(registered: str) -> bool:
    """Whether a registered method requires an example."""
    try:
        Section(None, method=registered)
    except ValueError:
        return True
    return False


def every_method(memory: int) -> list[str]:
    """The names of all methods that can be measured: the registered ones, and the variants of `example` and `auto`."""
    names = []
    for registered in METHODS:
        names.append(registered)
        if registered == "example":
            names.append(f"example+memory{memory}")
        if registered == "auto":
            names += ["auto+example", "auto+foreign"]
    return names


def parse_methods(names: Iterable[str], memory: int) -> list[Method]:
    """Return the methods of these names. Raises `UnknownName`."""
    return [_parse(name.strip(), memory) for name in names if name.strip()]


def nearest(name: str, known: Iterable[str], kind: str) -> UnknownName:
    """Return the error for an unknown name, with the nearest known one."""
    known = sorted(known)
    close = get_close_matches(name, known, n=1, cutoff=0.0)
    hint = f": did you mean {close[0]!r}?" if close else ":"
    return UnknownName(f"unknown {kind} {name!r}{hint} Known: {', '.join(known) or 'none'}")


def check_known(names: Iterable[str], known: Collection[str], kind: str) -> None:
    """Raise the error for the first of the names that is not known."""
    for name in names:
        if name not in known:
            raise nearest(name, known, kind)


def choose_pairs(dataset: DataSet, sample: int, memory: int, seed: int) -> list[Pair]:
    """Return pairs of the set by page, at most `sample` (0: all); each with up to `memory` other pages of the group.

    The same seed gives the same pairs.
    """
    pairs = dataset.pairs()
    if 0 < sample < len(pairs):
        pairs = random.Random(f"{seed} {dataset.name.partition('+')[0]}").sample(pairs, sample)
    members = dataset.members()
    order = {row.id: number for number, row in enumerate(dataset.rows)}
    found = []
    for example, page in pairs:
        others = [row for row in members[page.group] if row.id not in (example.id, page.id)]
        chosen = random.Random(f"{seed} {example.id} {page.id}").sample(others, min(memory, len(others)))
        found.append(Pair(page, example, tuple(chosen)))
    return sorted(found, key=lambda pair: (order[pair.page.id], order[pair.example.id]))


def choose_foreign(sets: Sequence[DataSet], pages: Iterable[Row], seed: int) -> list[Pair]:
    """Return each page with an example of another group, drawn from all sets."""
    candidates = [row for one in sets for row in one.articles()]
    found = []
    for page in pages:
        others = [row for row in candidates if _site(row) != _site(page)]
        if others:
            found.append(Pair(page, random.Random(f"{seed} {page.id}").choice(others)))
    return found


def choose_odd(dataset: DataSet, pages: Iterable[Row], seed: int) -> list[Pair]:
    """Return each page with up to `ODD` other pages of its site that are not its siblings, if there are any."""
    by_site: dict[str, list[Row]] = {}
    for row in dataset.rows:
        by_site.setdefault(domain_of(row.url) or _site(row), []).append(row)
    found = []
    for page in pages:
        site = by_site[domain_of(page.url) or _site(page)]
        others = [row for row in site if row.id != page.id and (row.group not in dataset.groups or not row.scored)]
        found += [Pair(page, row) for row in random.Random(f"{seed} {page.id}").sample(others, min(ODD, len(others)))]
    return found


def extraction(section: Section, html: bytes, row: Row) -> Callable[[], Answer]:
    """Return the call that is timed, from bytes to text, title and day. Lists are refused, unless all kinds are asked.

    A row of another kind than "article" and "list" is from one of `data.other_kinds`.
    """
    refuse: Refuse = "notices" if row.kind in OTHER_KINDS else "sure"

    def run() -> Answer:
        try:
            return _answer(section.extract(html, row.url, refuse=refuse))
        except UnusablePage as error:
            return Answer(none=f"unusable page: {error}")

    return run


def _answer(result: Article | NoArticle) -> Answer:
    if isinstance(result, NoArticle):
        return Answer(none=result.reason)
    return Answer(result.text, result.title, result.published.isoformat() if result.published else None)


def _parse(name: str, memory: int) -> Method:
    found = _NAME.fullmatch(name)
    if found is None or found["method"] not in METHODS or (found["count"] and found["mode"] != "memory"):
        raise nearest(name, every_method(memory), "method")
    if found["left"]:
        return Method(found["method"], "alone", left_out=found["left"])
    if found["mode"] == "memory":
        return Method(found["method"], "memory", int(found["count"] or memory))
    if found["mode"]:
        unfit: dict[str, Mode] = {"foreign": "foreign", "odd": "odd"}
        return Method(found["method"], unfit.get(found["mode"], "example"))
    return Method(found["method"], "example" if needs_example(found["method"]) else "alone")


def _site(row: Row) -> str:
    return row.site or (row.url or row.id).partition("://")[2].partition("/")[0]
