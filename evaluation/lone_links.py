"""Text in lines that are links: `python -m evaluation.lone_links DATA [STRUCTURE]`: how much of it the body keeps.

For each set: the share of the text in such lines that is in the known text and in the extracted one, and the bytes of
those that are only in the extracted one, as a share of it. STRUCTURE holds `SITE.jsonl.gz` with the HTML that a site's
theme was given: then only these sites are measured, and only lines that are links there count as wanted.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import compress
from pathlib import Path

from extractors import NoArticle, Section
from extractors.html.dom import parse
from extractors.html.lines import Lines, read_lines
from extractors.html.paths import PathTrie

from .arguments import mistakes, parser_of
from .data import DataError, DataSet, parsed_page, read_sets

LEAST = 8  # letters; shorter lines occur in a text by accident
_OTHER = re.compile(r"\W+")


def main(words: Sequence[str] | None = None) -> int:
    """Print a line for each set; exit code 2 for a mistake in call or data."""
    parser = parser_of("evaluation.lone_links", __doc__)
    parser.add_argument("structure", type=Path, nargs="?", metavar="STRUCTURE")
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError):
        sets = read_sets(arguments.data)
    for one in sets:
        path = arguments.structure / f"{one.name}.jsonl.gz" if arguments.structure else None
        if path is None or path.exists():
            print(measured(one, path))
    return 0


def measured(one: DataSet, structure: Path | None) -> str:
    """Return the figures of a set."""
    inner = dict(_inner(structure)) if structure else {}
    section, wanted, kept, wrong, total = Section(None), 0, 0, 0, 0
    for row in one.articles():
        found = section.extract(row.html(), row.url, refuse="never")
        parsed = parsed_page(row, row.url)
        if isinstance(found, NoArticle) or parsed is None:
            continue
        text, truth = _plain(getattr(found, "text", "")), _plain(row.body or "")
        html = inner.get(row.file.as_posix().partition(f"/{one.name}/")[2])
        written = None if html is None else {*_links(read_lines(parse(html.encode()), PathTrie()))}
        total += len(text)
        for line in _links(parsed.lines):
            if line in truth if written is None else line in written:
                wanted += len(line)
                kept += len(line) * (line in text)
            elif line not in truth:
                wrong += len(line) * (line in text)
    share = f"{kept / wanted:.3f} of {wanted} letters kept" if wanted else "none"
    return f"{one.name}: {share}, {wrong / max(1, total):.2%} of the text wrongly"


def _inner(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of a site's pages with the HTML of their bodies."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            yield row["file"], row["html"]


def _links(lines: Lines) -> Iterator[str]:
    plain = map(_plain, compress(lines.texts, lines.link_lines))
    return (text for text in plain if len(text) >= LEAST)


def _plain(text: str) -> str:
    return _OTHER.sub("", text).lower()


if __name__ == "__main__":
    sys.exit(main())
