"""The choice of the article's title among the titles that its page has.

Strategy: the <h1> that readers see, if it is similar to the titles in the head (<title> and og:title are often written
for search engines, and come from one field); else the form that most of the page's places agree on. A part that another
page of the site also has, alone or at an end of its title, is the name of the site or of a section.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..expressions import expression
from .dates import find_date

MIN_TITLE = 2  # characters that must be left of a title when the site's name is cut
MIN_NAME = 3  # letters of a site's name that are recognised in its host
MAX_LOGO = 40  # characters of a site's name in a heading, white space apart
MAX_BESIDE = 3  # a site's name may have this many times the length of the host's label in it: "Gazette Online"

LIKE = 0.35  # Dice coefficient of the words of two titles, from which one may be the other in other words

AFTER_TITLE = tuple("-_|｜—–·»")

_SEPARATORS = r"\s+[|\-–—»·•:]+\s+|\s*[_|｜]+\s*|\s*::\s*|\s*[—–]{1,2}\s*|\s*-{2,}\s*"
_SEPARATOR = expression(_SEPARATORS)
_SIGN = expression(r"[|\-–—»·•:_｜]")  # every separator contains one
# A Chinese site's name after a hyphen without spaces: 标题-新华网.
_GLUED_NAME = expression(r"(?<!-)-([^\s-]{1,10}(?:网|报|社|频道|在线|论坛|博客|新闻|资讯|门户))$")
# Separators of a title's parts, if another page has the same part, which is then not an article's title.
_END = expression(rf"{_SEPARATORS}|(?<=[\u4e00-\u9fff])-(?=[\u4e00-\u9fff])")
_WORD = expression(r"[^\W\u3040-\u9fff]+|[\u3040-\u9fff]")  # Chinese and Japanese: each character
# Without the colon, which belongs to the headline, but for that after a label.
_RUBRIC_END = expression(r"[|｜»›/]$|\A(?:title|标题|题名)\s?[:：]$", re.IGNORECASE)
_PART_SIGNS = frozenset({"_", "|", "｜", "--"})  # they join title, section and site; authors do not write them
_PLAIN = str.maketrans({**dict.fromkeys("‘’‚‛′´`", "'"), **dict.fromkeys("“”„‟″", '"'), **dict.fromkeys("‐‑‒–—―", "-")})

_TYPOGRAPHIC = expression(f"[{''.join(map(chr, _PLAIN))}]")


@dataclass(frozen=True, slots=True)
class SiteName:
    """The names of a site: those that it declares (folded), the letters of its host, and `shared_names`."""

    declared: str = ""
    host: str = ""
    shared: frozenset[str] = frozenset()

    def fits(self, part: str) -> bool:
        """Whether a part of a title (folded) is the site's name."""
        if part in self.shared:
            return True
        name, letters = self.declared, "".join(filter(str.isalnum, part))
        if name and (part in name or name in part):
            return True
        if len(letters) < MIN_NAME or not self.host:
            return False
        label = max(self.host.split("."), key=len).replace("-", "")
        in_host = letters in self.host.replace(".", "").replace("-", "")
        return in_host or (len(label) > MIN_NAME and label in letters and len(letters) <= MAX_BESIDE * len(label))


@dataclass(frozen=True, slots=True)
class PageTitles:
    """A page's titles, folded. `parts`: what its head declares, and the parts of that; `headings`: of <h1>.

    `times`: its declared times of publication, as written.
    """

    parts: frozenset[str]
    headings: frozenset[str]
    times: frozenset[str] = frozenset()


NO_TITLES = PageTitles(frozenset(), frozenset())


def find_title(
    declared: list[str],
    whole: str,
    headings: list[str],
    site_name: str | None,
    host: str = "",
    repeated: Sequence[str] = (),
    shared: frozenset[str] = frozenset(),
) -> str | None:
    """Return the article's title without the site's name.

    `declared`: titles in meta elements and JSON-LD; `whole`: that of <title>; `headings`: those of <h1>; `host`: of the
    page's URL; `repeated`: lines of the page that repeat the title; `shared`: `shared_names`, which are used as titles
    only if nothing else is left. Where the places differ in their quotation marks, the visible form is used.
    """
    site = SiteName(_fold(site_name or ""), host, shared)
    unshared = replace(site, shared=frozenset())  # readers see what a heading shares: the name of a series
    declared = [" ".join(text.split()) for text in declared if text]
    told = frozenset(map(_fold, [*declared, *repeated]))
    headlines, lines = (
        [cut_site_name(text, unshared, []) for text in texts if not _is_logo(text, whole, site, told)]
        for texts in (headings, repeated)
    )
    seen = list(dict.fromkeys(headlines + lines))
    shown = [text for text in seen if len(text) >= MIN_TITLE and _fold(text) in _fold(whole)]
    named = [cut_site_name(text, site, shown) for text in declared]
    brief = [cut_site_name(whole, site, shown, anywhere=True)] if whole else []
    candidates = list(filter(None, [*named, *shown, *brief, *(seen or headings)]))
    candidates = [text for text in candidates if _fold(text) not in shared] or candidates
    own = [text for text in named + brief if _fold(text) not in shared]
    best = _headline(headlines, own) or _most_common(candidates)
    return _mend_quote(_as_shown(best, [*seen, *candidates]), whole, site) if best else None


def _most_common(titles: list[str]) -> str | None:
    """Return the title that occurs most often, in any typography, in its first form; None without titles."""
    counts = Counter(map(_fold, titles))
    return max(titles, key=lambda text: counts[_fold(text)], default=None)


def page_titles(declared: Iterable[str], headings: Iterable[str], times: Iterable[str] = ()) -> PageTitles:
    """Return the titles of a page, by which the site's name is recognised in titles of other pages."""
    whole = [" ".join(title.split()) for title in declared]
    parts = (_fold(part) for title in whole for part in (title, *_END.split(title)))
    return PageTitles(frozenset(filter(None, parts)), frozenset(map(_fold, headings)), frozenset(times))


def shared_names(whole: str, others: Sequence[PageTitles]) -> frozenset[str]:
    """Return the titles of other pages of the site, folded. A page with the same <title> as `whole` is left out.

    Headings of another page count only if `whole` does not contain them, since that page may list this page's title.
    """
    if not others:
        return frozenset()
    folded = _fold(whole)
    listed = (name for other in others for name in other.headings if name not in folded)
    return frozenset().union(*(other.parts for other in others), listed)


def _headline(headings: list[str], declared: list[str]) -> str | None:
    """Return the heading that is most like one of the declared titles, None if none is similar enough.

    A heading in capitals throughout does not count. If a sign separates the declared title from text before it in the
    heading, that text is a rubric, and the declared title is used; so it is if the heading only adds a date.
    """
    headings = [text for text in headings if not text.isupper()]
    told = set(map(_fold, declared))
    if repeated := next((text for text in headings if _fold(text) in told), None):
        return repeated
    likeness = {text: max((title_likeness(text, title) for title in declared), default=0.0) for text in headings}
    best = max(likeness, key=likeness.__getitem__, default="")
    if likeness.get(best, 0.0) < LIKE:
        return None
    return next((title for title in declared if _adds_label(best, title)), best)


def _adds_label(heading: str, title: str) -> bool:
    """Whether a heading adds a rubric before a title, or a date on either side."""
    text, part = heading.casefold(), title.casefold()
    before = heading[: len(text) - len(part)] if text.endswith(part) else ""
    after = heading[len(part) :] if text.startswith(part) else ""
    return bool(part and (_RUBRIC_END.search(before.rstrip()) or find_date(before) or find_date(after)))


def title_likeness(one: str, other: str) -> float:
    """Return the Dice coefficient of the words of two titles: 0 to 1."""
    words, others = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return 2 * len(words & others) / (len(words) + len(others)) if words or others else 0.0


def cut_site_name(title: str, site: SiteName, shown: list[str], anywhere: bool = False) -> str:
    """Return `title` without a site's name at either end.

    A heading of the page that the title begins with is the title; else a part that is the site's name is removed; else,
    if `anywhere`, the last part is removed if enough of the title is left.
    """
    title = _without_shared_ends(title, site.shared)
    folded = _fold(title)
    for heading in sorted(shown, key=len, reverse=True):
        if folded.startswith(_fold(heading)) and len(heading) >= MIN_TITLE:
            return title[: len(heading)] if title[: len(heading)].upper() == heading else heading
    if not _SIGN.search(title):
        return title
    if glued := _GLUED_NAME.search(title):
        return title[: glued.start()].strip() or title
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return title
    first, last = separators[0], separators[-1]
    if site.fits(_fold(title[last.end() :])):
        return _first_part(title, separators) or title
    front = _fold(title[: first.start()])
    if front == site.declared or (first[0].strip() in _PART_SIGNS and site.fits(front)):
        return title[first.end() :].strip() or title
    if anywhere and last.start() >= max(MIN_TITLE, len(title) - last.end()):
        return _first_part(title, separators)
    return title


def _without_shared_ends(title: str, shared: frozenset[str]) -> str:
    """Return a title without the parts at its ends that another page of the site has; all of it if nothing is left."""
    separators = list(_END.finditer(title)) if shared and _SIGN.search(title) else []
    start, end = 0, len(title)
    for mark in reversed(separators):
        if _fold(title[mark.end() : end]) not in shared:
            break
        end = mark.start()
    for mark in separators:
        if mark.start() >= end or _fold(title[start : mark.start()]) not in shared:
            break
        start = mark.end()
    return title[start:end].strip() or title


def _first_part(title: str, separators: list[re.Match[str]]) -> str:
    """Return `title` without its last part, and without the section's name before it where signs show one."""
    first, last = separators[0], separators[-1]
    section = last.start() - first.end()
    if first[0].strip() in _PART_SIGNS and first[0].strip() == last[0].strip() and 0 <= section <= first.start():
        return title[: first.start()].strip()
    return title[: last.start()].strip()


def begins_title(line: str, whole: str) -> bool:
    """Whether a line is the part of the whole title before a separator: a heading without a heading's tag."""
    return len(line) >= MIN_TITLE and whole.startswith(line) and whole[len(line) :].lstrip()[:1] in AFTER_TITLE


def _is_logo(heading: str, whole: str, site: SiteName, told: frozenset[str]) -> bool:
    """Whether a heading is the site's name: a declared one, or one in the whole title.

    In the title it counts at the end, or before a colon and another of the page's titles (`told`, folded).
    """
    folded = _fold(heading)
    after = _fold(whole).removeprefix(folded) if _fold(whole).startswith(folded) else ""
    if after[:1] in (":", "：") and after[1:] in told:
        return True
    if folded == site.declared or folded in site.shared or folded.removeprefix("www.") == site.host:
        return True
    if folded.isalnum() and site.host.startswith((folded, f"www.{folded}")):
        return True
    if len(folded) > MAX_LOGO or not _fold(whole).endswith(folded):
        return False
    separators = list(_SEPARATOR.finditer(whole))
    return bool(separators) and folded == _fold(whole[separators[-1].end() :]) and len(folded) < separators[-1].start()


def _as_shown(title: str, forms: list[str]) -> str:
    """Return the first of the forms that is the same title: a heading has the quotation marks that readers see.

    Forms entirely in capitals are left out.
    """
    same = (text for text in forms if not text.isupper() and _fold(text) == _fold(title))
    return next(same, title)


def _mend_quote(title: str, whole: str, site: SiteName) -> str:
    """Return the title up to its end where an attribute's value was cut at a quotation mark."""
    return cut_site_name(whole, site, [], anywhere=True) if whole.startswith(f'{title}"') else title


@lru_cache(maxsize=64)  # a page's few titles are compared with each other many times
def _fold(text: str) -> str:
    plain = text.translate(_PLAIN) if _TYPOGRAPHIC.search(text) else text
    return "".join(plain.lower().split())
