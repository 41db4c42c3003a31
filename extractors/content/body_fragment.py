"""A body that was found in a page's source → a small page of its own, which is made into an article like any other.

Beside the body, the small page contains the sources of its metadata: the elements of the head, and the lines before the
body, for its date and byline. Methods that find a body by structure alone leave to the last steps here what is
recognised by words: its title and byline, the editor's line, a tail of boilerplate (`trimming`).
"""

import html
import re
from collections.abc import Collection

from ..article import Article, NoArticle
from ..html.dom import parse
from ..html.lines import Lines, read_lines
from ..html.paths import PathTrie
from ..html.tagless_text import Ctext
from ..metadata.declared_metadata import read_head
from ..page import Page
from .assembly import BodyLines, ParsedPage, assemble, read
from .body import Body
from .line_weights import Prior, unlinked_bytes
from .notices import NOTICE_BODY, notice
from .roots import content_of_paths, find_root
from .trimming import trim, up_to_notice

LINES_BEFORE = 12  # lines with text before the body that are kept for its date and byline
MOST_LOOKED_AT = 100  # lines before the body that are searched for them
BORDER = "\N{REFERENCE MARK}" * 3  # the line that separates them from the body
LINES_OPENING = 6  # first lines of a body that may contain its title
TITLE_MIN = 4  # characters of a line that repeats the title
LINKED = 0.9  # link share from which a line is another article's title and not part of the body
LEAST = 20  # bytes of running text; a body has more
ASIDE = frozenset({"aside", "nav", "footer", "form"})

_REST = r"""[^<>"']*+(?:(?:"[^"]{0,5000}+"|'[^']{0,5000}+')[^<>"']*+)*+>"""
# Elements with metadata, wherever they are on the page.
_TELLING = re.compile(
    rf"<(?:meta\b{_REST}|base\b{_REST}|link\b(?=[^<>]*canonical){_REST}"
    r"|title\b[^<>]*+>[^<]*+</title\s*>"
    r"|script\b[^<>]*ld\+json[^<>]*+>[^<]*+(?:<(?!/script)[^<]*+)*+</script\s*>)",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"<html\b[^<>]*+>", re.IGNORECASE)
_HEADING = re.compile(r"<h1\b[^<>]*+>(?:[^<]|<(?!/?h1\b)){1,1000}+</h1\s*>", re.IGNORECASE)


def assemble_lines(page: Page, ctext: Ctext, first: int, end: int, how: BodyLines) -> Article | NoArticle:
    """Return the article whose body is the lines from `first` to before `end`; `how`: how it was found."""
    return assemble_source(page, texts_before(ctext, first), ctext.between(first, end), how)


def assemble_source(page: Page, before: list[str], body: str, how: BodyLines) -> Article | NoArticle:
    """Return the article for the source of a body and the texts of the lines before it."""
    parsed, found = read_fragment(page, before, body)
    lines = parsed.lines
    kept = _without_asides(lines, [line for line in found if lines.linked[line] <= LINKED * lines.width[line]])
    content = [0.0] * len(lines)
    for line in kept:
        content[line] = parsed.prior.unlinked[line]
    root = find_root(lines, content_of_paths(lines, content))
    kept = trim(lines, up_to_notice(lines, Body(kept, root), parsed.prior), parsed.prior)
    width = lines.width[kept].sum()
    if width < LEAST:
        return no_body(page, "no running text where the body should be")
    if width <= NOTICE_BODY and page.refuse != "never" and (said := _notice(page, [lines.texts[i] for i in kept])):
        return NoArticle(said, page.url)
    return assemble(parsed, BodyLines(kept, root, how.method, how.confidence, how.reason))


def no_body(page: Page, reason: str) -> NoArticle:
    """Return why a page has no body: the notice that it has instead, or `reason`."""
    return NoArticle(_notice(page, ()) or reason, page.url)


def _notice(page: Page, body: Collection[str]) -> str | None:
    """Return the notice that the page has instead of an article. `body`: the lines of its body, if it has one."""
    whole = read(page, PathTrie())
    if isinstance(whole, NoArticle):
        return whole.reason
    kept = [line for line, text in enumerate(whole.lines.texts) if text in body]
    return notice(whole.lines, whole.head.title, whole.head.headings, kept)


def assemble_verbatim(page: Page, before: list[str], body: str, how: BodyLines) -> Article | NoArticle:
    """As `assemble_source`, but with all lines of the body, independently of their words."""
    parsed, kept = read_fragment(page, before, body)
    if not kept:
        return NoArticle("no text where the body should be", page.url)
    return assemble(parsed, BodyLines(kept, 0, how.method, how.confidence, how.reason))


def read_fragment(page: Page, before: list[str], body: str) -> tuple[ParsedPage, list[int]]:
    """Return the small page, and which of its lines are the body. Only `title` and `unlinked` of its priors are set."""
    heading = _HEADING.search(page.html)
    parts = [*_telling(page.html), "<body>", heading[0] if heading else "", *map(paragraph, [*before, BORDER])]
    root = parse("".join([*parts, "<div>", body]))
    lines = read_lines(root, PathTrie())
    start = lines.texts.index(BORDER) + 1 if BORDER in lines.texts else 0
    kept = list(range(start, len(lines)))
    head = read_head(root)
    title = _title_line(lines, kept, head.title, heading=start > len(before) + 1)
    return ParsedPage(page, lines, head, Prior([1.0] * len(lines), title, [], unlinked_bytes(lines))), kept


def paragraph(text: str) -> str:
    """Return a line's text as the HTML source of a paragraph."""
    return f"<p>{html.escape(text, quote=False)}</p>"


def texts_before(ctext: Ctext, first: int) -> list[str]:
    """Return the texts of the last lines before line `first`."""
    found: list[str] = []
    for line in range(first - 1, max(0, first - MOST_LOOKED_AT) - 1, -1):
        if text := ctext.text(line):
            found.append(text)
        if len(found) == LINES_BEFORE:
            break
    return found[::-1]


def _telling(source: str) -> list[str]:
    language = _LANGUAGE.search(source)
    return [language[0] if language else "", "<head>", *(tag[0] for tag in _TELLING.finditer(source))]


def _title_line(lines: Lines, kept: list[int], title: str, *, heading: bool) -> int:
    """Return which of the body's first lines repeats the title; else 0 if line 0 is the page's heading, or -1."""
    for line in kept[:LINES_OPENING]:
        text = lines.texts[line]
        if len(text) >= TITLE_MIN and (title.startswith(text) or (heading and text == lines.texts[0])):
            return line
    return 0 if heading else -1


def _without_asides(lines: Lines, kept: list[int]) -> list[int]:
    trie = lines.trie
    asides = {path: any(trie.tag[step] in ASIDE for step in trie.up(path)) for path in {lines.paths[i] for i in kept}}
    return [line for line in kept if not asides[lines.paths[line]]] if not all(asides.values()) else kept
