"""robots.txt, by RFC 9309: from octets to rules for one crawler. No network; `host_rules` fetches the file.

    body → lines → groups → rules of the product token → may this URL be fetched?

Our choices where the RFC leaves one:
- Records are read by its grammar: a colon is required, and misspelled keys are ignored.
- `Crawl-delay`, which it does not define, applies to the user agents directly before it.
- Delimiters: in a query `/` and `%2F` are equal (the RFC's own example), in a path they differ; `=` and `&` are kept.
- A 429 is a 4xx, so everything is allowed, but for less than a day: it does not mean that there are no rules.

Protego, which Scrapy uses, differs: a group also applies if our name begins with that of the group, and does not apply
if the group names a version; an unknown record ends a group; `Allow: /index.html` allows `/`; a `$` at the end also
matches itself; escapes in queries are not those of the RFC's table; other line ends are accepted, and colons may be
missing.
"""

import math
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

REDIRECTS = 5  # consecutive redirects that are followed, section 2.3.1.2
PARSED = 512 * 1024  # octets; at least 500 KiB, section 2.5, and the rest is ignored
KEPT = 24 * 3600.0  # seconds, section 2.4
KEPT_SHORT = 600.0  # seconds after a temporary failure, which should not close a host for a day
TOO_MANY_REQUESTS = 429

RULES = frozenset({b"allow", b"disallow"})
DELAY = frozenset({b"crawl-delay"})

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_ESCAPE_OR_OTHER = re.compile(rb"%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~-]")  # all but the unreserved characters of RFC 3986
_PRODUCT = re.compile(rb"[a-z_-]+")
_UNRESERVED = re.compile(rb"[A-Za-z0-9._~-]")


@dataclass(frozen=True, slots=True)
class Rule:
    """An allow or disallow line. `path`: its octets in one spelling; `*` stands for any octets, `ends` for a `$`."""

    allow: bool
    path: bytes
    ends: bool = False
    parts: tuple[bytes, ...] = field(init=False, repr=False, compare=False)  # of the path, between `*`

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(re.sub(rb"\*+", b"*", self.path).split(b"*")))

    def matches(self, path: bytes) -> bool:
        """Whether a URL's path and query, in the same spelling, begin with the rule's path; if `ends`, equal it."""
        first, *others = self.parts
        if not path.startswith(first):
            return False
        place = len(first)
        for part in others[:-1] if self.ends else others:
            place = path.find(part, place)
            if place < 0:
                return False
            place += len(part)
        if not self.ends:
            return True
        return path.endswith(others[-1]) and len(path) - len(others[-1]) >= place if others else path == first

    @property
    def octets(self) -> int:
        """The number of the rule's octets, by which the most specific rule is found."""
        return len(self.path) + self.ends


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of a host's robots.txt for one crawler. `rules`: the most specific first. `crawl_delay`: seconds."""

    rules: tuple[Rule, ...] = ()
    crawl_delay: float | None = None

    def allows(self, url: str) -> bool:
        """Whether an absolute URL of the host may be fetched."""
        if not self.rules:
            return True
        spellings = spellings_of(url)
        if spellings[0].partition(b"?")[0] == b"/robots.txt":
            return True
        return next((rule.allow for rule in self.rules if any(map(rule.matches, spellings))), True)


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The content of robots.txt is unknown, so nothing may be fetched for now. `reason`: in a few words."""

    reason: str


class Record(NamedTuple):
    """A line `key: value`; the key in lower case."""

    key: bytes
    value: bytes


ALLOWS_ALL = Robots()


def of_answer(status: int, body: bytes, product: str) -> tuple[Robots | Unreachable, float]:
    """The rules of a response for the crawler `product` (section 2.3.1), and for how many seconds they are valid."""
    if status >= 500:
        return Unreachable(f"http {status}"), KEPT_SHORT
    if 200 <= status < 300:
        return parse(body, product), KEPT
    return ALLOWS_ALL, KEPT_SHORT if status == TOO_MANY_REQUESTS else KEPT


def parse(body: bytes, product: str) -> Robots:
    """Return the rules for the crawler `product`: those of all groups with its name, else of `*`. Never raises."""
    records, name = list(_records(body)), product.lower().encode()
    rules = {rule_of(record) for record in _said_to(name, records, RULES) if record.value}
    delays = [_seconds(record.value) for record in _said_to(name, records, RULES | DELAY) if record.key in DELAY]
    ordered = sorted(rules, key=lambda rule: (-rule.octets, not rule.allow, rule.path))
    return Robots(tuple(ordered), max((delay for delay in delays if delay is not None), default=None))


def spellings_of(url: str) -> tuple[bytes, ...]:
    """Return path and query of a URL in the spellings of rules.

    Two spellings if it has a query: if the `*` of a rule matches a part of the path and of the query, the delimiters
    after it are written as in a path.
    """
    parts = urlsplit(url)
    path = _escaped((parts.path or "/").encode("utf-8", "surrogatepass"), b"/=&")
    if "?" not in url.partition("#")[0]:
        return (path,)
    query = parts.query.encode("utf-8", "surrogatepass")
    return path + b"?" + _escaped(query, b"=&"), path + b"?" + _escaped(query, b"=&/?")


def _records(body: bytes) -> Iterator[Record]:
    lines = _LINE_END.split(body[:PARSED].removeprefix(_BOM))
    for line in lines if len(body) <= PARSED else lines[:-1]:  # a truncated path would forbid more than the whole one
        key, colon, value = line.partition(b"#")[0].partition(b":")
        if colon:
            yield Record(key.strip().lower(), value.strip())


def _said_to(name: bytes, records: Iterable[Record], kinds: Set[bytes]) -> list[Record]:
    """Return the records of `kinds` for a user agent: those of its groups, else those of the groups of `*`."""
    groups = list(_groups(records, kinds))
    chosen = [said for names, said in groups if name in names] or [said for names, said in groups if b"*" in names]
    return [record for said in chosen for record in said]


def _groups(records: Iterable[Record], kinds: Set[bytes]) -> Iterator[tuple[set[bytes], list[Record]]]:
    """Yield user agents with the records of `kinds` up to the next user agent. Other records are ignored."""
    names: set[bytes] = set()
    said: list[Record] = []
    for record in records:
        if record.key == b"user-agent":
            if said:
                yield names, said
                names, said = set(), []
            names.update(_products(record.value.lower()))
        elif record.key in kinds:
            said.append(record)
    yield names, said


def _products(value: bytes) -> set[bytes]:
    """Return the crawlers that a user-agent line names: `foobot` for `Foobot/1.0` and `Foobot News`.

    A product token has no digits (section 2.2.1); a name with digits is also kept as it is.
    """
    token = _PRODUCT.match(value)
    return {value.partition(b"/")[0].strip(), *value.partition(b"/")[0].split()[:1], *([token[0]] if token else [])}


def rule_of(record: Record) -> Rule:
    """Return the rule of an allow or disallow record; its path may contain `*`, and `$` at its end."""
    ends = record.value.endswith(b"$")
    path, mark, query = record.value.removesuffix(b"$").partition(b"?")
    return Rule(record.key == b"allow", _escaped(path, b"/=&*") + mark + _escaped(query, b"=&*"), ends)


def _seconds(value: bytes) -> float | None:
    """Return the seconds of a Crawl-delay; None if the value is invalid."""
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _escaped(octets: bytes, kept: bytes) -> bytes:
    """Return the one spelling (section 2.2.2): unreserved characters decoded, all others except `kept` escaped."""

    def one(found: re.Match[bytes]) -> bytes:
        text = found[0]
        if len(text) == 1:
            return text if text in kept else b"%%%02X" % text[0]
        octet = bytes.fromhex(text[1:].decode())
        return octet if _UNRESERVED.match(octet) else text.upper()

    return _ESCAPE_OR_OTHER.sub(one, octets)
