"""A comparison of the compiled and the Python walk: `python -m evaluation.same_walk FOLDER`, on all pages in it.

Each page is walked in both forms, with and without hidden elements, and extracted in both forms: alone (`density`,
`bp-network`) and with an example (`auto`, the first article of the same folder). Every field must be equal.
`--mutated N`: also N changed copies of each page, drawn with a seed. Without FOLDER: built-in pages with all elements
that the walk distinguishes. `--seconds S`: mutations of them for that time, for a build with the address sanitizer
(`make fuzz-walk`).

Exit code 1 if there is a difference, 2 if there is no compiled walk.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from extractors import Section, UnusablePage
from extractors.html.decoding import decode
from extractors.html.dom import parse
from extractors.html.elements import KINDS
from extractors.html.lines import MAX_LINES
from extractors.html.paths import MAX_TRIE, PathTrie
from extractors.html.walk import as_lists, in_python, walk, walk_in_use

from .data import page_bytes

SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")
ALONE = ("density", "bp-network")  # methods without an example that use different parts of the lines
SHOWN = 10  # differences that are printed
LONGEST = 20_000  # bytes of a mutated built-in page
SPACES = (" ", "\n", "\t", "\u00a0", "\u1680", "\u2003", "\u2028", "\u205f", "\u3000", "\x1f", "\x0b")
CHARACTERS = ("a", "é", "中", "\U0001f600", "\u0085", "\u200b", "\ud800", "&nbsp;", "&#133;", "&lt;", "\0", "<", ">")
ATTRIBUTES = (
    " hidden", " class", " class=''", " class=sr-only", " class='a b'", " class=\u00e9", " id=main", " role=main",
    " style='display:none'", " style='visibility : hidden'", " itemprop=articleBody", " href=/x", " xml:lang=en",
    " CLASS='A'", " class=a class=b", " xmlns='http://a'", f" class={'x' * 1_100}", f" id={'i' * 300}",
    " aria-controls",
)  # fmt: skip
DEEP = (255, 256, 257, 300)  # levels, around the limit of the walk
OWN = (
    "<body>go<div class=a><p>one <b>two</b> <a href=/x>three <i>4</i></a></p> tail<br>five<pre> a <b>b</b></pre></div>",
    "<ul><li>a<li>b <a><p>c</p></a></ul><table><tr><td id=d>1<td>2</table><img src=i><video></video>",
    "<div hidden>no<p>no</div><p style='display:none'>no</p><p class=sr-only>no</p><a href=/a>x<a href=/b>y</a></a>",
    "<button><p>a<p>b<p>c<p>d</button><template><p>t</template><noscript><p>n</noscript><select><option>o</select><svg>s</svg>",
    "<p>\u4e2d\u6587\u3000\u65b0\u95fb\u00a0<a href=/z>\u94fe\u63a5 \u4e8c</a>\u3002<br>\U0001f600 <b>\u00e9</b></p>",
    "<pre><div>a<br><a href=/q> b </a><pre>c</pre></div>\n\n</pre><dl><dt>t<dd>d</dl><h1>h</h1><x-y>z</x-y>",
    "<title>t</title><frameset><noframes>text</noframes></frameset>",
    "<head><title>Bread</title><article><p>Flour and water.</p></article>",
    "",
)


class WalkComparison:
    """Compares both forms on one page after the other. The sections and tries of both grow as in real use."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.differences: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._tries = PathTrie(), PathTrie()
        self._alone = {method: (Section(None, method=method), Section(None, method=method)) for method in ALONE}
        self._with_example: tuple[Section, Section] | None = None

    def begin_group(self) -> None:
        """Drop the example, since the next pages are of another section."""
        self._with_example = None

    def add(self, name: str, data: bytes) -> None:
        """Compare the forms on a page."""
        self.counts["pages"] += 1
        if max(trie.size for trie in self._tries) > MAX_TRIE:
            self._tries = PathTrie(), PathTrie()
        self._compare(name, "lines", [partial(_walked, data, trie) for trie in self._tries])
        self._compare(name, "paths", [partial(_paths, trie) for trie in self._tries])
        self._add_extractions(name, data)

    def _add_extractions(self, name: str, data: bytes) -> None:
        found, *_ = [
            self._compare(name, method, [partial(_fields, section, data) for section in sections])
            for method, sections in self._alone.items()
        ]
        if self._with_example is not None:
            self._compare(name, "auto", [partial(_fields, section, data) for section in self._with_example])
        elif isinstance(found, dict) and found["text"]:
            with in_python():
                other = Section(data)
            self._with_example = Section(data), other

    def _compare(self, name: str, what: str, calls: Sequence[Callable[[], Any]]) -> Any:
        """Call the first in the compiled form, the second in Python; return the result of the first."""
        compiled = _outcome(calls[0])
        with in_python():
            python = _outcome(calls[1])
        self.counts[what] += 1
        if compiled != python:
            self.counts["different"] += 1
            self.differences.append(f"{name}: {what}: {_difference(compiled, python)}")
        return compiled


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except UnusablePage as error:
        return str(error)


def _walked(data: bytes, trie: PathTrie) -> list[Any]:
    root = parse(decode(data)[0].encode("utf-8", "replace"))
    found = []
    for hide in (True, False):
        walked = walk(root, trie, hide, MAX_LINES)
        places = {element: place for place, element in enumerate(root.iter())}
        links = [places[element] for element in walked.link_elements]
        media = [(line, path, places[element]) for line, path, element in walked.media]
        noted = [places[element] for element in walked.noted]
        blocks = [places[element] for element in walked.blocks]
        found += [*as_lists(walked)[:6], blocks, walked.links, links, walked.link_elements.values("href"), media, noted]
    return found


def _paths(trie: PathTrie) -> list[Any]:
    return [trie.size, trie.parent, trie.tag, trie.classes, trie.role, trie.mark, trie.family]


def _fields(section: Section, data: bytes) -> dict[str, Any]:
    return section.extract(data, "https://gazette.example/town/1.html").to_dict()


def _difference(one: Any, other: Any) -> str:
    if isinstance(one, dict) and isinstance(other, dict):
        one, other = list(one.items()), list(other.items())
    if isinstance(one, list) and isinstance(other, list):
        parts = [(place, a, b) for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
        return "; ".join(f"{place}: {str(a)[:150]} | {str(b)[:150]}" for place, a, b in parts[:3])
    return f"{str(one)[:200]} | {str(other)[:200]}"


def mutated(page: bytes, chance: random.Random) -> bytes:
    """Return a page with some parts dropped, doubled, moved or replaced by tags, attributes, white space or letters."""
    for _ in range(chance.randint(1, 8)):
        start = chance.randint(0, len(page))
        end = min(len(page), start + chance.choice((0, 0, 1, 5, 50, 500)))
        new = chance.choice((b"", page[start:end] * 2, page[start:end][::-1], _piece(chance), _piece(chance)))
        place = chance.choice((start, start, page.find(b">", start) + 1 or start))
        page = page[:place] + new + page[max(end, place) :]
    return page


def _piece(chance: random.Random) -> bytes:
    tag = chance.choice((*KINDS, "b", "span", "x-y", "o:p", "i"))
    attributes = "".join(chance.sample(ATTRIBUTES, chance.choice((0, 0, 1, 1, 2, 5))))
    text = "".join(chance.choices((*SPACES, *CHARACTERS), k=chance.randint(0, 6)))
    opened = f"<{tag}{attributes}>{text}"
    forms = (opened, opened, f"{opened}</{tag}>{text}", f"</{tag}>", text, f"<!--{text}-->", f"<{tag}")
    times = chance.choice((1, 1, 1, 1, 1, 1, 2, 40, chance.choice(DEEP)))
    return (chance.choice(forms) * times).encode("utf-8", "surrogatepass")


def stored_pages(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the pages below a folder with the names of their groups."""
    for path in sorted(folder.rglob("*")):
        if path.name.endswith(SUFFIXES) and path.is_file():
            yield str(path.parent), path


def compare_folder(comparison: WalkComparison, folder: Path, copies: int) -> None:
    """Compare the forms on the pages below a folder, and on `copies` mutations of each."""
    last = ""
    for group, path in stored_pages(folder):
        if group != last:
            comparison.begin_group()
        last, data = group, page_bytes(path)
        comparison.add(str(path), data)
        chance = random.Random(path.name)
        for number in range(copies):
            comparison.add(f"{path} mutation {number}", mutated(data, chance))


def compare_own(comparison: WalkComparison, copies: int, seconds: float, seed: str) -> None:
    """Compare the forms on built-in pages and on mutations of them: `copies` of each, or for `seconds`."""
    end, round_ = time.monotonic() + seconds, 0
    for number, page in enumerate(OWN):
        comparison.add(f"own {number}", page.encode())
    while round_ < copies if not seconds else time.monotonic() < end:
        for number in range(len(OWN)):
            name = f"own {number}, seed {seed!r}, mutation {round_}"
            chance = random.Random(name)
            page = "".join(chance.choices(OWN, k=chance.randint(0, 3))) + OWN[number]
            comparison.add(name, mutated(page.encode(), chance)[:LONGEST])
        round_ += 1


def main(words: Sequence[str] | None = None) -> int:
    """Print the numbers of pages and of differences."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.same_walk", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="a folder of stored pages, .gz too")
    parser.add_argument("--mutated", type=int, default=0, metavar="N", help="changed copies of each page (default: 0)")
    parser.add_argument("--seconds", type=float, default=0, metavar="S", help="time for mutations of our own pages")
    parser.add_argument("--seed", default="1", help="of those mutations (default: 1)")
    arguments = parser.parse_args(words)
    if walk_in_use() != "compiled":
        print("there is no compiled walk here", file=sys.stderr)
        return 2
    comparison = WalkComparison()
    if arguments.folder is None:
        compare_own(comparison, arguments.mutated, arguments.seconds, arguments.seed)
    elif arguments.folder.is_dir():
        compare_folder(comparison, arguments.folder, arguments.mutated)
    else:
        parser.error(f"{arguments.folder} is no folder")
    counts = comparison.counts
    print("\n".join(comparison.differences[:SHOWN]), end="\n" if comparison.differences else "")
    print(f"{counts['pages']} pages, {counts['auto']} of them with an example: {counts['different']} differences")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
