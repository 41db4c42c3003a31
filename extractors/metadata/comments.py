"""The comments of readers on a page: author, time and text.

A comment is an element that microdata, its class or its id name as one, and that names an author; replies within it
are comments of their own. Without any, those that JSON-LD declares. What scripts load later is not on the page.
"""

import re
from datetime import date
from itertools import islice

from lxml import etree

from ..article import Comment
from ..html.dom import inner_text, parse, short_text
from ..html.elements import BLOCK, BREAK, INLINE, KINDS, PRE, is_hidden
from ..page import Page
from .dates import find_date
from .declared_metadata import read_head
from .json_ld import texts

MOST = 1_000  # comments of a page
MAX_TEXT = 10_000  # characters of a comment
MAX_NAME = 80  # characters of an author's name
MAX_WITHIN = 20  # elements in which the name is looked for
NAMES_LENGTH = 300  # characters of a class attribute that are read

_COMMENT = re.compile(
    r"(?:^|\s)(?:(?:single|post|user|blog)[-_]?)?comments?(?:[-_]{0,2}(?:item|box|single|wrap|row|entry))?(?:\s|$)",
    re.IGNORECASE,
)
_COMMENT_ID = re.compile(r"(?:li-|div-)?comment[-_]?\d+\Z", re.IGNORECASE)
_COMMENT_TYPE = re.compile(r"schema\.org/(?:Comment|UserComments)\Z")
_START, _END = r"(?:^|[\s_-])", r"(?:\s|$)"
_AUTHOR = re.compile(
    rf"{_START}(?:author|creator|user|nick|fn|poster|commenter|name)(?:[-_]?(?:name|link|url))?{_END}", re.IGNORECASE
)
_TIME = re.compile(rf"{_START}(?:date|time|posted|published|datePublished|dateCreated|ago){_END}", re.IGNORECASE)
_TEXT = re.compile(rf"{_START}(?:content|text|body|message|msg|con){_END}", re.IGNORECASE)
_ACTIONS = re.compile(
    r"(?:reply(?: to \S+)?|回复|點讚|点赞|赞|踩|举报|分享|like|share|report|permalink|edit|delete|says|[\W\d])*",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\s*(?:\b(?:says|said|wrote)|说道?|發表|发表于?)?\s*[:：]?\s*\Z", re.IGNORECASE)


def read_comments(page: Page) -> list[Comment]:
    """Return the comments of a page in its order, at most `MOST`. Raises `UnusablePage` if there is no tree to read."""
    root = parse(page.encoded())
    found: list[Comment] = []
    for element in root.iter(etree.Element):
        if len(found) < MOST and _is_comment(element) and (comment := _CommentReader(element, page).comment()):
            found.append(comment)
    return found or _declared(root, page)


def _is_comment(element: etree._Element) -> bool:
    names = (element.get("class") or "")[:NAMES_LENGTH]
    return bool(
        (names and _COMMENT.search(names))
        or ((identifier := element.get("id")) and _COMMENT_ID.match(identifier))
        or ((kind := element.get("itemtype")) and _COMMENT_TYPE.search(kind))
    )


class _CommentReader:
    """Reads one comment, without the replies within it."""

    def __init__(self, element: etree._Element, page: Page) -> None:
        self._page = page
        self._author = ""
        self._time: date | None = None
        self._parts: list[str] = []  # of the text
        self._text: etree._Element | None = None  # the innermost element that is named as the text
        self._is_read = False  # whether that has ended
        self._read(element)

    def comment(self) -> Comment | None:
        """Return the comment; None without an author or a text."""
        lines = (" ".join(line.split()) for line in "".join(self._parts).split("\n"))
        text = "\n".join(line for line in lines if not _ACTIONS.fullmatch(line))[:MAX_TEXT]
        return Comment(self._author, self._time, text) if self._author and text else None

    def _read(self, comment: etree._Element) -> None:
        walker = etree.iterwalk(comment, events=("start", "end"))
        skipped: etree._Element | None = None
        for event, node in walker:
            kind = KINDS.get(node.tag, INLINE)
            if BLOCK <= kind <= BREAK:
                self._write("\n")
            if event == "start":
                if node is not comment and (_is_comment(node) or self._takes(node, kind)):
                    skipped = node
                    walker.skip_subtree()
                elif node.text:
                    self._write(node.text)
                continue
            if node is self._text and node is not skipped:
                self._is_read = any(map(str.strip, self._parts))
            if node is not comment and node.tail:
                self._write(node.tail)

    def _takes(self, node: etree._Element, kind: int) -> bool:
        """Note what an element says of the comment. Return whether its content is no part of the text."""
        if kind > PRE or is_hidden(node, node.keys()):
            return kind != BREAK
        names = f"{node.get('class') or ''} {node.get('itemprop') or ''} {node.get('rel') or ''}"[:NAMES_LENGTH]
        if node.tag == "time" or _TIME.search(names):
            written = node.get("datetime") or node.get("content") or inner_text(node)
            self._time = self._time or find_date(written, self._page.fetched_at)
            return True
        if _AUTHOR.search(names) and (name := _name(node)):
            self._author = self._author or name
            return True
        if _TEXT.search(names) and not self._is_read:
            self._text = node
            self._parts.clear()
        return False

    def _write(self, text: str) -> None:
        if not self._is_read:
            self._parts.append(text)


def _name(element: etree._Element) -> str:
    """Return the name of an author; "" if the element contains more than that."""
    near = islice(element.iter(etree.Element), MAX_WITHIN)
    inner = next((each for each in near if "fn" in (each.get("class") or "").split()), element)
    name = " ".join(short_text(inner, MAX_NAME + 1).split())
    return _SAYS.sub("", name) if len(name) <= MAX_NAME else ""


def _declared(root: etree._Element, page: Page) -> list[Comment]:
    listed = read_head(root).article.get("comment")
    comments = []
    for item in (listed if isinstance(listed, list) else [listed])[:MOST]:
        if isinstance(item, dict) and (text := texts(item.get("text"))) and (author := texts(item.get("author"))):
            time = find_date(" ".join(texts(item.get("dateCreated") or item.get("datePublished"))), page.fetched_at)
            comments.append(Comment(author[0][:MAX_NAME], time, text[0][:MAX_TEXT]))
    return comments
