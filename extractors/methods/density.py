"""Method `density`: one page alone, without an example.

The steps of `body` with no line matched and no profile, weighted by the page's own priors (`line_weights`): names of
elements, the title's place, the comments' heading, links nearby. Lines of the template within the body are then removed
by their words (`trimming`): the result is the rules' body (`page_body`). A page that is not an article is refused
(`non_article`). If the rules leave prose out, a learned model of lines corrects the body (`line_model`).

The constants of the rules were tuned on the development sets; the learned parts are measured with the page's site or
set left out. Perturbed pages gave better constants than unchanged ones: class names hashed and semantic tags turned
into <div>, bodies cut to three paragraphs, elements wrapped in containers.
"""

from dataclasses import dataclass, replace

from ..article import Article, NoArticle
from ..content.assembly import BodyLines, ParsedPage, assemble, read
from ..content.body import Body
from ..content.line_model import is_doubtful, second_opinion
from ..content.line_weights import Prior
from ..content.page_body import rules_body
from ..html.lines import Lines
from ..html.paths import MAX_TRIE, PathTrie
from ..page import Page
from ..page_types.non_article import PageVerdict, judge
from ..tracing import tracing

METHOD = "density"
# Share of pages with F1 ≥ .9 by the body's bytes, sites left out, mean of the development sets: unchanged, with
# bodies cut to three paragraphs, and with hashed names.
CONFIDENCE = ((300, 0.50), (600, 0.80), (1_500, 0.84), (3_000, 0.89), (float("inf"), 0.94))


@dataclass(frozen=True, slots=True)
class OwnBody:
    """The extraction of a page alone; noted only if it is traced.

    `rules`: the rules' body; `kept`: the lines after the line model, none if the page is refused; `why`: the reason for
    extraction without an example.
    """

    rules: Body
    kept: list[int]
    verdict: PageVerdict
    why: str


class Density:
    """Extracts each page independently; between pages it keeps only the classification of element names, as a cache."""

    def __init__(self) -> None:
        self._trie = PathTrie()

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article of `page`. Raises `UnusablePage` if nothing can be read from it."""
        if self._trie.size > MAX_TRIE:
            self._trie = PathTrie()
        parsed = read(page, self._trie)
        if isinstance(parsed, NoArticle):
            return parsed
        return assemble(parsed, cut(parsed))


def cut(parsed: ParsedPage, reason: str = "no example", evidence: float = 0.0) -> BodyLines | str:
    """Return the body of a page alone, or the reason why there is none; `evidence` for an article, in log odds."""
    lines = parsed.lines
    rules = rules_body(lines, parsed.prior)
    verdict = judge(parsed, rules.kept, evidence)
    kept = [] if verdict.refused else _revised(parsed.lines, parsed.prior, rules)
    if (trace := tracing()) is not None:
        trace.note(OwnBody(rules, kept, verdict, reason))
    if verdict.refused:
        return verdict.refused
    captions = sorted(set(rules.captions) - set(kept))
    share = confidence(sum(map(lines.widths.__getitem__, kept)))
    return BodyLines(kept, rules.root, METHOD, share, reason, captions, verdict.page_type, verdict.probability)


def cut_alone(lines: Lines, prior: Prior) -> Body:
    """Return the body of a page alone."""
    body = rules_body(lines, prior)
    return replace(body, kept=_revised(lines, prior, body)) if body.kept else body


def _revised(lines: Lines, prior: Prior, rules: Body) -> list[int]:
    return second_opinion(lines, prior, rules).kept if is_doubtful(lines, rules.kept) else rules.kept


def confidence(width: float) -> float:
    """Return the measured share of pages with the right text among those with a body of `width` bytes."""
    return next(share for limit, share in CONFIDENCE if width < limit)


def create(example: Page | None) -> Density:
    """Return the extractor; it does not use the example."""
    return Density()
