"""The verdict whether a page has an article, and if not, the reason as text for the user.

A page with text is refused for only two reasons. Its text declares that there is no article, in a few words on a nearly
empty page: a soft 404, a block or captcha, a shell that needs JavaScript. Or the page-type model classifies it as a
list, which is wrong for at most one article in two hundred (`page_types.learning.LOST`, on sites left out). All other
pages are articles, with a page type and a probability; the confidence is at most this probability. A caller may request
more refusals or none (`Page.refuse`).

An example is evidence, too: it adds `evidence`, as log odds (see `example`).
"""

from dataclasses import dataclass

from ..article import PageType
from ..content.assembly import ParsedPage
from ..content.notices import notice
from .classify import EVEN, surely_article, weigh


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """The verdict on a page. `probability` of an article: 0 to 1, None without doubt. `refused`: a reason or None."""

    page_type: PageType = "article"
    probability: float | None = None
    refused: str | None = None


def judge(parsed: ParsedPage, kept: list[int], evidence: float = 0.0) -> PageVerdict:
    """Return the verdict on the page with the body `kept`; `evidence` for an article, in log odds."""
    refuse = parsed.page.refuse
    said = notice(parsed.lines, parsed.head.title, parsed.head.headings, kept)
    if not kept:
        return PageVerdict("uncertain", None, said or "no running text: only links and fragments")
    if said:
        return PageVerdict("uncertain", None, None if refuse == "never" else said)
    if surely_article(parsed, kept):
        return PageVerdict()
    found = weigh(parsed, kept, evidence)
    kind, chance = found.kind, found.probability
    refused = {"sure": kind == "list", "likely": chance < EVEN}.get(refuse, False)
    return PageVerdict(kind, chance, f"a list: {'; '.join(found.reasons())}" if refused else None)
