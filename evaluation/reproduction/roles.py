"""The roles of the sets: which of them were used to tune a method, which have Chinese news, which Chinese pages.

`roles.json` has the roles of the development sets; options declare those of other sets, which tuned no method.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..data import DataSet, Row
from .lists import Selectors

FILE = Path(__file__).with_name("roles.json")
DEFAULT = "default"  # stands for the methods that `tuned` does not name
TUNED, LEFT_OUT = "tuned it", "left out"


@dataclass(frozen=True, slots=True)
class Roles:
    """Names of sets. `tuned`: by method, those used when its constants were chosen. `news`: sets with Chinese
    news, each with the prefixes of the ids of its news pages, or none if all pages are news.
    """

    tuned: Mapping[str, frozenset[str]]
    news: Mapping[str, tuple[str, ...]]
    chinese: frozenset[str]

    def has_tuned(self, method: str, name: str) -> bool:
        """Whether a set was used when the method's constants were chosen."""
        return name in self.tuned.get(method, self.tuned.get(DEFAULT, frozenset()))

    def is_news(self, name: str, row: Row) -> bool:
        """Whether a page of a set is Chinese news."""
        begins = self.news.get(name)
        return begins is not None and (not begins or row.id.rpartition(":")[2].startswith(begins))


@dataclass(frozen=True, slots=True)
class Run:
    """The input of a measurement. `sample`: pages per set, 0 for all; `truth`: that of list pages."""

    sets: Sequence[DataSet]
    sample: int
    roles: Roles
    truth: Sequence[Selectors]


def read_roles(
    tuned: Sequence[str] | None = None, news: Sequence[str] | None = None, chinese: Sequence[str] | None = None
) -> Roles:
    """Return the roles of the development sets, or of the sets that are named instead."""
    stored = json.loads(FILE.read_text("utf-8"))
    by_method = {method: frozenset(names) for method, names in stored["tuned"].items()}
    return Roles(
        by_method if tuned is None else {DEFAULT: frozenset(tuned)},
        {name: tuple(stored["news"].get(name, ())) for name in (stored["news"] if news is None else news)},
        frozenset(stored["chinese"] if chinese is None else chinese),
    )
