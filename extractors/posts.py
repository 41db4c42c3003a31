"""The posts of a thread, and the comments of readers below an article: who wrote what, and when.

A thread repeats one form of element, each with an author, a time and a text of its own; replies may stand within the
post that they answer. So posts are found by structure: of the elements that share a tag and a part of their class or
id, those are posts that hold most authors and times one by one, and whose text is mostly no link. The search is
repeated on what remains (answers and their comments have two forms), and the opening post may have a form of its own.
The comments of an article are found by their names, since teasers have authors and times, too; without any, JSON-LD
may declare them. What scripts load later is not on the page.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from itertools import islice, takewhile
from math import fsum

from lxml import etree

from .expressions import expression
from .html.dom import inner_text, parse, short_text, to_html
from .html.elements import BLOCK, BREAK, INLINE, KINDS, PRE, is_hidden
from .html.sanitising import sanitise
from .html.urls import web_url
from .metadata.dates import find_date
from .metadata.declared_metadata import read_head
from .metadata.json_ld import texts
from .page import Page
from .post import Post, paragraphs

MOST = 1_000  # posts of a page
MAX_TEXT = 10_000  # characters of a post
MAX_NAME = 80  # characters of an author's name
DECLARED_WITHIN = 3  # levels up to an element that declares an author or a time
MAX_INNER = 200  # elements within another one that are looked at, for a name, a time or a text
MAX_WITHIN = 20  # elements in which the name is looked for
NAMES_LENGTH = 300  # characters of a class attribute that are read
MONTHS = 12
MAX_HTML = 1_000_000  # characters of a page in which dates show their order
MAX_ABOVE = 200  # characters of a post before its author's name
MAX_TIME = 200  # characters of an element that shows a time
SHORT = 60  # characters of a text that is a time or a number
UP = 60  # levels from a time or a name up to its post
LEAST = 2  # posts of one form
LEAST_OF_ONE_KIND = 3  # posts of one form, if each has only an author or only a time
FORMS = 60  # forms of elements that are examined; those with most elements
TRIED = 8  # forms of elements that are read as posts; those with most authors and times
ROUNDS = 4  # forms of posts on a page
REPEATED = 0.5  # share of the posts in which a line is that belongs to the form
LINKED = 0.5  # share of the text in links up to which elements may be posts

_COMMENT = expression(
    r"(?:^|\s)(?:(?:single|post|user|blog)[-_]?)?comments?(?:[-_]{0,2}(?:item|box|single|wrap|row|entry))?(?:\s|$)",
    re.IGNORECASE,
)
_COMMENT_ID = expression(r"(?:li-|div-)?comment[-_]?\d+\Z", re.IGNORECASE)
_COMMENT_TYPE = expression(r"schema\.org/(?:Comment|UserComments)\Z")
_START, _END = r"(?:^|[\s_-])", r"(?:\s|$)"
_AUTHOR = expression(
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
    rf"{_START}(?:post|top|main|comm|comment)?[-_]?(?:content|text|body|message|msg|con|copy|md|prose|t_f){_END}",
    re.IGNORECASE,
)
_ACTIONS = expression(
    r"(?:reply(?: to \S+)?|quote|回复|引用|点讚|點讚|点赞|赞|踩|举报|分享|收藏|like|share|report|permalink|link|edit"
    r"|delete|flag|follow|click to expand|(?:show|read) more|hide|save|parent|next|prev|says|[\W\d])*"
    r"|本帖最后由.{1,120}编辑|last edited by .{1,120} times? in total\.?",
    re.IGNORECASE,
)
_SAYS = expression(r"\s*(?:\b(?:says|said|wrote)|说道?|發表|发表于?)?\s*[:：]?\s*\Z", re.IGNORECASE)
_NO_NAME = expression(  # the letter of a picture's place, a label
    r"[A-Z]|author|op|original poster|(?:thread|topic) starter|advertisement|作者|楼主|樓主|广告", re.IGNORECASE
)
_AROUND_NAME = expression(r"\A[\s·•|,-]+|(?:[\s·•|,-]|\(\d+\))+\Z")  # and the number of the user's posts
_NUMBER = expression(r"(?:#\s?(\d{1,6})|(\d{1,6})\s?(?:#|楼|樓|F))\Z")
_QUOTING = frozenset({"blockquote", "aside", "q"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LANGUAGE = expression(r"<html[^>]{0,500}\blang\s*=\s*['\"]?([\w-]{2,20})", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w")
_ORDERED = re.compile(r"\d[/.-]\d")
_NUMBERS = re.compile(r"(?<![\d/-])(\d\d?)[/-](\d\d?)[/-](?:19|20)\d\d(?!\d)")  # a day and a month in either order
_Posts = dict[etree._Element, Post]
_Form = tuple[str, str]  # a tag, and a name of a class or an id


@dataclass(frozen=True, slots=True)
class _Marks:
    """The elements of a page that name an author, and those that show a time."""

    authors: list[etree._Element]
    times: list[etree._Element]

    @property
    def kinds(self) -> list[list[etree._Element]]:
        """The kinds of elements of which each post has one."""
        return [kind for kind in (self.times, self.authors) if kind]

    def to_use(self, *, is_thread: bool) -> Iterator["_Marks"]:
        """Yield both kinds, if there are both; then, for a thread, each kind alone, that with most elements first."""
        if self.times and self.authors:
            yield self
        if is_thread:
            yield from sorted((_Marks(self.authors, []), _Marks([], self.times)), key=_Marks.count, reverse=True)

    def count(self) -> int:
        """Return the number of elements."""
        return len(self.authors) + len(self.times)

    def beside(self, posts: _Posts) -> "_Marks":
        """Return the marks without the first of each kind in each post, which are its own."""

        def others(elements: list[etree._Element]) -> Iterator[etree._Element]:
            own: dict[etree._Element, etree._Element] = {}
            for element in elements:
                post = next((above for above in _ancestors(element) if above in posts), None)
                if post is None or own.setdefault(post, element) not in _ancestors(element):
                    yield element

        return _Marks([*others(self.authors)], [*others(self.times)])


def read_thread(pages: Iterable[Page], *, is_thread: bool) -> list[list[Post]]:
    """Return the posts of each page of a thread in its order, at most `MOST`; later pages may have one of a known form.

    Posts have an author and a time. If no form has both, one is enough for pages that are a thread by their kind
    (`is_thread`): names may be plain text beside a time, and times may be written by scripts. On other pages, elements
    with one of them are something else. Raises `UnusablePage` if there is no tree to read.
    """
    forms = set[_Form]()
    return [_read(page, forms, is_thread=is_thread) for page in pages]


def _read(page: Page, forms: set[_Form], *, is_thread: bool) -> list[Post]:
    """Return the posts of a page; `forms`: those of posts on the pages before, to which its own are added."""
    tree = _Tree(page)
    marks = tree.marks
    found = _of_forms(forms, marks, tree) if forms else {}
    used = marks
    for used in marks.to_use(is_thread=is_thread):
        left = used
        for _ in range(ROUNDS):
            form = _best_form(left, found, tree) if len(left.kinds) == len(used.kinds) else {}
            if not form:
                break
            forms |= set.intersection(*(set(_keys(element)) for element in form))
            found |= form
            left = left.beside(form)
        if found:
            break
    if found and (opening := _opening(marks, found, tree)):
        found |= opening
    order = [element for element in tree.root.iter(etree.Element) if element in found][:MOST]
    around = {above for element in order for above in islice(element.iterancestors(), UP)}
    again = [element for element in order if element in around]  # now that the replies within them are known
    tree.find_texts(again, found)
    for element in again:
        found[element] = _PostReader(element, tree, found, by_time=not used.authors).post() or found[element]
    return _numbered(_without_repeated(_anchored({element: found[element] for element in order})))


def read_comments(page: Page) -> list[Post]:
    """Return the comments below an article in its order, at most `MOST`. Raises `UnusablePage` as `read_posts` does."""
    tree = _Tree(page)
    comments = dict.fromkeys(filter(_is_comment, tree.root.iter(etree.Element)))
    tree.find_texts(comments, comments)
    read = (_PostReader(element, tree, comments).post() for element in comments)
    found = [*islice(filter(None, read), MOST)]
    return _numbered(found or _declared(tree.root, page))


def _anchored(posts: _Posts) -> list[Post]:
    """Return posts; one whose element has no id gets that of an element around it alone, or with replies after it."""
    first: dict[etree._Element, etree._Element] = {}
    counts = Counter[tuple[etree._Element, _Form]]()
    forms = {element: (element.tag, _DIGITS.sub("0", element.get("class") or "")) for element in posts}
    for element in posts:
        for above in _ancestors(element):
            first.setdefault(above, element)
            counts[above, forms[element]] += 1
    names = defaultdict[etree._Element, list[str]](list)
    for above, element in first.items():
        if counts[above, forms[element]] == 1 and _DIGITS.search(name := above.get("id") or ""):
            names[element].append(name)  # the innermost first
    return [replace(post, anchor=post.anchor or next(iter(names[element]), "")) for element, post in posts.items()]


class _Tree:
    """A page's elements and what each of them is; this is found once, since elements are read for several forms.

    `times` show one, `authors` name one; `texts`: of each post that has been read, the element that is named so.
    """

    def __init__(self, page: Page) -> None:
        """Raises `UnusablePage` if there is no tree to read."""
        self.page, self.root = page, parse(page.encoded())
        self.times: dict[etree._Element, None] = {}
        self.authors: dict[etree._Element, None] = {}
        self.texts: dict[etree._Element, etree._Element] = {}
        self._named: dict[etree._Element, _Form | None] = {}
        self._shown: dict[etree._Element, str] = {}
        for element in self.root.iter(etree.Element):
            if KINDS.get(element.tag, INLINE) > PRE or is_hidden(element, element.keys()):
                continue
            if _is_time(element, page):
                self.times[element] = None
            elif _is_author(element, page):
                self.authors[element] = None

    @property
    def marks(self) -> _Marks:
        """The authors and times."""
        return _Marks([*self.authors], [*self.times])

    def find_texts(self, posts: Collection[etree._Element], ends: Container[etree._Element]) -> None:
        """Find the element of each post that is named as its text, if there is one: most posts have one.

        Of several ones it is the innermost, then that with most text in all posts: the menu about the author has a
        body, too, and so has the preview of a page to which one post links. `ends`: elements that are posts.
        """
        named = {post: self._named_in(post, ends) for post in posts}
        holders = Counter(name for found in named.values() for name in {name for name, _ in found})
        usual = {name for name, count in holders.items() if 2 * count >= len(posts)}
        size = {node: len(inner_text(node)) for found in named.values() for _, node in found}
        texts: dict[etree._Element, list[tuple[_Form, etree._Element]]] = {}
        total = Counter[_Form]()
        for post, found in named.items():
            chosen = [each for each in found if each[0] in usual] or found
            around = {above for _, node in chosen for above in islice(node.iterancestors(), UP)}
            texts[post] = [(name, node) for name, node in chosen if node not in around]
            total.update({name: size[node] for name, node in texts[post]})
        for post, found in texts.items():
            self.texts.pop(post, None)
            if found:
                self.texts[post] = max(found, key=lambda each: (total[each[0]], size[each[1]]))[1]

    def _named_in(self, post: etree._Element, ends: Container[etree._Element]) -> list[tuple[_Form, etree._Element]]:
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
        whole = set.intersection(*(set(_ancestors(mark)) for mark in marks)) if marks else set()
        return [(name, node) for name, node in named if node not in whole]

    def _name_of(self, element: etree._Element) -> _Form | None:
        """Return the tag and the name by which an element is that of a text."""
        if element not in self._named:
            identifier = _DIGITS.sub("", element.get("id") or "").rstrip("_-")
            found = _TEXT.search(f"{_names(element)} {identifier}")
            self._named[element] = (element.tag, found[0].strip().lower()) if found else None
        return self._named[element]

    def number_in(self, element: etree._Element) -> str:
        """Return the text of an element that may be the number of a post, else ""."""
        if element not in self._shown:
            self._shown[element] = short_text(element, SHORT).strip() if len(element) <= LEAST else ""
        return self._shown[element]


def _names(element: etree._Element) -> str:
    named = (element.get(attribute) or "" for attribute in ("class", "itemprop", "rel"))
    return " ".join(named)[:NAMES_LENGTH]


def _is_time(element: etree._Element, page: Page) -> bool:
    if element.tag == "time":
        return True
    shown = ((element.get("title") or "").strip(), _own_text(element).strip())
    written = [text for text in shown if len(text) <= SHORT and any(map(str.isdigit, text))]
    if not written:
        is_time = bool(_TIME.search(_names(element))) and len(short_text(element, SHORT)) < SHORT
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


def _time_of(element: etree._Element, page: Page) -> date | None:
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
    if not _may_be_author(element) or not _name(element):
        return False
    within = islice(element.iterdescendants(etree.Element), MAX_WITHIN)
    return not any(_may_be_author(each) or _is_time(each, page) for each in within)


def _may_be_author(element: etree._Element) -> bool:
    if _AUTHOR.search(_names(element)):
        return element.get("itemprop") != "name" or bool(element.get("class")) or _is_declared(element, "author")
    if element.tag != "a" or not _USER_PAGE.search(element.get("href") or ""):
        return False
    return bool(short_text(element, MAX_NAME).strip())


def _best_form(marks: _Marks, chosen: _Posts, tree: _Tree) -> _Posts:
    """Return the posts of the form with most text, of those with most authors and times outside `chosen` posts."""
    least = LEAST if len(marks.kinds) == 2 else LEAST_OF_ONE_KIND
    forms: dict[tuple[str, str | etree._Element | None], list[etree._Element]] = defaultdict(list)
    for element in _holding_all(marks, chosen):
        for key in (*_keys(element), *(() if chosen else ((element.tag, element.getparent()),))):
            forms[key].append(element)
    largest = sorted((members for members in forms.values() if len(members) >= least), key=len, reverse=True)[:FORMS]
    owning = dict.fromkeys(_with_own(members, marks, chosen) for members in largest)
    ranked = sorted(
        (members for members in owning if len(members) >= least), key=lambda each: (-len(each), _depth(each))
    )
    best: _Posts = {}
    tried: dict[frozenset[etree._Element], _Posts] = {}
    for members in ranked:
        if len(tried) == TRIED:
            break
        if members <= best.keys() or any(_are_within(members, others) for others in tried):
            continue
        posts = tried[members] = _posts(members, chosen, tree, marks)
        if len(posts) >= least and _rank(posts) > _rank(best):
            best = posts
    for posts in tried.values():
        best = _without_holders(best, posts, marks, chosen)
    return best


def _rank(posts: _Posts) -> float:
    """Return how much text posts have: not parts of posts with little, nor few elements around many posts."""
    return fsum(len(post.text) ** 0.5 for post in posts.values())


def _without_holders(best: _Posts, others: _Posts, marks: _Marks, chosen: _Posts) -> _Posts:
    """Return posts without those that only hold posts of another form, such as all comments on an answer."""
    if not others or not set.intersection(*(set(_keys(element)) for element in others)):
        return best  # siblings, such as the columns of a post
    own = _with_own([*best, *others], marks, chosen)
    holders = {element: post for element, post in best.items() if element not in own}
    held = {each: post for each, post in others.items() if not holders.keys().isdisjoint(_ancestors(each))}
    return {each: best[each] for each in best if each in own} if _rank(held) > _rank(holders) else best


def _of_forms(forms: set[_Form], marks: _Marks, tree: _Tree) -> _Posts:
    """Return the posts of known forms; there may be one."""
    members = [each for each in _holding_all(marks, {}) if not forms.isdisjoint(_keys(each))]
    return _posts(_with_own(members, marks, {}), {}, tree, marks, is_known=True)


def _depth(members: Iterable[etree._Element]) -> int:
    return min(sum(1 for _ in element.iterancestors()) for element in members)


def _are_within(members: frozenset[etree._Element], others: frozenset[etree._Element]) -> bool:
    """Whether each element is a part of one of the others, and none of these has two."""
    around = {next((above for above in _ancestors(element) if above in others), None) for element in members}
    return None not in around and len(around) == len(members)


def _keys(element: etree._Element) -> Iterator[_Form]:
    """Yield the forms of an element: its tag with each name of its class, and with its numbered id."""
    for name in (element.get("class") or "")[:NAMES_LENGTH].split():
        yield element.tag, _DIGITS.sub("0", name)
    identifier = element.get("id") or ""
    if _DIGITS.search(identifier):
        yield element.tag, f"#{_DIGITS.sub('0', identifier)}"


def _ancestors(element: etree._Element) -> Iterator[etree._Element]:
    yield element
    yield from islice(element.iterancestors(), UP)


def _holders(elements: list[etree._Element], chosen: _Posts) -> Counter[etree._Element]:
    """Return how many of some elements each other element holds; those within a chosen post belong to that alone."""
    counts = Counter[etree._Element]()
    for element in elements:
        for above in _ancestors(element):
            if above in chosen:
                break
            counts[above] += 1
    return counts


def _holding_all(marks: _Marks, chosen: _Posts) -> list[etree._Element]:
    """Return the elements that hold one of each kind of marks."""
    counts = [_holders(elements, chosen) for elements in marks.kinds]
    return [element for element in counts[0] if all(element in other for other in counts)] if counts else []


def _with_own(members: list[etree._Element], marks: _Marks, chosen: _Posts) -> frozenset[etree._Element]:
    """Return the elements of a form that have one of each kind of marks which none of the form within them has."""
    among = set(members)
    owners = (
        {owner for element in elements if (owner := _owner(element, among, chosen)) is not None}
        for elements in marks.kinds
    )
    return frozenset(among.intersection(*owners))


def _owner(element: etree._Element, among: set[etree._Element], chosen: _Posts) -> etree._Element | None:
    for above in _ancestors(element):
        if above in among:
            return above
        if above in chosen:
            return None
    return None


def _posts(
    members: frozenset[etree._Element], chosen: _Posts, tree: _Tree, marks: _Marks, *, is_known: bool = False
) -> _Posts:
    """Return the elements of a form that are posts; none if they are teasers: mostly links, or with linked headings.

    If the marks are of one kind, and the form is not known as that of posts (`is_known`), most elements must be posts
    with a text of their own, by several authors.
    """
    ends = members | chosen.keys()
    by_time = not marks.authors
    tree.find_texts(members, ends)
    readers = {element: _PostReader(element, tree, ends, by_time=by_time) for element in members}
    read = {element: post for element, reader in readers.items() if (post := reader.post())}
    parts = _parts(read, chosen, tree)
    posts = {element: post for element, post in read.items() if element not in parts}
    linked, all_ = (sum(getattr(readers[element], what) for element in posts) for what in ("linked", "size"))
    teasers = sum(readers[element].has_linked_heading for element in posts)
    if linked > LINKED * all_ or 2 * teasers > len(posts):
        return {}
    authors, own_texts = ({getattr(post, what) for post in posts.values()} for what in ("author", "text"))
    has_texts = 2 * len(own_texts) >= len(members)
    is_sure = len(marks.kinds) == 2 and (has_texts or not chosen)
    return posts if is_known or is_sure or (len(authors) >= LEAST and has_texts) else {}


def _parts(posts: _Posts, chosen: _Posts, tree: _Tree) -> set[etree._Element]:
    """Return the elements within a post that are parts of it, and no replies.

    They have its author, or are the only one in it and hold what is named as its text.
    """
    around = {post: next((above for above in _ancestors(post) if above in chosen), None) for post in posts}
    counts = Counter(around.values())

    def is_part(element: etree._Element) -> bool:
        post = around[element]
        if post is None:
            return False
        text = tree.texts.get(post)
        alone = counts[post] == 1 and text is not None and element in _ancestors(text)
        return alone or chosen[post].author == posts[element].author

    return set(filter(is_part, posts))


def _opening(marks: _Marks, chosen: _Posts, tree: _Tree) -> _Posts:
    """Return the opening post if it has another form: the largest element before all others with time and author."""
    before = set(takewhile(lambda element: element not in chosen, tree.root.iter(etree.Element)))
    holding = {above for element in chosen for above in _ancestors(element)}
    authored = {above for author in marks.authors for above in _ancestors(author)}
    times = {one.time for one in chosen.values()}
    tops: dict[etree._Element, None] = {}
    for time in marks.times:
        above = [element for element in _ancestors(time) if element not in holding]
        if above and above[-1] in authored and above[-1] in before:
            tops[above[-1]] = None
    for top in islice(tops, FORMS):
        tree.find_texts([top], chosen)
        reader = _PostReader(top, tree, chosen)
        post = reader.post()
        if post and reader.linked <= LINKED * reader.size and post.time not in times:
            return {top: post}
    return {}


def _without_repeated(posts: list[Post]) -> list[Post]:
    """Return posts without the lines that belong to their form: labels and signs that most of them repeat."""
    lines = [post.text.split("\n") for post in posts]
    counts = Counter(form for each in lines for form in {_DIGITS.sub("0", line) for line in each})
    most = max(1, REPEATED * len(posts))
    kept = ("\n".join(line for line in each if counts[_DIGITS.sub("0", line)] <= most) for each in lines)
    return [replace(post, text=text) if text else post for post, text in zip(posts, kept, strict=True)]


def _is_comment(element: etree._Element) -> bool:
    names = (element.get("class") or "")[:NAMES_LENGTH]
    return bool(
        (names and _COMMENT.search(names))
        or ((identifier := element.get("id")) and _COMMENT_ID.match(identifier))
        or ((kind := element.get("itemtype")) and _COMMENT_TYPE.search(kind))
    )


class _PostReader:
    """Reads one post, without those within it, which `ends` has.

    `by_time`: its author is the text directly before its time, or behind it if there is none. `linked` and `size`:
    characters of its text in links, and all; `has_linked_heading`: whether a heading of it leads to another page, as
    that of a teaser does.
    """

    def __init__(
        self,
        element: etree._Element,
        tree: _Tree,
        ends: Container[etree._Element],
        *,
        by_time: bool = False,
    ) -> None:
        self._element, self._tree, self._ends, self._by_time = element, tree, ends, by_time
        self._named = tree.texts.get(element)
        self._author = " ".join((element.get("data-author") or "").split())[:MAX_NAME]
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
        lines = (" ".join(line.split()) for line in "".join(self._parts).split("\n"))
        text = "\n".join(line for line in lines if not _ACTIONS.fullmatch(line))[:MAX_TEXT]
        if not (self._author and text):
            return None
        if self._time is None and self._named is not None:  # it is within what is named as the text
            times = (_time_of(each, self._tree.page) for each in self._times_in(self._named))
            self._time = next(filter(None, times), None)
        return Post(self._author, self._time, text, self._html(text), self._number, self._anchor())

    def _times_in(self, element: etree._Element) -> Iterator[etree._Element]:
        within = islice(element.iterdescendants(etree.Element), MAX_INNER)
        return (each for each in within if each in self._tree.times)

    def _read(self, post: etree._Element) -> None:
        walker = etree.iterwalk(post, events=("start", "end"))
        skipped: etree._Element | None = None
        for event, node in walker:
            kind = KINDS.get(node.tag, INLINE)
            if BLOCK <= kind <= BREAK:
                self._write("\n")
            if event == "start":
                if node is not post and (node in self._ends or self._takes(node, kind)):
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
                self._write_text(node.tail)

    def _takes(self, node: etree._Element, kind: int) -> bool:
        """Note what an element says of the post. Return whether its content is no part of the text."""
        if kind > PRE or is_hidden(node, node.keys()):
            return kind != BREAK
        if self._text is not None and not self._is_read:
            return False
        if node in self._tree.times:
            time = _time_of(node, self._tree.page)
            if time and self._is_better(
                "time", _is_declared(node, "date") + isinstance(time, datetime), node.tag == "time"
            ):
                self._time, self._marks["time"] = time, node
                self._take_name_before()
            return True
        if node in self._tree.authors:
            if self._is_better("author", 2 * _is_declared(node, "author"), bool(_AUTHOR.search(_names(node)))):
                self._author, self._marks["author"] = _name(node), node
            return True
        shown = self._tree.number_in(node)
        if found := _NUMBER.match(shown):
            self._number = self._number or int(found[1] or found[2])
            return True
        if node.get("itemprop") == "position":
            self._number = int(shown) if shown.isdecimal() else self._number
            return True
        if node is self._named:
            self._text = self._marks["text"] = node
            self._parts.clear()
        if node.tag == "a" and not _may_be_author(node) and _heading_above(node, self._element):
            self.has_linked_heading |= "#" not in (node.get("href") or "#")
        return False

    def _is_better(self, what: str, *declared: bool | int) -> bool:
        """Whether an author or a time counts: the first of those that are declared best."""
        better = sum(declared) > self._rank[what]
        self._rank[what] = max(self._rank[what], sum(declared))
        return better

    def _take_name_before(self) -> None:
        """Take the last text before the time as the author."""
        place = next((place for place in reversed(range(len(self._parts))) if _WORD.search(self._parts[place])), None)
        if place is not None and self._take_name(self._parts[place]):
            self._parts[place] = ""

    def _take_name(self, text: str) -> bool:
        """Take a text as the author if there is none yet and it may be a name. Return whether it is taken."""
        if not self._by_time or self._rank["author"] >= 0 or self.size > MAX_ABOVE:
            return False
        name = _SAYS.sub("", _AROUND_NAME.sub("", " ".join(text.split())))
        is_taken = 0 < len(name) <= MAX_NAME
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
            list(takewhile(lambda node: node is not self._element, _ancestors(each))) for each in self._marks.values()
        ]
        holding = (
            [node for node in marks[0] if len(marks) > 1 and all(node in others for others in marks)] if marks else []
        )
        nodes = (
            *holding,
            *islice(self._element.iter("*"), MAX_WITHIN),
        )  # the innermost: the holder of one comment may get more
        names = (node.get("id") or node.get("name") or "" for node in nodes)
        return own or next((name for name in names if _DIGITS.search(name)), "")

    def _html(self, text: str) -> str:
        if self._text is None:
            return paragraphs(text.replace("\n", "\n\n"))
        copy = deepcopy(self._text)
        copy.tail = None
        for node in copy.iter("a", "img"):
            for attribute in ("href", "src"):
                if address := node.get(attribute):
                    node.set(attribute, web_url(self._tree.page.url or "", address) or "")
        return sanitise(to_html(copy))


def _is_declared(element: etree._Element, what: str) -> bool:
    near = islice(_ancestors(element), DECLARED_WITHIN)
    said = [(above.get("itemprop") or "").lower() for above in near]
    return any(what in each and "modified" not in each for each in said)


def _heading_above(element: etree._Element, top: etree._Element) -> bool:
    above = islice(_ancestors(element), MAX_WITHIN)
    return any(node.tag in _HEADINGS for node in takewhile(lambda node: node is not top, above))


def _name(element: etree._Element) -> str:
    """Return the name of an author; "" if the element contains more than that."""
    near = islice(element.iter(etree.Element), MAX_WITHIN)
    inner = next((each for each in near if {"fn", "name"} & set(_names(each).split())), element)
    name = " ".join(short_text(inner, MAX_NAME + 1).split()) or element.get("data-author") or ""
    return "" if len(name) > MAX_NAME or _NO_NAME.fullmatch(name) else _SAYS.sub("", name)


def _declared(root: etree._Element, page: Page) -> list[Post]:
    listed = read_head(root).article.get("comment")
    comments = []
    for item in (listed if isinstance(listed, list) else [listed])[:MOST]:
        if isinstance(item, dict) and (text := texts(item.get("text"))) and (author := texts(item.get("author"))):
            time = find_date(" ".join(texts(item.get("dateCreated") or item.get("datePublished"))), page.fetched_at)
            comments.append(Post(author[0][:MAX_NAME], time, text[0][:MAX_TEXT]))
    return comments


def _numbered(posts: list[Post]) -> list[Post]:
    """Return posts with numbers; one that the page does not number follows the one before."""
    number, result = 0, []
    for post in posts:
        number = post.number or number + 1
        result.append(replace(post, number=number))
    return result
