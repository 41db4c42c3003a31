"""The pattern of several URLs: their common parts are literal, the others become `{date:…}`, `{id}`, `{slug}`, `*`.

    /a/zhike/181.html, /a/view/ec/2015/0207/41.html   →   /a/**/{id}.html

`inference` decides which URLs belong together.
"""

import re
from collections.abc import Iterable, Sequence, Set
from itertools import takewhile
from urllib.parse import unquote

from crawler.patterns.pattern import Pattern
from crawler.scouting.address_parts import MARK, YEAR, Address, leading_letters, year_in_title

FEW = 8  # siblings from which a word common to all is not a coincidence
NEARLY_ALL = 0.97  # share of the URLs; a mistake in one of a hundred links does not widen the pattern
LONG = 3  # digits of a number that certainly is not part of a title
_TOKEN = re.compile(rf"(?:[0-9A-Za-z]|%[0-9A-F]{{2}})+|{MARK}|[^0-9A-Za-z%]|%")
_SPECIAL = re.compile(r"[\\{}\[\]*]")


def fit(addresses: Sequence[Address]) -> str:
    """Return the pattern, as text, that matches nearly all of `addresses`, and always the first, the example.

    They are of one site, with and without `www.`, and have the same parameters. Raises `PatternError` if there is none.
    """
    host, query = _host(addresses), _query(addresses)
    folders, raws_left = _folders(addresses)
    leaf = _leaf(addresses, raws_left)
    text = f"{addresses[0].scheme}://{host}/{folders}{leaf}{query}"
    looser = f"{addresses[0].scheme}://{host}/{folders}{_ending(addresses, '*')}{query}"
    pattern = Pattern.parse(text)
    fits = sum(pattern.match(address.url) is not None for address in addresses)
    return text if pattern.match(addresses[0].url) and fits >= NEARLY_ALL * len(addresses) else looser


def literal(text: str) -> str:
    """Return text of a URL as part of a pattern: special characters escaped, words of other scripts readable."""
    decoded = unquote(text, errors="strict") if _is_readable(text) else text
    return _SPECIAL.sub(lambda special: "\\" + special[0], decoded)


def _is_readable(text: str) -> bool:
    if not re.search(r"%[89A-F][0-9A-F]", text):
        return False
    try:
        decoded = unquote(text, errors="strict")
    except UnicodeDecodeError:
        return False
    # Escaped ASCII (%2F, %20) keeps its escapes: decoding it would change the URL.
    return decoded.isprintable() and not re.search(r"%[0-7]", text)


def _host(addresses: Sequence[Address]) -> str:
    if len({address.host for address in addresses}) == 1:
        return literal(addresses[0].host)
    return "[www.]" + literal(addresses[0].bare_host)


def shared_start(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the common beginning of all rows, which may be texts."""
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*rows, strict=False))]


# Folders


def _folders(addresses: Sequence[Address]) -> tuple[str, int]:
    """Return the folders' text with its last `/`, and how many dates each address has after them (-1: unknown)."""
    depths = {len(address.folders) for address in addresses}
    in_stem = {address.stem.count(MARK) for address in addresses}
    left = in_stem.pop() if len(in_stem) == 1 else 0
    if len(depths) == 1 and len({_marks(address) for address in addresses}) == 1:
        text, dates = "", 0
        for column in zip(*(address.folders for address in addresses), strict=True):
            text += _folder(column, addresses, dates) + "/"
            dates += column[0].count(MARK)
        return text, left
    least = min(depths)
    shared = shared_start([address.folders for address in addresses])
    prefix = list(takewhile(lambda folder: MARK not in folder, shared))[:least]
    start = "".join(literal(folder) + "/" for folder in prefix)
    return start + "**/" + _shared_end(addresses, len(prefix)), left


def _marks(address: Address) -> tuple[object, ...]:
    return (tuple(folder.count(MARK) for folder in address.folders), address.dates)


def _with_dates(texts: Sequence[str], addresses: Sequence[Address], first: int) -> str:
    """Return texts with the dates between them; `first`: the place of the first one among an address's dates."""
    text = texts[0]
    for place, following in enumerate(texts[1:], first):
        form = addresses[0].dates[place].text([address.raws[place] for address in addresses])
        text += f"{{date:{form}}}{following}"
    return text


def _folder(column: Sequence[str], addresses: Sequence[Address], first_date: int) -> str:
    pieces = list(zip(*(value.split(MARK) for value in column), strict=True))
    if len(set(column)) == 1:
        begins_ids = all(address.stem.isdigit() and address.stem.startswith(column[0]) for address in addresses)
        if column[0].isdigit() and begins_ids and len(addresses) > 1:
            return "{id}"
        return _with_dates([literal(piece[0]) for piece in pieces], addresses, first_date)
    if all(value.isdigit() for value in column):
        return "{id}"
    text = _piece(column) if len(pieces) == 1 else "*"
    return text if "{id}" in text and "{slug}" not in text else "*"


def _shared_end(addresses: Sequence[Address], start: int) -> str:
    """Return the folders before the last segment that all addresses share, counted from the end."""
    ends = [address.folders[start:][::-1] for address in addresses]
    shared = shared_start(ends)[::-1]
    return "".join(literal(folder) + "/" for folder in shared) if not any(MARK in folder for folder in shared) else ""


# The last segment


def _leaf(addresses: Sequence[Address], dates_left: int) -> str:
    stems = [address.stem for address in addresses]
    forms = {address.dates[len(address.dates) - dates_left :] for address in addresses} if dates_left else {()}
    if len({stem.count(MARK) for stem in stems}) != 1 or len(forms) != 1:
        return _ending(addresses, "*")
    pieces = [stem.split(MARK) for stem in stems]
    texts = [_piece([parts[place] for parts in pieces]) for place in range(len(pieces[0]))]
    return _ending(addresses, _with_dates(texts, addresses, -dates_left))


def _ending(addresses: Sequence[Address], stem: str) -> str:
    suffixes = {address.suffix for address in addresses}
    slashes = {address.slash for address in addresses}
    if suffixes == {"", "/index.html"}:
        always = all(address.slash or address.suffix for address in addresses)
        return stem + ("/[index.html]" if always else "[/][index.html]")
    suffix = literal(suffixes.pop()) if len(suffixes) == 1 else _suffixes(suffixes)
    return stem + suffix + ("" if slashes == {False} or not addresses[0].stem else "/" if slashes == {True} else "[/]")


def _suffixes(suffixes: Set[str]) -> str:
    forms = (
        ({".html", ".shtml"}, ".[s]html"), ({".htm", ".html"}, ".htm[l]"), ({".htm", ".shtml", ".html"}, ".[s]htm[l]"),
    )  # fmt: skip
    return next(form for known, form in forms if suffixes <= known)


def _piece(values: Sequence[str]) -> str:
    """Return the pattern of one piece of a last segment, between dates."""
    if len(set(values)) == 1:
        return _one_value(values[0]) if len(values) == 1 else literal(values[0])
    if not all(values):
        return "*"
    rows = [_TOKEN.findall(value) for value in values]
    if len({tuple(_kind(token) for token in row) for row in rows}) == 1:
        tokens = _years_as_words([_token(column) for column in zip(*rows, strict=True)], rows)
        small = any(min(map(len, column)) < LONG for column in zip(*rows, strict=True) if "".join(column).isdigit())
        if "{slug}" not in tokens or not small or len(values) >= FEW:
            return _collapsed(tokens, len(values))
    return _ragged(rows)


def _years_as_words(tokens: list[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Keep numbers as part of the titles if all of them may be years: review-2022, best-2021."""
    if "{slug}" not in tokens:
        return tokens
    columns = zip(*rows, strict=True)
    return ["{slug}" if _are_years(column) else token for token, column in zip(tokens, columns, strict=True)]


def _are_years(column: Iterable[str]) -> bool:
    return all(YEAR.fullmatch(value) for value in column)


def _one_value(value: str) -> str:
    """Return the pattern of a piece of which only one value is known."""
    if not value:
        return ""
    if year_in_title(value):
        return "{slug}"
    return re.sub(r"\d{2,}$", "{id}", literal(value)) if re.fullmatch(r"[A-Za-z]*[_-]?\d{2,}", value) else "{slug}"


def _kind(token: str) -> str:
    return token if len(token) == 1 and not token.isalnum() else "word"


def _token(column: Sequence[str]) -> str:
    values = set(column)
    if len(values) == 1:
        return literal(column[0])
    if all(value.isdigit() for value in values):
        return _date_and_id(column)
    heads = {leading_letters(value) for value in values}
    if len(heads) == 1 and (head := heads.pop()) and all(value[len(head) :].isdigit() for value in values):
        return literal(head) + _date_and_id([value[len(head) :] for value in column])
    return "{slug}"


def _date_and_id(column: Sequence[str]) -> str:
    """Return the pattern of digits: a date and an id if all numbers begin with a day (20200610000123)."""
    day = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{2,}")
    if len(set(column)) >= FEW and all(day.fullmatch(value) for value in column):
        return "{date:%Y%m%d}{id}"
    return "{id}"


def _collapsed(tokens: list[str], count: int) -> str:
    """Join the words from the first one that varies to the last one into one slug."""
    places = [place for place, token in enumerate(tokens) if token == "{slug}"]
    if not places:
        return "".join(tokens)
    first, last = places[0], places[-1]
    head, tail = tokens[:first], tokens[last + 1 :]
    words = first != last or len(tokens) > 3
    if words and count < FEW * 2 and head and not any("{" in token for token in head):
        head = []  # titles that begin with the same words by accident
    if tail and not any("{" in token for token in tail) and not any(token.isdigit() for token in tail) and count < FEW:
        tail = []
    return "".join(head) + "{slug}" + "".join(tail)


def _ragged(rows: Sequence[Sequence[str]]) -> str:
    """Return the pattern of segments of different lengths: an id at one end, a common beginning only before a code."""
    first, last = [row[0] for row in rows], [row[-1] for row in rows]
    numbers_first = all(_is_number(row[0]) and len(row) > 2 for row in rows) and len({row[1] for row in rows}) == 1
    numbers_last = all(_is_number(row[-1]) and len(row) > 2 for row in rows) and len({row[-2] for row in rows}) == 1
    if numbers_first and len(set(first)) > 1 and not _are_years(first):
        return "{id}" + literal(rows[0][1]) + "{slug}"
    if numbers_last and len(set(last)) > 1 and not _are_years(last):
        return "{slug}" + literal(rows[0][-2]) + "{id}"
    start = shared_start(rows)
    while start and start[-1].isalnum():
        start = start[:-1]
    rest = [row[len(start) :] for row in rows]
    codes = all(len(row) <= 3 and any(map(str.isdigit, "".join(row))) for row in rest)
    keeps = start and (not any(map(str.isalnum, start)) or (codes and len(rows) >= 3))
    head = literal("".join(start)) if keeps else ""
    return head + "{slug}"


def _is_number(token: str) -> bool:
    return token.isdigit() and len(token) >= LONG


# The query


def _query(addresses: Sequence[Address]) -> str:
    keys = [address.keys for address in addresses]
    if not any(keys):
        return ""
    pairs = [
        f"{literal(name)}={_value([address.query[place][1] for address in addresses])}"
        for place, name in enumerate(keys[0])
    ]
    return "?" + "&".join(pairs)


def _value(column: Sequence[str]) -> str:
    if len(set(column)) == 1:
        return literal(column[0]) if len(column) > 1 else _one_parameter(column[0])
    if all(value.isdigit() for value in column):
        return "{id}"
    if all(re.fullmatch(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", value) for value in column):
        return "{date:%Y-%m-%d}"
    return "*"


def _one_parameter(value: str) -> str:
    return "{id}" if value.isdigit() else literal(value)
