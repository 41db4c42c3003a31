"""Reads one post: author, time, number, text and HTML."""

import re
from collections.abc import Container, Iterator
from copy import deepcopy
from datetime import date, datetime
from itertools import islice, takewhile

from lxml import etree

from ..expressions import expression
from ..html.dom import short_text, to_html
from ..html.elements import BLOCK, BREAK, INLINE, KINDS, PRE
from ..html.sanitising import sanitise
from ..html.urls import web_url
from ..post import Post, paragraphs
from . import post_elements as elements

MAX_ABOVE = 200  # characters of a post before its author's name
_ACTIONS = expression(
    r"(?:reply(?: to \S+)?|quote|回复|引用|点讚|點讚|点赞|赞|踩|举报|分享|收藏|like|share|report|permalink|link|edit"
    r"|delete|flag|follow|click to expand|(?:show|read) more|hide|save|parent|next|prev|says|[\W\d])*"
    r"|本帖最后由.{1,120}编辑|last edited by .{1,120} times? in total\.?",
    re.IGNORECASE,
)
_AROUND_NAME = expression(r"\A[\s·•|,-]+|(?:[\s·•|,-]|\(\d+\))+\Z")  # and the number of the user's posts
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w")


class PostReader:
    """Reads one post, without those within it, which `ends` has.

    `by_time`: its author is the text directly before its time, or behind it if there is none. `linked` and `size`:
    characters of its text in links, and all; `has_linked_heading`: whether a heading of it leads to another page, as
    that of a teaser does.
    """

    def __init__(
        self,
        element: etree._Element,
        marked: elements.MarkedPage,
        ends: Container[etree._Element],
        *,
        by_time: bool = False,
    ) -> None:
        self._element, self._marked, self._ends, self._by_time = element, marked, ends, by_time
        self._named = marked.texts.get(element)
        self._author = " ".join((element.get("data-author") or "").split())[: elements.MAX_NAME]
        self._time: date | None = None
        self._number = 0
        self._rank = {"author": 3 if self._author else -1, "time": -1}  # how well the known ones are declared
        self._marks: dict[str, etree._Element] = {}  # that show the author, the time and the text
        self._parts: list[str] = []  # of the text
        self._text: etree._Element | None = None  # the innermost element that is named as the text
        self._is_read = False  # whether that has ended
        self._links = self._verbatim = 0  # open links, and elements whose line breaks are the text's
        self.linked = self.size = 0
        self.has_linked_heading = False
        self._read(element)

    def post(self) -> Post | None:
        """Return the post; None without an author or a text."""
        lines = [line for part in "".join(self._parts).split("\n") if (line := " ".join(part.split()))]
        said = [line for line in lines if not _ACTIONS.fullmatch(line)]
        if not said and self._text is not None:
            said = [line for line in lines if not any(map(str.isalpha, line))]  # "+1" may be all that it says
        text = "\n".join(said)[: elements.MAX_TEXT]
        if not (self._author and text):
            return None
        if self._time is None and self._named is not None:  # it is within what is named as the text
            times = (elements.time_of(each, self._marked.page) for each in self._times_in(self._named))
            self._time = next(filter(None, times), None)
        return Post(self._author, self._time, text, self._html(text), self._number, self._anchor())

    def _times_in(self, element: etree._Element) -> Iterator[etree._Element]:
        within = islice(element.iterdescendants(etree.Element), elements.MAX_INNER)
        return (each for each in within if each in self._marked.times)

    def _read(self, post: etree._Element) -> None:
        walker = etree.iterwalk(post, events=("start", "end"))
        skipped: etree._Element | None = None
        for event, node in walker:
            kind = KINDS.get(node.tag, INLINE)
            if BLOCK <= kind <= BREAK and not self._is_read:
                self._parts.append("\n")
            if event == "start":
                if node is not post and (node in self._ends or self._takes(node)):
                    skipped = node
                    walker.skip_subtree()
                    continue
                self._links += node.tag == "a"
                self._verbatim += kind == PRE
                if node.text:
                    self._write_text(node.text)
                continue
            self._links -= node.tag == "a" and node is not skipped
            self._verbatim -= kind == PRE and node is not skipped
            if node is self._text and node is not skipped:
                self._is_read = any(map(str.strip, self._parts))
            if node is not post and node.tail:
                is_name = node is self._marks.get("author")
                self._write_text(node.tail.lstrip(" \n:：") if is_name else node.tail)

    def _takes(self, node: etree._Element) -> bool:
        """Note what an element says of the post. Return whether its content is no part of the text."""
        role = self._marked.role_of(node)
        if role == elements.UNREAD:
            return True
        is_said = role == elements.AUTHOR and not self._author and elements.begins_speech(node)
        if self._text is not None and not self._is_read and not is_said:
            return False
        if role == elements.TIME:
            time = elements.time_of(node, self._marked.page)
            if time and self._is_better(
                "time", elements.is_declared(node, "date") + isinstance(time, datetime), node.tag == "time"
            ):
                self._time, self._marks["time"] = time, node
                for inner in islice(node.iterdescendants(etree.Element), elements.MAX_WITHIN):
                    if inner in self._marked.authors:
                        self._takes(inner)
                    self._take_name(short_text(inner, elements.MAX_NAME + 1))
                self._take_name_before()
            return True
        if role == elements.AUTHOR:
            if self._is_better(
                "author",
                2 * elements.is_declared(node, "author"),
                bool(elements.AUTHOR_NAMES.search(elements.names_of(node))),
            ):
                self._author, self._marks["author"] = elements.name_of(node), node
            return True
        if role == elements.NUMBERED:
            self._number = elements.number_of(node, self._number)
            return True
        if node is self._named:
            self._text = self._marks["text"] = node
            self._parts.clear()
        if role == elements.LINK and _heading_above(node, self._element):
            self.has_linked_heading |= "#" not in (node.get("href") or "#")
        return False

    def _is_better(self, what: str, *declared: bool | int) -> bool:
        """Whether an author or a time counts: the first of those that are declared best."""
        better = sum(declared) > self._rank[what]
        self._rank[what] = max(self._rank[what], sum(declared))
        return better

    def _take_name_before(self) -> None:
        """Take the last text before the time as the author."""
        places = reversed(range(len(self._parts)))
        place = next((place for place in places if _WORD.search(elements.SAYS.sub("", self._parts[place]))), None)
        if place is not None and self._take_name(self._parts[place]):
            self._parts[place] = ""

    def _take_name(self, text: str) -> bool:
        """Take a text as the author if there is none yet and it may be a name. Return whether it is taken."""
        if not self._by_time or self._rank["author"] >= 0 or self.size > MAX_ABOVE:
            return False
        name = elements.SAYS.sub("", _AROUND_NAME.sub("", " ".join(text.split())))
        is_taken = 0 < len(name) <= elements.MAX_NAME
        if is_taken:
            self._author, self._rank["author"] = name, 0
        return is_taken

    def _write_text(self, text: str) -> None:
        self._write(text if self._verbatim else _SPACE.sub(" ", text))

    def _write(self, text: str) -> None:
        if self._rank["time"] >= 0 and text.strip() and self._take_name(text):
            return
        if not self._is_read:
            self._parts.append(text)
        count = len(text.strip())
        self.size += count
        self.linked += count if self._links else 0

    def _anchor(self) -> str:
        own = self._element.get("id") or self._element.get("name") or ""
        marks = [
            list(takewhile(lambda node: node is not self._element, elements.ancestors(each)))
            for each in self._marks.values()
        ]
        holding = [node for node in marks[0] if all(node in others for others in marks)] if len(marks) > 1 else []
        # The innermost: the holder of one comment may get more
        nodes = (*holding, *islice(self._element.iter("*"), elements.MAX_WITHIN))
        names = (node.get("id") or node.get("name") or "" for node in nodes)
        return own or next((name for name in names if elements.DIGITS.search(name)), "")

    def _html(self, text: str) -> str:
        if self._text is None:
            return paragraphs(text.replace("\n", "\n\n"))
        copy = deepcopy(self._text)
        copy.tail = None
        for node in copy.iter("a", "img"):
            for attribute in ("href", "src"):
                if address := node.get(attribute):
                    node.set(attribute, web_url(self._marked.page.url or "", address) or "")
        return sanitise(to_html(copy))


def _heading_above(element: etree._Element, top: etree._Element) -> bool:
    above = islice(elements.ancestors(element), elements.MAX_WITHIN)
    return any(node.tag in _HEADINGS for node in takewhile(lambda node: node is not top, above))
