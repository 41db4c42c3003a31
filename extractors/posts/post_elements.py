"""What the elements of a page are to a post: its author, its time, what is named as its text."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator
from datetime import date, datetime
from functools import lru_cache
from itertools import islice, pairwise

from lxml import etree

from ..expressions import expression
from ..html.dom import inner_text, parse, short_text
from ..html.elements import BREAK, INLINE, KINDS, PRE, is_hidden
from ..metadata.dates import find_date
from ..page import Page

MAX_TEXT = 10_000  # characters of a post
MAX_NAME = 80  # characters of an author's name
DECLARED_WITHIN = 3  # levels up to an element that declares an author or a time
MAX_HEAD = 140  # characters of a row with name and time
MAX_INNER = 200  # elements within another one that are looked at, for a name, a time or a text
MAX_WITHIN = 20  # elements in which the name is looked for
NAMES_LENGTH = 300  # characters of a class attribute that are read
MONTHS = 12
MAX_HTML = 1_000_000  # characters of a page in which dates show their order
MAX_TIME = 200  # characters of an element that shows a time
SHORT = 60  # characters of a text that is a time or a number
UP = 60  # levels from a time or a name up to its post
_SENTENCE = re.compile("[，。！？；]")  # a time has none of these signs
_START, _END = r"(?:^|[\s_-])", r"(?:\s|$)"
AUTHOR_NAMES = expression(
    rf"{_START}(?:author|creator|user|username|nick|fn|poster|commenter|name)(?:[-_]?(?:name|link|url))?{_END}",
    re.IGNORECASE,
)
_USER_PAGE = expression(
    r"(?:^|[/?&;=.])(?:u|users?|members?|profile|space-uid|people|home/main|author)[-/?=.]|(?:^|/)[~@]\w", re.IGNORECASE
)
_TIME = expression(rf"{_START}(?:date|time|posted|published|datePublished|dateCreated|ago|age){_END}", re.IGNORECASE)
_OTHER_TIME = expression(  # of the user, or of a change
    r"\b(?:joined|join date|registered|member since|last (?:seen|active|visit|login)|edited)\b|注册|加入|登录|编辑",
    re.IGNORECASE,
)
_TEXT = expression(
    r"(?<!\S)(?:\S*[_-])?(?:post|top|main|comm|comment)?(?:content|text|body|message|msg|con|copy|md|prose|t_f)(?!\S)",
    re.IGNORECASE,
)
SAYS = expression(r"(?i)\s*(?:\b(?:says|said|wrote|commented|posted|asked)|说道?|發表|发表于?)?\s*[:：]?\s*\Z")
_NO_NAME = expression(  # the letter of a picture's place, a label
    r"[A-Z]|author|op|original poster|(?:thread|topic) starter|advertisement|作者|楼主|樓主|广告", re.IGNORECASE
)
_SPEECH = expression(r"\s*(?:：|:\s*\Z)")  # between the speaker's link and what follows
_QUOTING = frozenset({"blockquote", "aside", "q"})
_LANGUAGE = expression(r"<html[^>]{0,500}\blang\s*=\s*['\"]?([\w-]{2,20})", re.IGNORECASE)
DIGITS = re.compile(r"\d+")
_ORDERED = re.compile(r"\d[/.-]\d")
_NUMBER = expression(r"(?:#\s?(\d{1,6})|(\d{1,6})\s?(?:#|楼|樓|F))\Z")  # that of a post
_NUMBERS = re.compile(r"(?<![\d/-])(\d\d?)[/-](\d\d?)[/-](?:19|20)\d\d(?!\d)")  # a day and a month in either order
Form = tuple[str, str]  # a tag, and a name of a class or an id
Named = tuple[str, str, int]  # a form, and which element of it this is in its post
FEW = 2  # elements within one that may show a number
PLAIN, UNREAD, TIME, AUTHOR, NUMBERED, LINK = range(6)  # what an element is to a post


class MarkedPage:
    """A page's elements and what each of them is; this is found once, since elements are read for several forms.

    Elements in `times` show a time, those in `authors` name an author. `texts`: by post, the element with its text.
    """

    def __init__(self, page: Page) -> None:
        """Raises `UnusablePage` if there is no tree to read."""
        self.page, self.root = page, parse(page.encoded())
        self.times: dict[etree._Element, None] = {}
        self.authors: dict[etree._Element, None] = {}
        self.texts: dict[etree._Element, etree._Element] = {}
        self._named: dict[etree._Element, Form | None] = {}
        self._roles: dict[etree._Element, int] = {}
        for element in self.root.iter(etree.Element):
            kind = KINDS.get(element.tag, INLINE)
            if kind > PRE or is_hidden(element, element.keys()):
                self._roles[element] = PLAIN if kind == BREAK else UNREAD
            elif _is_time(element, page) and (element.tag == "time" or not self._name_of(element)):
                self._roles[element], self.times[element] = TIME, None
            elif _is_author(element, page):
                self._roles[element], self.authors[element] = AUTHOR, None
        _gather_rows(self.times)

    def role_of(self, element: etree._Element) -> int:
        """Return what an element is to a post: `PLAIN`, `UNREAD`, `TIME`, `AUTHOR`, `NUMBERED` or `LINK`."""
        role = self._roles.get(element)
        if role is None:
            is_numbered = _NUMBER.match(shown_in(element)) or element.get("itemprop") == "position"
            is_link = element.tag == "a" and not may_be_author(element)
            role = self._roles[element] = NUMBERED if is_numbered else LINK if is_link else PLAIN
        return role

    def find_texts(self, posts: Collection[etree._Element], ends: Container[etree._Element]) -> None:
        """Find the element of each post that is named as its text, if there is one: most posts have one.

        Of several ones it is the innermost, then that with most text in all posts: the menu about the author has a
        body, too, and so has the preview of a page to which one post links. `ends`: elements that are posts.
        """
        named = {post: self._named_in(post, ends) for post in posts}
        holders = Counter(name for found in named.values() for name in {name for name, _ in found})
        usual = {name for name, count in holders.items() if 2 * count >= len(posts)}
        size = {node: len("".join(inner_text(node).split())) for found in named.values() for _, node in found}
        texts: dict[etree._Element, list[tuple[Named, etree._Element]]] = {}
        total = Counter[Named]()
        for post, found in named.items():
            chosen = [each for each in found if each[0] in usual] or found
            around = {above for _, node in chosen for above in islice(node.iterancestors(), UP)}
            texts[post] = [(name, node) for name, node in chosen if node not in around]
            total.update({name: size[node] for name, node in texts[post]})
        for post, found in texts.items():
            self.texts.pop(post, None)
            if found:
                self.texts[post] = max(found, key=lambda each: (total[each[0]], size[each[1]]))[1]

    def _named_in(self, post: etree._Element, ends: Container[etree._Element]) -> list[tuple[Named, etree._Element]]:
        """Return the elements of a post that are named as a text, outside of quotations and other posts.

        One that holds all authors and times of the post is none: it is the whole post.
        """
        named, marks = [], []
        walker = etree.iterwalk(post, events=("start",))
        for _, node in walker:
            if node is not post and (node in ends or KINDS.get(node.tag, INLINE) > PRE):
                walker.skip_subtree()
            elif node in self.times or node in self.authors:
                marks.append(node)
            elif name := self._name_of(node):
                named.append((name, node))
            elif node.tag in _QUOTING:
                marks += [each for each in node.iter(etree.Element) if each in self.times or each in self.authors]
                walker.skip_subtree()
        whole = set(ancestors(marks[0])).intersection(ancestors(marks[-1])) if marks else set()  # in document order
        inner = [(name, node) for name, node in named if node not in whole]
        before = [name for name, _ in inner]
        return [((*name, before[:place].count(name)), node) for place, (name, node) in enumerate(inner)]

    def _name_of(self, element: etree._Element) -> Form | None:
        """Return the tag and the name by which an element is that of a text."""
        if element not in self._named:
            identifier = DIGITS.sub("", element.get("id") or "").rstrip("_-")
            found = _TEXT.search(f"{names_of(element)} {identifier}")
            self._named[element] = (element.tag, DIGITS.sub("0", found[0].lower())) if found else None
        return self._named[element]


def _gather_rows(times: Iterable[etree._Element]) -> None:
    """Put the rows of each post into one element, where the rows of all posts follow each other, as in old tables.

    The first of them says who wrote it, and when; the others have forms that other posts have, too.
    """
    heads = defaultdict[etree._Element, dict[etree._Element, None]](dict)
    for time in times:
        for row, parent in pairwise(ancestors(time)):
            heads[parent][row] = None
    for parent, firsts in heads.items():
        rows = [*parent]
        starts = [number for number, row in enumerate(rows) if row in firsts]
        runs = [rows[start:end] for start, end in pairwise([*starts, len(rows)])]
        whole = [run for run in runs[:-1] if any((inner_text(row) + (row.tail or "")).strip() for row in run[1:])]
        if len(whole) < max(FEW, len(runs) - 1) or any(len(short_text(run[0], MAX_HEAD)) == MAX_HEAD for run in whole):
            continue
        forms = {(row.tag, row.get("class")) for run in whole for row in run}
        for run in runs:
            end = next((place for place, row in enumerate(run) if (row.tag, row.get("class")) not in forms), len(run))
            run[0].addprevious(post := etree.Element("div", {"class": "rows"}))
            post.extend(run[:end])


def names_of(element: etree._Element) -> str:
    """Return the names that an element has: those of its classes, its microdata and its link."""
    get = element.get
    return f"{get('class', '')} {get('itemprop', '')} {get('rel', '')}"[:NAMES_LENGTH]


def shown_in(element: etree._Element) -> str:
    """Return the text of an element that may be the number of a post, else ""."""
    return short_text(element, SHORT).strip() if len(element) <= FEW else ""


def number_of(element: etree._Element, former: int) -> int:
    """Return the number of a post after an element that is `NUMBERED`; `former`: before it, 0 if there is none."""
    shown = shown_in(element)
    if found := _NUMBER.match(shown):
        return former or int(found[1] or found[2])
    return int(shown) if shown.isdecimal() else former


def _is_time(element: etree._Element, page: Page) -> bool:
    if element.tag == "time":
        return True
    shown = ((element.get("title") or "").strip(), _own_text(element).strip())
    written = [
        text for text in shown if len(text) <= SHORT and any(map(str.isdigit, text)) and not _SENTENCE.search(text)
    ]
    if not written:
        is_time = bool(_TIME.search(names_of(element))) and len(short_text(element, SHORT)) < SHORT
    else:
        is_time = any(_date(text, page) or _NUMBERS.search(text) for text in written)  # whose order may be unknown
    return is_time and _OTHER_TIME.search(f"{_text_before(element)[-SHORT:]} {short_text(element, SHORT)}") is None


def _text_before(element: etree._Element) -> str:
    """Return the text directly before an element, such as "edited "."""
    previous, parent = element.getprevious(), element.getparent()
    text = previous.tail if previous is not None else parent.text if parent is not None else ""
    return text or ""


def _own_text(element: etree._Element) -> str:
    """Return the text of an element without that of those within it; "" if it is too long for a time."""
    parts, size = [element.text or ""], len(element.text or "")
    for child in islice(element, MAX_INNER):
        parts.append(child.tail or "")
        size += len(parts[-1])
        if size > MAX_TIME:
            return ""
    return " ".join(parts)


def time_of(element: etree._Element, page: Page) -> date | None:
    """Return the time that an element shows: that of an attribute, which is whole, or else its text's."""
    for each in islice(element.iter(etree.Element), MAX_WITHIN):
        for attribute in ("datetime", "content", "title"):
            if found := _date(each.get(attribute) or "", page):
                return found
    return _date(short_text(element, MAX_TIME), page)


def _date(text: str, page: Page) -> date | None:
    if not text:
        return None
    language = _language(page)
    if language.lower() in ("", "en") and _ORDERED.search(text):
        language = _order(page) or language
    return _found_date(text, page.fetched_at, language)


@lru_cache(2_000)  # each element is looked at for several forms of posts
def _found_date(text: str, fetched_at: datetime | None, language: str) -> date | None:
    return find_date(text, fetched_at, language=language)


@lru_cache(4)
def _language(page: Page) -> str:
    declared = _LANGUAGE.search(page.html, 0, MAX_TEXT)
    return declared[1] if declared else ""


@lru_cache(4)
def _order(page: Page) -> str:
    """Return the language by which dates such as 11-02-2026 are read where the page declares English or none.

    Dates that have one order alone, such as 11-29-2026, show it; "" if there are none, or of both orders.
    """
    orders = {(int(one) > MONTHS, int(two) > MONTHS) for one, two in _NUMBERS.findall(page.html, 0, MAX_HTML)}
    orders -= {(False, False), (True, True)}
    return "" if len(orders) != 1 else "en-US" if (False, True) in orders else "en-GB"


def _is_author(element: etree._Element, page: Page) -> bool:
    """Whether an element is a name: named as an author's or a link to a user's page, without one of these or a time."""
    if not may_be_author(element) or not name_of(element):
        return False
    within = islice(element.iterdescendants(etree.Element), MAX_WITHIN)
    return not any(may_be_author(each) or _is_time(each, page) for each in within)


def may_be_author(element: etree._Element) -> bool:
    """Whether an element is named as an author's, or leads to a user's page."""
    if AUTHOR_NAMES.search(names_of(element)):
        return element.get("itemprop") != "name" or bool(element.get("class")) or is_declared(element, "author")
    if element.tag != "a" or not (begins_speech(element) or _USER_PAGE.search(element.get("href") or "")):
        return False
    return bool(short_text(element, MAX_NAME).strip())


def begins_speech(element: etree._Element) -> bool:
    """Whether a colon follows an element, and no text is before it."""
    return _SPEECH.match(element.tail or "") is not None and not _text_before(element).strip()


def ancestors(element: etree._Element) -> Iterator[etree._Element]:
    """Yield an element and the elements around it, at most `UP`."""
    yield element
    yield from islice(element.iterancestors(), UP)


def is_declared(element: etree._Element, what: str) -> bool:
    """Whether microdata declare an element as the author or the date of its item."""
    near = islice(ancestors(element), DECLARED_WITHIN)
    said = [(above.get("itemprop") or "").lower() for above in near]
    return any(what in each and "modified" not in each for each in said)


def name_of(element: etree._Element) -> str:
    """Return the name of an author; "" if the element contains more than that."""
    near = [*islice(element.iter(etree.Element), MAX_WITHIN)]
    inner = next((each for each in near if {"fn", "name"} & set(names_of(each).split())), element)
    titles = ((each.get("title") or "", (each.text or "").upper()) for each in near)  # of a letter as a picture
    titled = next((title for title, text in titles if len(text) == 1 and title.upper().startswith(text)), "")
    name = titled or " ".join(short_text(inner, MAX_NAME + 1).split()) or element.get("data-author") or ""
    return "" if len(name) > MAX_NAME or _NO_NAME.fullmatch(name) else SAYS.sub("", name)
