"""The strongest reasons for a page's type, as text for the user."""

from collections.abc import Mapping
from math import expm1

REASONS = 3
COUNTED, SHARE, YES = range(3)

# By the name of a number: its form, and the words; `{}` is the count or the share. Numbers that a person cannot check
# are left out.
TOLD = {
    "og_article": (YES, "it declares og:type article", "og:type is not article"),
    "declared_published": (YES, "it declares when it was published", "it declares no time of publication"),
    "declared_article": (YES, "its JSON-LD describes an article", "no JSON-LD describes an article"),
    "list_types": (YES, "its JSON-LD describes a collection", ""),
    "list_class": (YES, "the name of <body> is like a list's", ""),
    "list_title": (YES, "its title is worded like a list's", ""),
    "place_near": (SHARE, "{} of its running text is in adjacent lines", ""),
    "after_title_prose": (SHARE, "{} of the lines after its title are prose", ""),
    "after_title_share": (SHARE, "{} of the text is directly after its title", ""),
    "after_title_links": (SHARE, "{} of the text after its title is links", ""),
    "place_after_link": (SHARE, "{} of its texts come directly after a link", ""),
    "prose_after_entry": (SHARE, "{} of its prose follows a linked title", ""),
    "like_text_span": (SHARE, "{} of its text is among similar links", ""),
    "link_share": (SHARE, "{} of the page is links", ""),
    "like_entries": (COUNTED, "linked titles in one place: {}", ""),
    "run_entries": (COUNTED, "linked titles within its text: {}", ""),
    "run_linked_headings": (COUNTED, "linked headings within its text: {}", ""),
    "linked_headings": (COUNTED, "headings that are links: {}", ""),
    "endings": (COUNTED, "lines that typically end an article: {}", "no line that typically ends an article"),
    "bylines": (COUNTED, "bylines: {}", "no byline"),
    "more": (COUNTED, "“read more” or the like: {}", ""),
    "pagers": (COUNTED, "page links or counts: {}", ""),
    "sorting": (COUNTED, "ways to sort or filter: {}", ""),
    "prices": (COUNTED, "prices: {}", ""),
    "dates": (COUNTED, "dates: {}", "no date"),
    "prose_lines": (COUNTED, "lines of prose: {}", "no line of prose"),
    "dated": (YES, "its URL has a date", ""),
    "year": (YES, "its URL has a year", ""),
    "front": (YES, "it is the site's front page", ""),
    "page_number": (YES, "its URL has a page number", ""),
    "list_last": (YES, "its URL ends like a list's", ""),
    "links_below": (COUNTED, "links that lead below its URL: {}", ""),
    "like_own": (COUNTED, "linked titles with URLs like its own: {}", ""),
}


def reasons_for(spoken: Mapping[str, float], features: Mapping[str, float], article: bool) -> tuple[str, ...]:
    """Return the strongest reasons.

    `spoken`: each number's contribution to "article"; `article`: the type is "article".
    """
    sign = 1 if article else -1
    best = sorted((name for name in spoken if sign * spoken[name] > 0), key=lambda name: -sign * spoken[name])
    told = (_tell(name, features[name]) for name in best if name in TOLD)
    return tuple([text for text in told if text][:REASONS])


def _tell(name: str, value: float) -> str:
    form, words, absent = TOLD[name]
    if not value:
        return absent
    return words.format(round(expm1(value)) if form == COUNTED else f"{value:.0%}")
