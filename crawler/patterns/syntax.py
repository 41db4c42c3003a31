r"""The grammar of URL patterns: from text to a tuple of nodes, which `crawler.patterns.pattern` interprets.

    pattern   = "re:" regex | url
    url       = ("http://" | "https://" | "/") part*          "/" is joined to the example's scheme and host
    part      = literal | placeholder | "*" | "**" | "[" part+ "]" | "\" any character, taken literally
    placeholder = "{date:" strptime format "}" | "{id}" | "{slug}" | "{n:" first ".." last "}"

Each placeholder becomes a regular expression, which RE2 matches in linear time.
"""

import re
from dataclasses import dataclass

from extractors.html.urls import DEFAULT_PORTS, SESSION_IN_PATH, ascii_host, escape, is_tracking, origin_of

MAX_LENGTH = 2000  # characters of a pattern; the longest URL that browsers and servers commonly support
MAX_OPTIONAL = 10  # […] in one pattern; each is enumerated in both forms, so at most 2 ** 10 URLs a day
MAX_DIGITS = 12  # digits of a bounded number

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# strptime code -> (regular expression, description). `-` matches the number with or without leading zeros.
DATE_CODES = {
    "%Y": ("(?:19|20)[0-9]{2}", "a year 1900–2099"),
    "%y": ("[0-9]{2}", "a year of two digits"),
    "%m": ("0[1-9]|1[0-2]", "a month 01–12 (%-m: 1–12)"),
    "%d": ("0[1-9]|[12][0-9]|3[01]", "a day 01–31 (%-d: 1–31)"),
    "%b": ("(?i:" + "|".join(MONTHS) + ")", "a month jan–dec"),
    "%-m": ("1[0-2]|0?[1-9]", "a month 1–12"),
    "%-d": ("[12][0-9]|3[01]|0?[1-9]", "a day 1–31"),
}
SLUG_CHAR = r"[A-Za-z0-9_~!'()+,-]|%[0-9A-F]{2}"
SLUG_WORD = f"(?:{SLUG_CHAR})+"
# A dot before a digit belongs to a version (`release-1.20`). Other dots match only if text follows the placeholder:
# `{slug}.html` matches `node.js.html`, `/{slug}` does not match `/index.html`.
SLUG = rf"{SLUG_WORD}(?:\.[0-9](?:{SLUG_CHAR})*)*"
SLUG_WITH_DOTS = rf"{SLUG_WORD}(?:\.{SLUG_WORD})*"

_PARAMETER = re.compile(r"(?<=[?&])[^&]+")
_LITERAL = re.compile(r"[^\\{}\[\]*]+")  # characters without a special meaning

EXAMPLES = {"date": "{date:%Y-%m-%d}", "id": "{id}", "slug": "{slug}", "n": "{n:1..50}"}


class PatternError(ValueError):
    """An invalid pattern. The message has the mistake, its place and a correction.

    `offset` counts characters of the pattern's text, from 0.
    """

    def __init__(self, message: str, offset: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.offset, self.hint = message, offset, hint

    def __str__(self) -> str:
        return f"{self.message} (character {self.offset + 1})" + (f"; {self.hint}" if self.hint else "")


@dataclass(frozen=True)
class Literal:
    """Literal text, in the form that `normalise` gives it."""

    text: str


@dataclass(frozen=True)
class NumberRange:
    """Whole numbers from `first` to `last`, in the order written, padded with zeros to `width` digits."""

    first: int
    last: int
    width: int

    def matches(self, text: str) -> bool:
        """Whether `text` is one of the numbers, in the form of the pattern."""
        value = int(text)
        return min(self.first, self.last) <= value <= max(self.first, self.last) and text == self.format(value)

    def format(self, value: int) -> str:
        """Return `value` with its leading zeros."""
        return f"{value:0{self.width}d}"


@dataclass(frozen=True)
class Field:
    """A part that varies. `kind`: id, slug, n, *, ** or a strptime code such as %Y; `expected`: its description."""

    kind: str
    regex: str
    expected: str
    source: str
    numbers: NumberRange | None = None


@dataclass(frozen=True)
class Maybe:
    """An optional part, written in […]."""

    parts: "tuple[Node, ...]"
    source: str


Node = Literal | Field | Maybe


def parse(text: str, base: str | None = None) -> tuple[str, tuple[Node, ...]]:
    """Parse a pattern that is not a regular expression. Raises `PatternError`.

    Return its scheme and its parts; the first one has host and path without the scheme (`news.example/a/`).
    """
    if len(text) > MAX_LENGTH:
        raise PatternError(f"the pattern is longer than {MAX_LENGTH} characters", MAX_LENGTH, "shorten it with **")
    return _PatternParser(text).parse(base)


class _PatternParser:
    """One pass over the text. `zone`: the present part of the URL: host, path or query."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.zone = "host"
        self.depth = 0
        self.optional = 0
        self.literal = ""  # characters that are not in a node yet
        self.literal_at = 0

    def parse(self, base: str | None) -> tuple[str, tuple[Node, ...]]:
        self.start(base)
        nodes = self.parts()
        if self.zone == "host":
            self.enter_path()
            nodes += self.flush()
        return self.scheme, _joined(nodes)

    def start(self, base: str | None) -> None:
        """Read the scheme, or take scheme and host from `base`."""
        if self.text.startswith("/") and not self.text.startswith("//"):
            self.start_at(base)
            return
        scheme = re.match(r"(https?)://", self.text, re.IGNORECASE)
        if not scheme:
            raise PatternError("a pattern must begin with http://, https:// or /", 0, _scheme_hint(self.text))
        self.pos = scheme.end()
        self.scheme = scheme[1].lower()
        if self.text[self.pos : self.pos + 1] in ("", "/", "?", ":"):
            raise PatternError("the host is missing", self.pos, "write http://host/…")

    def start_at(self, base: str | None) -> None:
        origin = origin_of(base) if base else None
        if origin is None:
            raise PatternError(
                "a pattern that begins with / needs the example's URL", 0, "begin it with http:// or https://"
            )
        (self.scheme, self.literal), self.zone = origin, "path"
        self.literal_at = -len(self.literal)

    def parts(self) -> list[Node]:
        """Read to the end, or to the `]` of the present optional part."""
        nodes: list[Node] = []
        while self.pos < len(self.text):
            char, at = self.text[self.pos], self.pos
            if char == "]" and self.depth:
                break
            if char in "{*[":
                nodes += self.flush()
                nodes += {"{": self.read_placeholder, "*": self.read_star, "[": self.read_optional}[char]()
            elif char == "\\":
                self.pos += 2
                if at + 1 == len(self.text):
                    raise PatternError("the pattern ends after \\", at, "write \\\\ for the character itself")
                self.add(self.text[at + 1], at)
            elif char in "}]":
                opening = "{" if char == "}" else "["
                raise PatternError(f"{char} without {opening} before it", at, f"write \\{char} for the character")
            elif run := _LITERAL.match(self.text, at):
                self.pos = run.end()
                self.add(run[0], at)
        return nodes + self.flush()

    def add(self, text: str, at: int) -> None:
        """Add literal text, and update the zone from host to path to query."""
        if "#" in text:
            raise PatternError("a page's URL has no fragment (#)", at + text.index("#"), "delete it")
        if not self.literal:
            self.literal_at = at
        if self.zone == "host" and (end := re.search("[/?]", text)):
            if self.depth:
                what = f"the first {end[0]} after the host cannot be optional"
                raise PatternError(what, at + end.start(), "move it before the [")
            self.literal += text[: end.start()]
            self.enter_path()
            text = text[end.start() :].removeprefix("/")
        if self.zone == "path" and "?" in text:
            self.zone = "query"
        self.literal += text

    def enter_path(self) -> None:
        """Add the `/` after the host, in normal form."""
        written = len(self.literal)
        self.literal = self.literal.removesuffix(f":{DEFAULT_PORTS[self.scheme]}")
        self.literal = ".".join(map(ascii_host, self.literal.split(".")))
        self.literal_at += written - len(self.literal)  # so that offsets in the path are offsets in the text
        self.literal += "/"
        self.zone = "path"

    def flush(self) -> list[Node]:
        """Return the literal read so far as a node."""
        text, self.literal = self.literal, ""
        if not text:
            return []
        if self.zone == "host":
            return [Literal(".".join(map(ascii_host, text.split("."))))]
        _refuse_unmatchable(text, self.literal_at)
        return [Literal(escape(text))]

    def read_star(self) -> list[Node]:
        at, before, after = self.pos, self.text[self.pos - 1], self.text[self.pos :].lstrip("*")[:1]
        stars = len(self.text[at:]) - len(self.text[at:].lstrip("*"))
        if stars > 2:
            raise PatternError(f"{stars} stars in a row", at, "* matches within a path segment, ** across segments")
        self.pos += stars
        if stars == 1:
            # A * that is a whole segment is not empty: /a/* matches the pages below /a/, not /a/ itself.
            alone = before == "/" and after in ("", "/", "?")
            regex = {"host": "[^/:?@]*", "path": "[^/?]" + ("+" if alone else "*"), "query": "[^&]*"}[self.zone]
            return [Field("*", regex, "anything but /", "*")]
        if self.zone == "path" and before == "/" and after == "/":
            self.pos += 1  # /**/ also matches /: any number of segments, including none
            return [Field("**", "(?:[^?]*/)?", "any path", "**/")]
        regex = {"host": "[^/:?@]*", "path": "[^?]*" if after else ".*", "query": ".*"}[self.zone]
        return [Field("**", regex, "anything", "**")]

    def read_optional(self) -> list[Node]:
        at = self.pos
        self.optional += 1
        if self.optional > MAX_OPTIONAL:
            raise PatternError(f"more than {MAX_OPTIONAL} optional parts", at, "use * or re: instead")
        self.depth += 1
        self.pos += 1
        nodes = self.parts()
        self.depth -= 1
        if self.pos == len(self.text):
            raise PatternError("[ without ] after it", at, "write \\[ for the character itself")
        self.pos += 1
        if not nodes:
            raise PatternError("nothing between [ and ]", at, "write \\[\\] for the characters themselves")
        return [Maybe(_joined(nodes), self.text[at : self.pos])]

    def read_placeholder(self) -> list[Node]:
        at = self.pos
        end = self.text.find("}", at)
        if end < 0 or "{" in self.text[at + 1 : end]:
            raise PatternError("{ without } after it", at, "write \\{ for the character itself")
        self.pos = end + 1
        name, colon, argument = self.text[at + 1 : end].partition(":")
        source = self.text[at : self.pos]
        match name:
            case "date":
                return self.dates(argument, at + len("{date:"), at)
            case "n":
                return [_number(argument, source, at)]
            case "id" | "slug" if colon:
                raise PatternError(f"{{{name}}} has no option after a colon", at, f"write {EXAMPLES[name]}")
            case "id":
                return [Field("id", "[0-9]+", "digits", source)]
            case "slug":
                dots = self.text[self.pos : self.pos + 1] not in ("", "?", "[", "]", "*")
                return [Field("slug", SLUG_WITH_DOTS if dots else SLUG, "letters, digits, - or _", source)]
        raise PatternError(f"unknown placeholder {source}", at, f"known: {', '.join(EXAMPLES.values())}")

    def dates(self, form: str, start: int, at: int) -> list[Node]:
        """Read a strptime format: codes become fields, the text between them literals."""
        nodes: list[Node] = []
        pieces = list(re.finditer(r"%-?[^-]?|[^%]+", form))
        if "%" not in form:
            raise PatternError("{date} needs a format", at, f"write {EXAMPLES['date']}")
        for piece in pieces:
            if not piece[0].startswith("%") or piece[0] == "%%":
                self.add(piece[0].replace("%%", "%"), start + piece.start())
                continue
            if piece[0] not in DATE_CODES:
                raise PatternError(
                    f"unknown date code {piece[0]}", start + piece.start(), f"known: {' '.join(DATE_CODES)}"
                )
            regex, expected = DATE_CODES[piece[0]]
            nodes += self.flush()
            nodes.append(Field(piece[0], regex, expected, piece[0]))
        return nodes + self.flush()


def _number(argument: str, source: str, at: int) -> Field:
    bounds = re.fullmatch(r"\s*([0-9]+)\s*\.\.\s*([0-9]+)\s*", argument, re.ASCII)
    if not bounds:
        raise PatternError(f"{source} needs its first and last number", at, f"write {EXAMPLES['n']}, or {{id}} for any")
    first, last = bounds[1], bounds[2]
    if max(len(first), len(last)) > MAX_DIGITS:
        raise PatternError(f"a number of more than {MAX_DIGITS} digits", at, "write {id} for any digits")
    padded = [len(bound) for bound in (first, last) if bound.startswith("0") and len(bound) > 1]
    numbers = NumberRange(int(first), int(last), max(padded, default=1))
    shortest = max(padded, default=1)
    regex = f"[0-9]{{{shortest},{max(len(first), len(last))}}}"
    return Field("n", regex, f"a number {first}..{last}", source, numbers)


def _joined(nodes: list[Node]) -> tuple[Node, ...]:
    """Return `nodes` with adjacent literals joined."""
    joined: list[Node] = []
    for node in nodes:
        if joined and isinstance(node, Literal) and isinstance(previous := joined[-1], Literal):
            joined[-1] = Literal(previous.text + node.text)
        else:
            joined.append(node)
    return tuple(joined)


def _refuse_unmatchable(text: str, at: int) -> None:
    """Raise `PatternError` for text that no URL has in its normal form."""
    if "/." in text and (match := re.search(r"/\.\.?/", text)):
        raise PatternError("a page's URL has no . or .. segments", at + match.start(), "write the path without them")
    for match in [*_PARAMETER.finditer(text), *SESSION_IN_PATH.finditer(text)]:
        if match[0][0] == ";" or is_tracking(match[0]):
            name = match[0].partition("=")[0]
            raise PatternError(f"the parameter {name} is removed from every URL", at + match.start(), "delete it")


def _scheme_hint(text: str) -> str:
    rest = text.lstrip(":/")
    host_like = text.startswith("//") or "." in rest.partition("/")[0]
    return f"write http://{rest}" if host_like else "write the whole URL, or its path from /"
