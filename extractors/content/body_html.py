"""Kept lines and the page's tree → the body as clean HTML.

Strategy: the events of the body's part of the tree (`body_events`) are written one after another. What contains no
kept line is left out with all that is in it, except pictures that stand alone between kept lines. A block that has no
meaning (a <div>, a table for layout) only ends a paragraph. Inline text between two blocks is a paragraph; inline
elements that contain blocks are closed before each and opened again within it. A block whose only text is captions is a
<figure>.
The elements of the page are never copied: each written one is made here, and `html.sanitising` has the last word.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import takewhile
from typing import Any

from lxml import etree

from ..article import Kind
from ..html.dom import to_html
from ..html.sanitising import FORMULAS, sanitise
from ..html.urls import drop_tracking, web_url
from . import body_events as event
from .blocks import has_data
from .code_language import code_language
from .pictures import STYLE_LENGTH, alternative, background_url, is_formula, picture_url, player_url

MAX_NESTED = 40  # levels of elements; deeper ones only end a paragraph
COLUMNS = 2  # headings of a table with code in its cells, from which it is one of data
LABEL_LENGTH = 200  # characters of a player's title

_STYLES = {
    "strong": re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)"),
    "em": re.compile(r"font-style\s*:\s*italic"),
    "del": re.compile(r"text-decoration[^;]*line-through"),
}
_ONE_LINE = frozenset({*event.HEADINGS.values(), "dt", "summary", "caption", "figcaption"})
_CELLS = frozenset({"td", "th"})
_LISTS = frozenset({"ul", "ol"})
_TIGHT = _ONE_LINE | _CELLS | {"li", "dd"}  # a single paragraph within is written without <p>
_CAPTIONS = ("figure", "figcaption", "caption")
# Elements that contain certain others only, with the one that wraps any other content.
_CHILDREN = {
    "ul": ("li", {"li", "ul", "ol"}),
    "ol": ("li", {"li", "ul", "ol"}),
    "dl": ("dd", {"dt", "dd"}),
    "tr": ("td", _CELLS),
    **dict.fromkeys(event.ROWS, ("tr", event.ROWS | {"tr", "caption"})),
}
_NUMBERS = {"ol": ("start",), "li": ("value",), "td": ("colspan", "rowspan"), "th": ("colspan", "rowspan")}
_RUN, _PICTURES, _BLOCK = "p", "figure", ""  # the element around a part that may not be where it is by itself


@dataclass(frozen=True, slots=True)
class KeptLines:
    """The lines of a page that its HTML has: the kinds of their blocks, and the URL that relative ones refer to.

    `lead`: the URL of the article's picture, which is written first if the page shows it above the text. `last_lines`:
    the number of the last line of each block.
    """

    kinds: Mapping[int, Kind]
    base: str
    lead: str | None = None
    last_lines: Sequence[int] = ()

    def only(self, blocks: Collection[int]) -> "KeptLines":
        """Return the lines of some of the blocks, given by their places."""
        kept = {line: kind for line, kind in self.kinds.items() if bisect_left(self.last_lines, line) in blocks}
        return replace(self, kinds=kept)


@dataclass(slots=True)
class _Frame:
    """An open element: its tag, its start as written, and its content as (what it is, tag, HTML)."""

    tag: str
    start: str = ""
    items: list[tuple[str, str, str]] = field(default_factory=list)


class TreeMarkup:
    """The body's HTML, written when it is asked for; until then, a copy of the body's part of the tree is kept."""

    __slots__ = ("_html", "_kept", "_top")

    def __init__(self, top: event.Top, kept: KeptLines) -> None:
        """`top` must not change until the HTML is written."""
        self._top: event.Top | None = top
        self._kept = kept
        self._html = ""

    def only(self, blocks: Collection[int]) -> "TreeMarkup":
        """Return the markup of some of the blocks, given by their places; before the HTML is asked for."""
        if self._top is None:
            raise RuntimeError("the HTML of all blocks is already written")
        return TreeMarkup(self._top, self._kept.only(blocks))

    def html(self) -> str:
        """Return the body as HTML."""
        if self._top is not None and self._kept.kinds:
            self._html = sanitise(_Writer(self._top, self._kept).write())
        self._top = None
        return self._html

    def __getstate__(self) -> str:
        return self.html()

    def __setstate__(self, html: str) -> None:
        self._top, self._kept, self._html = None, KeptLines({}, ""), html


class _Writer:
    """Writes the events of one body."""

    def __init__(self, top: event.Top, kept: KeptLines) -> None:
        self._kept = kept
        self._events, self._media = event.read_events(top, kept.kinds, self._medium)
        self._frames = [_Frame("")]
        self._run: list[str] = []  # the paragraph that is being written
        self._has_text = self._space = False  # whether it has text, and whether a space follows
        self._inline: list[tuple[str, str]] = []  # the open inline elements: tag, start
        self._opened = 0  # how many of them are open in the paragraph

    def write(self) -> str:
        """Return the body's HTML, not yet sanitised."""
        closing: list[int] = []  # of each open block, how many frames it opened
        styles: list[bool] = []  # of each open inline element, whether it is written
        caption = -1  # the line of the last caption
        for place, (kind, value) in enumerate(self._events):
            if kind == event.TEXT:
                self._write_text(value)
            elif kind in (event.BORDER, event.START, event.END):
                if self._run:
                    self._end_run()
                if kind == event.START:
                    closing.append(self._start(*value))
                elif kind == event.END:
                    for _ in range(closing.pop()):
                        self._pop()
            elif kind == event.START_INLINE:
                styles.append(self._start_inline(*value))
            elif kind == event.END_INLINE:
                if styles.pop():
                    self._end_inline()
            elif kind == event.NEW_LINE:
                self._new_line()
            elif kind == event.EMPTY:
                self._end_run()
                self._write_empty(*value)
            elif kind == event.CODE:
                self._write_code(*value)
            elif kind == event.CAPTION:
                if any(map(self._nearest, _CAPTIONS)):
                    self._write_text(value[1])
                elif value[0] != caption:
                    caption = value[0]
                    self._write_caption(place)
            elif kind != event.TASK:
                self._write_medium(kind, value)
            elif self._nearest("li"):
                self._token(f'<input type="checkbox" disabled{" checked" if value else ""}>')
        self._end_run()
        return self._lead() + self._content(self._frames[0])

    def _lead(self) -> str:
        image = _image(self._kept.lead, "") if self._kept.lead else ""
        shown = {html.partition('" alt="')[0] for html in self._media}
        return f"<figure>{image}</figure>" if image and image.partition('" alt="')[0] not in shown else ""

    # Elements

    def _start(self, tag: str, element: etree._Element, inside: int) -> int:
        """Open a block with the given content. Return how many frames that opens."""
        if tag == "table" and inside & event.HAS_KEPT != event.HAS_CAPTION:
            return self._start_table(element, inside)
        if inside & event.HAS_KEPT == event.HAS_CAPTION or (tag == "figure" and not inside & event.HAS_PROSE):
            if tag not in ("caption", *_CELLS) and not self._nearest("figure"):
                self._push("figure")
                return 1
        elif tag == "blockquote" and inside & event.HAS_EMBED and not self._nearest("figure"):
            self._push("figure")
            self._push("blockquote")
            return 2
        own = event.OWN.get(tag)
        if own is None or len(self._frames) > MAX_NESTED:
            return 0
        if own in event.PARENTS and self._frames[-1].tag not in event.PARENTS[own]:
            return 0
        if not inside & event.HAS_TEXT and self._nearest("figure"):
            return 0
        return self._start_own(own, element)

    def _start_own(self, tag: str, element: etree._Element) -> int:
        if tag == "li" and self._frames[-1].tag not in ("ul", "ol"):
            self._push("ul")
            self._push("li")
            return 2
        attributes = ""
        for name in _NUMBERS.get(tag, ()):
            if (number := element.get(name)) and (number := number.strip()).isdecimal():
                attributes += f' {name}="{number}"'
        self._push(tag, attributes + " reversed" * (tag == "ol" and element.get("reversed") is not None))
        return 1

    def _write_empty(self, tag: str, element: etree._Element) -> None:
        """Write what a block without kept text shows."""
        if tag == "hr":
            self._put(_BLOCK, "hr", "<hr>")
        elif tag in _CELLS and self._frames[-1].tag == "tr":
            self._start_own(tag, element)
            self._pop()
        elif len(self._frames) > 1 and self._nearest("figure") and (url := background_url(element, self._kept.base)):
            self._write_medium(event.PICTURE, _image(url, alternative(element)))

    def _start_inline(self, tag: str, element: etree._Element) -> bool:
        """Open an inline element. Return whether it has a meaning here."""
        own, attributes = event.INLINE_MEANINGS.get(tag), ""
        if tag == "a" and not self._is_own_anchor(element) and (url := _link(element, self._kept.base)):
            own, attributes = "a", f' href="{escape(url)}"'
        elif own is None and tag in ("span", "font") and (style := element.get("style")):
            own = next((name for name, form in _STYLES.items() if form.search(style[:STYLE_LENGTH].lower())), None)
        if own is None or (self._inline and own in [tag for tag, _ in self._inline]):
            return False
        self._inline.append((own, f"<{own}{attributes}>"))
        return True

    def _is_own_anchor(self, link: etree._Element) -> bool:
        """Whether a link in a heading leads to the heading."""
        return self._frames[-1].tag in event.HEADINGS.values() and (link.get("href") or "").startswith("#")

    def _start_table(self, element: etree._Element, inside: int) -> int:
        """Open a table of data; a table for layout, or one that numbers the lines of code, opens nothing."""
        if inside & event.HAS_TABLE or not has_data(element):
            return 0
        if next(element.iter("pre"), None) is not None and len(element.findall(".//th")) < COLUMNS:
            return 0
        self._push("table")
        return 1

    def _write_code(self, element: etree._Element, code: str) -> None:
        self._end_run()
        if not code.strip():
            return
        language = code_language(element)
        name = f' class="language-{escape(language)}"' if language else ""
        self._put(_BLOCK, "pre", f"<pre><code{name}>{_escaped(code)}\n</code></pre>")

    def _end_inline(self) -> None:
        tag, _ = self._inline[-1]
        if self._opened == len(self._inline):
            self._run.append(f"</{tag}>")
            self._opened -= 1
        self._inline.pop()

    def _write_caption(self, start: int) -> None:
        """Write a caption that shares its block with other text, below the picture in front of it."""
        number = self._events[start][1][0]
        following = map(self._events.__getitem__, range(start, len(self._events)))
        texts = (
            value if kind == event.CAPTION else ("", value)
            for kind, value in following
            if kind in (event.TEXT, event.CAPTION)
        )
        line = [text for _, text in takewhile(lambda text: text[0] == number, texts)]
        self._end_run()
        items = self._frames[-1].items
        pictures = [items.pop()] if items and items[-1][0] == _PICTURES else []
        self._push("figure")
        self._frames[-1].items += [*pictures, (_RUN, "p", _escaped(" ".join("".join(line).split())))]
        self._pop()

    # Inline content

    def _write_text(self, text: str) -> None:
        is_folded = text.isprintable() and "  " not in text  # as most texts are
        words = text.strip() if is_folded else " ".join(text.split())
        if words:
            self._space |= text[0].isspace()
            self._token(_escaped(words))
            self._has_text = True
        self._space = not words or text[-1].isspace()

    def _token(self, html: str) -> None:
        """Write inline HTML within the open inline elements, the space before it outside of those it opens."""
        if self._space and self._run and self._run[-1] != "<br>":
            self._run.append(" ")
        self._space = False
        if self._opened < len(self._inline):
            self._run += [start for _, start in self._inline[self._opened :]]
            self._opened = len(self._inline)
        self._run.append(html)

    def _new_line(self) -> None:
        if self._run and self._run[-1] == "<br>":
            self._end_run()
        elif self._run:
            self._run.append("<br>")
            self._space = False

    def _write_medium(self, kind: int, html: str) -> None:
        if kind == event.FORMULA:
            self._token(html)
            return
        if kind == event.EMBEDDED or self._frames[-1].tag == "figure":
            self._end_run()
        if kind == event.EMBEDDED:
            self._put(_BLOCK, "figure", html if self._nearest("figure") else f"<figure>{html}</figure>")
        else:
            self._token(html)
            if self._frames[-1].tag == "figure":
                self._end_run()

    def _end_run(self) -> None:
        """End the paragraph that is being written, if there is one."""
        run = self._run
        if not run:
            return
        while run[-1] == "<br>":  # it is never the first
            run.pop()
        if self._opened:
            run += [f"</{tag}>" for tag, _ in reversed(self._inline[: self._opened])]
            self._opened = 0
        self._put(_RUN if self._has_text else _PICTURES, "p", "".join(run))
        self._run = []
        self._has_text = self._space = False

    # Frames

    def _nearest(self, tag: str) -> bool:
        """Whether an element is open; only the innermost ones count."""
        return tag in [frame.tag for frame in self._frames[-8:]]

    def _push(self, tag: str, attributes: str = "") -> None:
        self._frames.append(_Frame(tag, f"<{tag}{attributes}>", []))

    def _pop(self) -> None:
        frame = self._frames.pop()
        if frame.tag in event.HEADINGS and all(what == _PICTURES for what, _, _ in frame.items):
            self._frames[-1].items += frame.items  # a heading needs words
            return
        content = self._content(frame)
        if content or frame.tag in _CELLS:
            self._put(_BLOCK, frame.tag, f"{frame.start}{content}</{frame.tag}>")

    def _put(self, what: str, tag: str, html: str) -> None:
        """Add a finished part to the open element, in an element of its own if it may not be there directly."""
        frame = self._frames[-1]
        wrapper, allowed = _CHILDREN.get(frame.tag, ("", ()))
        if wrapper and tag not in allowed:
            inner = _Frame(wrapper, items=[(what, tag, html)])
            if wrapper == "tr":
                inner = _Frame("tr", items=[(_BLOCK, "td", f"<td>{html}</td>")])
            what, tag, html = _BLOCK, wrapper, f"<{wrapper}>{self._content(inner)}</{wrapper}>"
        frame.items.append((what, tag, html))

    def _content(self, frame: _Frame) -> str:
        if frame.tag == "figure":
            return _figures(frame.items)
        if frame.tag in _TIGHT:
            if len(frame.items) == 1 and frame.items[0][0]:
                return frame.items[0][2]
            parts = [html for _, _, html in frame.items]
            if frame.tag in _ONE_LINE:
                return "<br>".join(parts)
            if sum([what != _BLOCK for what, _, _ in frame.items]) == 1:
                return "".join(parts)
        written: list[str] = []
        for what, tag, html in frame.items:
            is_list_in_list = tag in _LISTS and frame.tag in _LISTS  # a part of the item above it
            if is_list_in_list and written and written[-1].endswith("</li>"):
                written[-1:] = [written[-1].removesuffix("</li>"), html, "</li>"]
            elif tag != "hr" or (written and frame.tag == ""):
                written.append(f"<{what}>{html}</{what}>" if what else html)
        while written and written[-1] == "<hr>":
            written.pop()
        return "".join(written)

    # Media

    def _medium(self, kind: int, element: etree._Element) -> str:
        """Return the HTML of a picture, player or formula; "" if it shows nothing."""
        if kind == event.FORMULA:
            return _formula(element)
        if kind == event.PICTURE:
            if is_formula(element):
                return _formula_source(alternative(element))
            url = picture_url(element, self._kept.base)
            return _image(url, alternative(element)) if url else ""
        url = player_url(element, self._kept.base)
        label = " ".join((element.get("title") or "").split())[:LABEL_LENGTH] or url
        return f'<a href="{escape(url)}">{_escaped(label or "")}</a>' if url else ""


def _image(url: str, alt: str) -> str:
    return f'<img src="{escape(url)}" alt="{escape(alt)}">'


def _figures(items: list[tuple[str, str, str]]) -> str:
    """Return the content of a <figure>; of several pictures with captions, each gets a figure of its own."""
    groups: list[tuple[list[str], list[str]]] = [([], [])]
    caption_first = bool(items) and items[0][0] == _RUN
    previous: Any = None
    for what, _, html in items:
        is_caption = what == _RUN
        if previous is not None and is_caption != previous and is_caption == caption_first:
            groups.append(([], []))
        groups[-1][is_caption].append(html)
        previous = is_caption
    written: list[str] = []
    for pictures, captions in groups:
        caption = f"<figcaption>{'<br>'.join(captions)}</figcaption>" if captions else ""
        written.append(caption + "".join(pictures) if caption_first else "".join(pictures) + caption)
    return "</figure><figure>".join(written)


def _escaped(text: str) -> str:
    return escape(text, quote=False) if "&" in text or "<" in text or ">" in text else text


def _link(element: etree._Element, base: str) -> str | None:
    """Return the address of a link without tracking parameters; None for one that leads nowhere."""
    href = (element.get("href") or "").strip()
    if href[:7].lower() == "mailto:":
        return href
    if href.startswith("#"):
        return base.partition("#")[0] + href if len(href) > 1 and base else None
    url = web_url(base, href)
    if url and "?" in url:
        address, _, rest = url.partition("?")
        query, mark, fragment = rest.partition("#")
        query = drop_tracking(query)
        return address + ("?" if query else "") + query + mark + fragment
    return url


def _formula(element: etree._Element) -> str:
    """Return a formula: MathML without its attributes, or the source of one that a script would show."""
    if element.tag == "script":
        return _formula_source(element.text or "")
    if all(node.tag in FORMULAS for node in element.iter()):
        return to_html(element) if len(element) else ""
    return _formula_source(element.findtext(".//annotation") or "")  # one never closed contains the rest of the page


def _formula_source(source: str) -> str:
    return f'<code class="language-math">{_escaped(source.strip())}</code>' if source.strip() else ""
