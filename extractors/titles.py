"""Which of the titles that a page carries is the article's."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

MIN_TITLE = 2  # characters that must be left of a title when the site's name is cut
MIN_NAME = 3  # letters of a site's name that are recognised in its host
MAX_LOGO = 40  # characters of a site's name in a heading, white space apart
MAX_BESIDE = 3  # times the length of the host's label that a name which holds it may have: "Gazette Online"

AFTER_TITLE = tuple("-_|｜—–·»")

_SEPARATOR = re.compile(r"\s+[|\-–—»·•:]+\s+|\s*[_|｜]+\s*|\s*::\s*|\s*[—–]{1,2}\s*|\s*-{2,}\s*")
_SIGN = re.compile(r"[|\-–—»·•:_｜]")  # one of which every separator holds
# A Chinese site's name after a hyphen without spaces: 标题-新华网.
_GLUED_NAME = re.compile(r"(?<!-)-([^\s-]{1,10}(?:网|报|社|频道|在线|论坛|博客|新闻|资讯|门户))$")
_PART_SIGNS = frozenset({"_", "|", "｜", "--"})  # no author's: they join title, section and site
_PLAIN = str.maketrans({**dict.fromkeys("‘’‚‛′´`", "'"), **dict.fromkeys("“”„‟″", '"'), **dict.fromkeys("‐‑‒–—―", "-")})

_TYPOGRAPHIC = re.compile(f"[{''.join(map(chr, _PLAIN))}]")


@dataclass(frozen=True, slots=True)
class SiteName:
    """How a site is called: what it declares (folded), and the letters of its host."""

    declared: str = ""
    host: str = ""

    def fits(self, part: str) -> bool:
        """Whether a part of a title (folded) is the site's name."""
        name, letters = self.declared, "".join(filter(str.isalnum, part))
        if name and (part in name or name in part):
            return True
        if len(letters) < MIN_NAME or not self.host:
            return False
        label = max(self.host.split("."), key=len).replace("-", "")
        in_host = letters in self.host.replace(".", "").replace("-", "")
        return in_host or (len(label) > MIN_NAME and label in letters and len(letters) <= MAX_BESIDE * len(label))


def find_title(
    declared: list[str], whole: str, headings: list[str], site_name: str | None, host: str = ""
) -> str | None:
    """Return the title without the site's name: the form that most of the page's places agree on.

    `declared`: what meta elements and JSON-LD say; `whole`: of <title>; `headings`: of <h1>, and the line that repeats
    the title; `host`: of the page's address. Where the places differ in their quotation marks, readers' form counts.
    """
    site = SiteName(_fold(site_name or ""), host)
    declared = [" ".join(text.split()) for text in declared]
    titled = [cut_site_name(text, site, []) for text in headings if not _is_logo(text, whole, site)]
    shown = [text for text in titled if len(text) >= MIN_TITLE and _fold(text) in _fold(whole)]
    candidates = [cut_site_name(text, site, shown) for text in declared if text]
    candidates += shown
    if whole:
        candidates.append(cut_site_name(whole, site, shown, anywhere=True))
    candidates += titled or headings
    counts = Counter(map(_fold, candidates))
    best = max(filter(None, candidates), key=lambda text: counts[_fold(text)], default=None)
    return _mend_quote(_as_shown(best, [*titled, *candidates]), whole, site) if best else None


def cut_site_name(title: str, site: SiteName, shown: list[str], anywhere: bool = False) -> str:
    """Return `title` without a site's name at either end.

    A heading of the page that the title begins with is the title; else a part that is the site's name goes; else, if
    `anywhere`, the last part goes where the title's parts leave enough.
    """
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


def _first_part(title: str, separators: list[re.Match[str]]) -> str:
    """Return `title` without its last part, and without the section's name before it where signs show one."""
    first, last = separators[0], separators[-1]
    section = last.start() - first.end()
    if first[0].strip() in _PART_SIGNS and first[0].strip() == last[0].strip() and 0 <= section <= first.start():
        return title[: first.start()].strip()
    return title[: last.start()].strip()


def begins_title(line: str, whole: str) -> bool:
    """Whether a line of the page is what stands before a sign in the whole title: a heading in all but its tag."""
    return len(line) >= MIN_TITLE and whole.startswith(line) and whole[len(line) :].lstrip()[:1] in AFTER_TITLE


def _is_logo(heading: str, whole: str, site: SiteName) -> bool:
    """Whether a heading is the site's name: as it is declared, or as it ends the whole title."""
    folded = _fold(heading)
    if folded == site.declared or (site.host and folded.isalnum() and site.host.startswith((folded, f"www.{folded}"))):
        return True
    if len(folded) > MAX_LOGO or not _fold(whole).endswith(folded):
        return False
    separators = list(_SEPARATOR.finditer(whole))
    return bool(separators) and folded == _fold(whole[separators[-1].end() :]) and len(folded) < separators[-1].start()


def _as_shown(title: str, forms: list[str]) -> str:
    """Return the first of the forms that is the same title: a heading has the quotation marks that readers see.

    Capitals throughout are decoration.
    """
    same = (text for text in forms if not text.isupper() and _fold(text) == _fold(title))
    return next(same, title)


def _mend_quote(title: str, whole: str, site: SiteName) -> str:
    """Return the title up to its end where an attribute's value was cut at a quotation mark."""
    return cut_site_name(whole, site, [], anywhere=True) if whole.startswith(f'{title}"') else title


@lru_cache(maxsize=64)  # a page's few titles are compared with each other again and again
def _fold(text: str) -> str:
    plain = text.translate(_PLAIN) if _TYPOGRAPHIC.search(text) else text
    return "".join(plain.lower().split())
