"""Which of the titles that a page carries is the article's."""

import re
from collections import Counter

MIN_TITLE = 2  # characters that must be left of a title when the site's name is cut

_SEPARATOR = re.compile(r"\s+[|\-–—»·•:]+\s+|\s*[_|｜]+\s*|\s*::\s*|\s*[—–]{1,2}\s*")


def find_title(declared: list[str], whole: str, headings: list[str], site_name: str | None) -> str | None:
    """Return the title without the site's name: the form that most of the page's places agree on.

    `declared`: what meta elements and JSON-LD say; `whole`: of <title>; `headings`: of <h1>.
    """
    declared = [" ".join(text.split()) for text in declared]
    shown = [text for text in headings if len(text) >= MIN_TITLE and _fold(text) in _fold(whole)]
    candidates = [cut_site_name(text, site_name, shown) for text in declared if text]
    candidates += shown
    if whole:
        candidates.append(cut_site_name(whole, site_name, shown, anywhere=True))
    candidates += headings
    counts = Counter(map(_fold, candidates))
    best = max(filter(None, candidates), key=lambda text: counts[_fold(text)], default=None)
    return _mend_quote(best, whole) if best else None


def _mend_quote(title: str, whole: str) -> str:
    """Return the title up to its end where an attribute's value was cut at a quotation mark."""
    if whole.startswith(f'{title}"'):
        return cut_site_name(whole, None, [], anywhere=True)
    return title


def cut_site_name(title: str, site_name: str | None, shown: list[str], anywhere: bool = False) -> str:
    """Return `title` without a site's name at either end.

    A heading of the page that the title begins with is the title; else a part that is the site's name goes; else, if
    `anywhere`, the last part goes where the title's parts leave enough.
    """
    folded = _fold(title)
    for heading in sorted(shown, key=len, reverse=True):
        if folded.startswith(_fold(heading)) and len(heading) >= MIN_TITLE:
            return heading
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return title
    first, last = separators[0], separators[-1]
    name = _fold(site_name or "")
    end = _fold(title[last.end() :])
    if name and (end in name or name in end):
        return title[: last.start()].strip() or title
    if name and _fold(title[: first.start()]) == name:
        return title[first.end() :].strip() or title
    if anywhere and last.start() >= max(MIN_TITLE, len(title) - last.end()):
        return title[: last.start()].strip()
    return title


def _fold(text: str) -> str:
    return "".join(text.lower().split())
