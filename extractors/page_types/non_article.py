"""The verdict whether a page has an article, and if not, the reason as text for the user.

A page with text is refused if its text declares that there is no article, in a few words on a nearly empty page: a soft
404, a block or captcha, a shell that needs JavaScript. Because of its kind it is refused only on request
(`Page.refuse`), as tasks for articles do: with "sure" if the page-type model classifies it as a list, which is wrong
for at most one article in two hundred (`page_types.learning.LOST`, on sites left out), and it is not a thread, a
product or the like either. All other pages have a text and a page type.

An example is evidence, too: it adds `evidence`, as log odds (see `example`).
"""

from dataclasses import dataclass

from ..article import MAYBE_LISTS, PageType
from ..content.assembly import ParsedPage
from ..content.notices import notice
from .classify import EVEN, most_probable, screened, weigh


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """The verdict on a page. `page_type`: its most probable kind. `refused`: a reason or None.

    `probability` of an article rather than a list: 0 to 1, None without doubt. `is_article`: whether its lines are
    judged as an article's, as those of uncertain pages are.
    """

    page_type: PageType = "article"
    probability: float | None = None
    refused: str | None = None
    is_article: bool = True


def judge(parsed: ParsedPage, kept: list[int], evidence: float = 0.0) -> PageVerdict:
    """Return the verdict on the page with the body `kept`; `evidence` for an article, in log odds."""
    refuse = parsed.page.refuse
    said = notice(parsed.lines, parsed.head.title, parsed.head.headings, kept)
    if not kept:
        return PageVerdict("uncertain", None, said or "no running text: only links and fragments")
    if said:
        return PageVerdict("uncertain", None, None if refuse == "never" else said)
    no_list, no_other = screened(parsed, kept)
    if no_other:
        return PageVerdict()
    found = weigh(parsed, kept, evidence)
    kinds, chance = found.kinds, found.probability
    other = most_probable(kinds)
    kind: PageType = other if other not in ("article", "list", "uncertain") else "article" if no_list else found.kind
    is_article = kind in ("article", "uncertain")
    if no_list:
        return PageVerdict(kind, is_article=is_article)
    refused = {"sure": found.kind == "list" and kind in MAYBE_LISTS, "likely": chance < EVEN}.get(refuse, False)
    return PageVerdict(kind, chance, f"a list: {'; '.join(found.reasons())}" if refused else None, is_article)
