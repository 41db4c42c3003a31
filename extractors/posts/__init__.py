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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from math import fsum

from lxml import etree

from ..expressions import expression
from ..metadata.dates import find_date
from ..metadata.declared_metadata import read_head
from ..metadata.json_ld import texts
from ..page import Page
from ..post import Post
from .post_elements import DIGITS, MAX_NAME, MAX_TEXT, NAMES_LENGTH, UP, Form, MarkedPage, ancestors
from .reader import PostReader

MOST = 1_000  # posts of a page
LEAST = 2  # posts of one form
LEAST_OF_ONE_KIND = 3  # posts of one form, if each has only an author or only a time
FORMS = 60  # forms of elements that are examined; those with most elements
TRIED = 8  # forms of elements that are read as posts; those with most authors and times
ROUNDS = 4  # forms of posts on a page
REPEATED = 0.5  # share of the posts in which a line is that belongs to the form
ANCHORED = 0.001  # decides between equal ranks
LINKED = 0.5  # share of the text in links up to which elements may be posts
BETTER = 2  # times as much text, with which posts by one kind of marks are more likely than those by both
SHOWN = 4  # times on a page for each post, up to which posts are not looked for by one kind of marks
_COMMENT = expression(
    r"(?:^|\s)(?:(?:single|post|user|blog)[-_]?)?comments?(?:[-_]{0,2}(?:item|box|single|wrap|row|entry))?(?:\s|$)",
    re.IGNORECASE,
)
_COMMENT_ID = expression(r"(?:li-|div-)?comment[-_]?\d+\Z", re.IGNORECASE)
_COMMENT_TYPE = expression(r"schema\.org/(?:Comment|UserComments)\Z")
_ARTICLE = ("article:published_time",)  # an element <meta> of articles
_Posts = dict[etree._Element, Post]
_Known = tuple[frozenset[Form], frozenset[Form]]  # forms of posts on the pages before, and of an opening post


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
            authors, times = _Marks(self.authors, []), _Marks([], self.times)
            yield from (times, authors) if len(self.times) > len(self.authors) else (authors, times)

    def beside(self, posts: _Posts) -> "_Marks":
        """Return the marks without the first of each kind in each post, which are its own."""

        def others(elements: list[etree._Element]) -> Iterator[etree._Element]:
            own: dict[etree._Element, etree._Element] = {}
            for element in elements:
                post = next((above for above in ancestors(element) if above in posts), None)
                if post is None or own.setdefault(post, element) not in ancestors(element):
                    yield element

        return _Marks([*others(self.authors)], [*others(self.times)])


def read_thread(pages: Iterable[Page], *, is_thread: bool, first: int = 0) -> list[list[Post]]:
    """Return the posts of each page of a thread in its order, at most `MOST`; later pages may have one of a known form.

    Posts have an author and a time. If no form has both, one is enough for pages that are a thread by their kind
    (`is_thread`): names may be plain text beside a time, and times may be written by scripts. On other pages, elements
    with one of them are something else. `first`: the place of the thread's first page, -1 if it is not among
    them. Only that page has an opening post of another form: later ones may repeat who began the thread, and when.
    Raises `UnusablePage` if there is no tree to read.
    """
    read: list[list[Post]] = []
    known: _Known = (frozenset(), frozenset())
    for page in pages:
        posts, known = _read(page, known, is_thread, len(read) == first)
        read.append([*posts])
    return read


@lru_cache(1)  # the text of a thread is found by its posts, and then they are asked for
def _read(page: Page, known: _Known, is_thread: bool, is_first: bool) -> tuple[list[Post], _Known]:
    """Return the posts of a page and all forms of posts that are known then; `known`: those of the pages before."""
    marked = MarkedPage(page)
    marks = _Marks([*marked.authors], [*marked.times])
    found, forms, used = _of_forms(known[0], marks, marked), known[0], marks
    for kinds in marks.to_use(is_thread=is_thread):
        posts, others = _search(kinds, found, marked)
        if not found or _rank(posts) > BETTER * _rank(found):
            found, forms, used = posts, known[0] | others, kinds
        if SHOWN * len(found) > len(marks.times):
            break
    is_below = read_head(marked.root).first(_ARTICLE) and 2 * sum(map(_is_comment, found)) > len(found)
    opening = _opening(marks, found, marked) if found and not is_below else {}  # an article is no post
    if is_first:
        found = found | opening or _of_forms(known[1], marks, marked)
    order = [element for element in marked.root.iter(etree.Element) if element in found][:MOST]
    around = {above for element in order for above in islice(element.iterancestors(), UP)}
    again = [element for element in order if element in around]  # now that the replies within them are known
    marked.find_texts(again, found)
    for element in again:
        found[element] = PostReader(element, marked, found, by_time=not used.authors).post() or found[element]
    numbered = _numbered(_without_repeated(_anchored({element: found[element] for element in order})))
    return numbered, (forms, known[1] | _forms_of(opening))


def _search(marks: _Marks, known: _Posts, marked: MarkedPage) -> tuple[_Posts, frozenset[Form]]:
    """Return posts with those of the forms that most of some marks show, and these forms."""
    found, forms, left = known, frozenset[Form](), marks
    for _ in range(ROUNDS):
        form = _best_form(left, found, marked) if len(left.kinds) == len(marks.kinds) else {}
        if not form:
            break
        found, forms, left = found | form, forms | _forms_of(form), left.beside(form)
    return found, forms


def read_comments(page: Page) -> list[Post]:
    """Return the comments below an article in its order, at most `MOST`. Raises `UnusablePage` as `read_posts` does."""
    marked = MarkedPage(page)
    comments = dict.fromkeys(filter(_is_comment, marked.root.iter(etree.Element)))
    marked.find_texts(comments, comments)
    read = (PostReader(element, marked, comments).post() for element in comments)
    found = [*islice(filter(None, read), MOST)]
    return _numbered(found or _declared(marked.root, page))


def _anchored(posts: _Posts) -> list[Post]:
    """Return posts; one whose element has no id gets that of an element around it alone, or with replies after it."""
    first: dict[etree._Element, etree._Element] = {}
    counts = Counter[tuple[etree._Element, Form]]()
    forms = {element: (element.tag, DIGITS.sub("0", element.get("class") or "")) for element in posts}
    for element in posts:
        for above in ancestors(element):
            first.setdefault(above, element)
            counts[above, forms[element]] += 1
    names = defaultdict[etree._Element, list[str]](list)
    for above, element in first.items():
        if counts[above, forms[element]] == 1 and DIGITS.search(name := above.get("id") or ""):
            names[element].append(name)  # the innermost first
    return [replace(post, anchor=post.anchor or next(iter(names[element]), "")) for element, post in posts.items()]


def _best_form(marks: _Marks, chosen: _Posts, marked: MarkedPage) -> _Posts:
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
        posts = tried[members] = _posts(members, chosen, marked, marks)
        if _rank(posts) > _rank(best):
            best = posts
    for posts in tried.values():
        best = _without_holders(best, posts, marks, chosen)
    return best


def _rank(posts: _Posts) -> float:
    """Return how much text posts have: not parts of posts with little, nor few elements around many posts."""
    return fsum(len(post.text) ** 0.5 + ANCHORED * bool(post.anchor) for post in posts.values())


def _without_holders(best: _Posts, others: _Posts, marks: _Marks, chosen: _Posts) -> _Posts:
    """Return posts without those that only hold posts of another form, such as all comments on an answer."""
    if not _forms_of(others):
        return best  # siblings, such as the columns of a post
    own = _with_own([*best, *others], marks, chosen)
    holders = {element: post for element, post in best.items() if element not in own}
    held = {each: post for each, post in others.items() if not holders.keys().isdisjoint(ancestors(each))}
    return {each: best[each] for each in best if each in own} if _rank(held) > _rank(holders) else best


def _forms_of(posts: _Posts) -> frozenset[Form]:
    """Return the forms that all posts have."""
    return frozenset[Form].intersection(*(frozenset(_keys(element)) for element in posts)) if posts else frozenset()


def _of_forms(forms: frozenset[Form], marks: _Marks, marked: MarkedPage) -> _Posts:
    """Return the posts of known forms; there may be one."""
    members = [each for each in _holding_all(marks, {}) if not forms.isdisjoint(_keys(each))]
    return _posts(_with_own(members, marks, {}), {}, marked, marks, is_known=True)


def _depth(members: Iterable[etree._Element]) -> int:
    return min(sum(1 for _ in element.iterancestors()) for element in members)


def _are_within(members: frozenset[etree._Element], others: frozenset[etree._Element]) -> bool:
    """Whether each element is a part of one of the others, and none of these has two."""
    around = {next((above for above in ancestors(element) if above in others), None) for element in members}
    return None not in around and len(around) == len(members)


def _keys(element: etree._Element) -> Iterator[Form]:
    """Yield the forms of an element: its tag with each name of its class, and with its numbered id."""
    for name in (element.get("class") or "")[:NAMES_LENGTH].split():
        yield element.tag, DIGITS.sub("0", name)
    identifier = element.get("id") or ""
    if DIGITS.search(identifier):
        yield element.tag, f"#{DIGITS.sub('0', identifier)}"


def _holders(elements: list[etree._Element], chosen: _Posts) -> Counter[etree._Element]:
    """Return how many of some elements each other element holds; those within a chosen post belong to that alone."""
    counts = Counter[etree._Element]()
    for element in elements:
        for above in ancestors(element):
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
    for above in ancestors(element):
        if above in among:
            return above
        if above in chosen:
            return None
    return None


def _posts(
    members: frozenset[etree._Element], chosen: _Posts, marked: MarkedPage, marks: _Marks, *, is_known: bool = False
) -> _Posts:
    """Return the elements of a form that are posts; none if they are teasers: mostly links, or with linked headings.

    A form that is known as that of posts (`is_known`) has no teasers. If the marks are of one kind, and the form is not
    known, most elements must be posts with a text of their own, by several authors.
    """
    ends = members | chosen.keys()
    by_time = not marks.authors
    marked.find_texts(members, ends)
    readers = {element: PostReader(element, marked, ends, by_time=by_time) for element in members}
    posts = {element: post for element, reader in readers.items() if (post := reader.post())}
    if parts := _parts(posts, chosen, marked):
        return _posts(members - parts, chosen, marked, marks, is_known=is_known)
    linked, all_ = (sum(getattr(readers[element], what) for element in posts) for what in ("linked", "size"))
    teasers = sum(readers[element].has_linked_heading for element in posts)
    if not is_known and (linked > LINKED * all_ or 2 * teasers > len(posts)):
        return {}
    authors, own_texts = ({getattr(post, what) for post in posts.values()} for what in ("author", "text"))
    has_texts = 2 * len(own_texts) >= len(members)
    is_sure = len(marks.kinds) == 2 and len(posts) >= LEAST and (has_texts or not chosen)
    if not (is_known or is_sure or (len(authors) >= LEAST and len(posts) >= LEAST_OF_ONE_KIND and has_texts)):
        return {}
    named = {(post.author, post.time) for element, post in posts.items() if element in marked.texts}
    for element, post in [*posts.items()]:
        is_list = len(named) == 1 and len(posts) == LEAST and readers[element].linked > LINKED * readers[element].size
        if element not in marked.texts and (is_list or (post.author, post.time) in named):
            del posts[element]  # it lists similar threads, or says who began this one
    return posts


def _parts(posts: _Posts, chosen: _Posts, marked: MarkedPage) -> set[etree._Element]:
    """Return the elements that are parts of other posts, and no replies.

    They are the only one in it and hold what is named as its text, or most have the author of the post around them; if
    both are of one form, each post has such a part.
    """
    all_ = chosen | posts
    above = ((each, next(filter(all_.__contains__, islice(each.iterancestors(), UP)), None)) for each in posts)
    around = {each: post for each, post in above if post is not None}
    counts = Counter(around.values())
    texts = {each: marked.texts.get(post) for each, post in around.items() if post in chosen and counts[post] == 1}
    parts = {each for each, text in texts.items() if text is not None and each in ancestors(text)}
    own = {each for each, post in around.items() if all_[post].author == posts[each].author}
    is_nested = not posts.keys().isdisjoint(counts)
    most = 2 * len(own) == len(posts) > LEAST if is_nested else 2 * len(own) > len(around)
    return parts | own if most else parts


def _opening(marks: _Marks, chosen: _Posts, marked: MarkedPage) -> _Posts:
    """Return the opening post if it has another form: the largest element before all others with time and author."""
    before = set(takewhile(lambda element: element not in chosen, marked.root.iter(etree.Element)))
    holding = {above for element in chosen for above in ancestors(element)}
    authored = {above for author in marks.authors for above in ancestors(author)}
    times = {one.time for one in chosen.values()}
    tops: dict[etree._Element, None] = {}
    for time in marks.times:
        above = [element for element in ancestors(time) if element not in holding]
        if above and above[-1] in authored and above[-1] in before:
            tops[above[-1]] = None
    for top in islice(tops, FORMS):
        marked.find_texts([top], chosen)
        reader = PostReader(top, marked, chosen)
        post = reader.post()
        if post and reader.linked <= LINKED * reader.size and post.time not in times:
            return {top: post}
    return {}


def _without_repeated(posts: list[Post]) -> list[Post]:
    """Return posts without the lines that belong to their form: labels and signs that most of them repeat."""
    lines = [post.text.split("\n") for post in posts]
    counts = Counter(form for each in lines for form in {DIGITS.sub("0", line) for line in each})
    most = max(1, REPEATED * len(posts))
    kept = ("\n".join(line for line in each if counts[DIGITS.sub("0", line)] <= most) for each in lines)
    return [replace(post, text=text) if text else post for post, text in zip(posts, kept, strict=True)]


def _is_comment(element: etree._Element) -> bool:
    names = (element.get("class") or "")[:NAMES_LENGTH]
    return bool(
        (names and _COMMENT.search(names))
        or ((identifier := element.get("id")) and _COMMENT_ID.match(identifier))
        or ((kind := element.get("itemtype")) and _COMMENT_TYPE.search(kind))
    )


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
