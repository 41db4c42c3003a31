"""Method `example`: the body is what the page does not share with an example page of its section.

Source: 004 (see `similarity` and `body`), as formulation H: FS and BS without drift, turning points, body root and the
example's path profile. The page's own priors (`line_weights`) and the example's layout (`profile`) are ours: in places
where the example has text but no body, the page has no body either. Two guards are ours too. If few lines around the
body match, the example is from another template; the page is then extracted alone, and the result's reason states this.
If the example has nearly the same text as the page, and its title, there is no difference to find, and only its paths
are used. A body that other articles of the section have word for word is their template's, also if it is an example's.

The vote is ours too: the example and a few recent pages are one evidence, in which that counts which at least half of
them show: lines that the page shares with them, places without body, the body's markup. A section may have a former
template besides its own: then only the voters of the template that fits a page better vote on it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from ...article import Article, NoArticle
from ...content.assembly import BodyLines, ParsedPage, assemble, read
from ...content.body import REPEATED, Body, BodySteps, find_body
from ...content.confidence import known_of, trust_of
from ...content.line_model.opinion import second_opinion
from ...content.line_model.regions import LABEL
from ...content.page_body import rules_body, unmatched
from ...content.profile import (
    BARREN_FACTOR,
    BodyMarkup,
    Layout,
    Profile,
    by_half,
    common_profile,
    in_half,
    layout_of,
    markup_of,
    profile_of,
)
from ...content.similarity import Similarity, align
from ...content.trimming import trim
from ...content.turning_points import LineEvidence, content_of, new_segment
from ...errors import UnusablePage
from ...html.lines import Floats, Lines
from ...html.paths import MAX_TRIE, PathTrie
from ...metadata.metadata import titles_of
from ...metadata.titles import NO_TITLES, PageTitles
from ...page import Page
from ...page_types.classify import classify, judge
from ...tracing import Trace, note
from ..density import extractor as density

METHOD = "example"
MEMORY = 5  # pages, the example included
SURROUNDING_WIDTH = 200  # bytes; longer lines around the body are another article's, not the template's
DISSIMILAR = 0.10  # share of matched surrounding lines: 99% of pairs of two sites lie below, 1.3% of one section's
TWIN_REPEATED = 0.4  # share of the page's body that a twin repeats at least …
TWIN_REST = 0.1  # … and share of it that may be new
REPEATED_BODY = 0.9  # share of a body that another article of the section has, too, from which it is the template's
EXPECTED, ELSEWHERE = 2.0, -1.0  # log odds for an article whose body stands where the example has its own, or not
PUZZLING = 0.4  # expected F1 of an example's own body, below which the example abstains
AGREE = 0.8  # F1 by bytes of the example's body and the page's own, from which they are the same
DECIDES = 0.1  # expected F1 by which a page's corrected body must be better to be taken for an example's own
# With sites and designs left out, F1 of designed pages beside an example is .940, alone .923, of the likelier of both
# .946; of stored pages beside others of their section .970, .968, .969. Below `density.SURE` both are compared.
LIKELIER = 0.05  # by which the confidence in the page's own body must be higher
# Below this share of the usual match of a section's pages, a page is of another template: of the sample site's articles
# after its redesign 115 of 160 are right (in-sample); of 247 pages of 18 sections without a redesign 4 are below it.
ODD = 0.6
# Share of the lines around the body that stand where those of a voter do, from which a page has its template although
# their words are others: lists of the day's news. Of 245 pairs of pages of different sites in five stored sets, and of
# 40 pages of the sample site's other design, none has so many; nor had 192 pairs of two sites by which it was chosen.
SAME_PLACES = 0.8


@dataclass(frozen=True, slots=True)
class Voter:
    """An example page and its own result: the lines of its body, their places and markup; URL and titles.

    `expected`: F1 that the line model expects of its body, 0 to 1. `template`: 0 for that of the example, larger for
    former ones.
    """

    lines: Lines
    body: list[int]
    layout: Layout
    markup: BodyMarkup
    url: str | None = None
    titles: PageTitles = NO_TITLES
    expected: float = 1.0
    template: int = 0


@dataclass(frozen=True, slots=True)
class Vote:
    """How a page compares with a voter; noted only if its extraction is traced.

    `similarity`: of the lines of both; `twin`: whether both have nearly the same text; `around`: the short lines around
    the page's body, and `match`: the share of them that are in both, 0 to 1. `counts`: whether the voter fits the page
    and its own body is known.
    """

    voter: Voter
    similarity: Similarity
    twin: bool
    counts: bool
    around: list[int]
    match: float

    @property
    def profile(self) -> Profile:
        """The profile of the voter's body, without what the page repeats of it; a twin repeats it all."""
        markup = self.voter.markup
        return markup.profile if self.twin else profile_of(markup, self.similarity.example)


@dataclass(frozen=True, slots=True)
class VotedBody:
    """The body of a page by several votes; without lines if nothing indicates a body.

    `similarity`: the largest of each line to the voters' lines, None if all have the same text; `factors`: of the
    lines, `BARREN_FACTOR` in places where most voters have no body and of lines that at least half of them have, else
    1; `untrimmed`: the lines before trimming.
    """

    body: Body
    similarity: list[float] | None
    factors: Floats
    untrimmed: frozenset[int]

    def support(self, kept: list[int]) -> float:
        """Return the share of the lines of a text that are in the body before trimming, 0 to 1."""
        return sum(line in self.untrimmed for line in kept) / len(kept)


def deciding(trace: Trace) -> density.Decision | None:
    """Return the decision on which the result is based: the last one that was noted."""
    return trace.last(density.Decision)


def deciding_steps(trace: Trace) -> BodySteps | None:
    """Return the steps to the body on which the result is based."""
    return trace.last(BodySteps, before=deciding(trace))


class Example:
    """An example page, prepared once, and the section's recent pages. Memory stays bounded over any number of pages.

    `voters`: the example, if there is one, then the recent pages, oldest first. `list_like`: log odds that the example
    itself is a list, 0 or more: pages like it are wanted nevertheless. `is_article`: whether the example is an article,
    as which pages beside it are read.
    """

    def __init__(self, example: Page | None) -> None:
        """Prepare. Raises `UnusablePage` for an example without text."""
        self._trie = PathTrie()
        self._fixed = 0 if example is None else 1  # number of voters that are never removed
        self.voters: list[Voter] = []
        self._matches: list[float] = []  # each voter's highest match with the others; 1 for the first
        self._usual: dict[int, float] = {}  # by template, see `_usual_match`
        self.is_article = True
        self.list_like = 0.0
        if example is not None:
            self.learn(example)
            if not self.voters:
                raise UnusablePage("the example page has almost no text")

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article of `page`. Raises `UnusablePage` if nothing can be read from it."""
        parsed = self.read(page)
        if isinstance(parsed, NoArticle):
            return parsed
        if not self.voters:
            return assemble(parsed, density.find_body(parsed))
        votes = _of_best_template(cast_all(self.voters, parsed))
        others = [vote.voter.titles for vote in votes if not vote.twin and not _is_same_page(vote.voter, page)]
        usual = self._usual.get(votes[0].voter.template, 0.0)
        elected, votes = elect(parsed, votes, self.list_like, usual, self.is_article)
        # An earlier form of the page itself is no evidence of its template.
        match = max([vote.match for vote in votes if not _is_same_page(vote.voter, page)] or [votes[0].match])
        fits = match >= max(DISSIMILAR, ODD * usual) or any(_has_places(parsed.lines, vote) for vote in votes)
        if isinstance(elected, str):
            return replace(assemble(parsed, elected, others), fits=fits)
        elected = replace(elected, surrounding_match=votes[0].match, fits=fits)
        return assemble(parsed, elected, others)

    def read(self, page: Page) -> ParsedPage | NoArticle:
        """Return the page with its lines; their paths are in the trie that all voters share. Raises `UnusablePage`."""
        self._bound_trie()
        return read(page, self._trie)

    def learn(self, page: Page, *, former: bool = False) -> None:
        """Let `page` vote on later pages; the oldest recent page is removed. A page without text is ignored.

        `former`: whether its template differs from those of the earlier voters; if False, it has the template that
        fits it best.
        """
        parsed = self.read(page)
        if isinstance(parsed, NoArticle):
            return
        if len(self.voters) == MEMORY:
            del self.voters[self._fixed]
            del self._matches[self._fixed]
        rules = rules_body(parsed.lines, parsed.prior)
        if not self.voters:
            self.list_like = max(0.0, -classify(parsed).log_odds)
        if not self.voters and rules.kept:
            opinion, _, self.is_article = density.own_opinion(parsed, rules, judge(parsed, rules.kept))
        else:
            kinds = None if self.is_article else judge(parsed, rules.kept).kinds
            opinion = second_opinion(parsed.lines, parsed.prior, rules, kinds=kinds)
        expected = opinion.expected(opinion.kept)
        # Single lines that the model adds would make boxes of the section count as body on later pages.
        body = opinion.kept if expected - opinion.expected(rules.kept) >= DECIDES else rules.kept
        template, match = 0, 1.0
        if former:
            template = max((voter.template for voter in self.voters), default=-1) + 1
        elif self.voters:
            votes = _of_best_template(cast_all(self.voters, parsed))
            elected, votes = elect(parsed, votes, self.list_like, is_article=self.is_article)
            template, match = votes[0].voter.template, max(vote.match for vote in votes)
            matches = {id(vote.voter): vote.match for vote in votes}
            self._matches = [
                max(known, matches.get(id(voter), 0.0)) for voter, known in zip(self.voters, self._matches, strict=True)
            ]
            if isinstance(elected, BodyLines) and _agree(parsed.lines, elected.kept, body):
                body = elected.kept
        _ = parsed.lines.hashes  # `align` needs them of each voter
        parsed.lines.forget_elements()
        layout, titles = layout_of(parsed.lines, body), titles_of(parsed.head)
        markup = markup_of(parsed.lines, body)
        self.voters.append(Voter(parsed.lines, body, layout, markup, page.url, titles, expected, template))
        self._matches.append(match)
        self._usual = {voter.template: self._usual_match(voter.template) for voter in self.voters}

    def _usual_match(self, template: int) -> float:
        """Return the median match of the recent pages of a template with its other voters, 0 without any."""
        pairs = list(zip(self.voters, self._matches, strict=True))
        of_template = [match for voter, match in pairs if voter.template == template]
        recent = of_template[self._fixed if template == 0 else 1 :]  # without the first voter of the template
        return median(recent) if recent else 0.0  # NumPy's loads its masked arrays

    def _bound_trie(self) -> None:
        if self._trie.size > MAX_TRIE:
            self._trie = PathTrie()
            for voter in self.voters:
                voter.lines.move_to(self._trie)
            self.voters = [_measured(voter) for voter in self.voters]


def _measured(voter: Voter) -> Voter:
    """Return a voter whose lines are in another trie, with its places and markup there."""
    lines, body = voter.lines, voter.body
    return replace(voter, layout=layout_of(lines, body), markup=markup_of(lines, body))


def _of_best_template(votes: list[Vote]) -> list[Vote]:
    """Return the votes of the voters of the template that fits the page best."""
    best = max(votes, key=lambda vote: (vote.match, -vote.voter.template)).voter.template
    return [vote for vote in votes if vote.voter.template == best]


def _is_same_page(voter: Voter, page: Page) -> bool:
    return page.url is not None and voter.url == page.url


def repeated_share(lines: Lines, kept: list[int], similarity: list[float]) -> float:
    """Return the share of a body that another page has, too, by bytes: 0 to 1. `similarity`: of the lines to it."""
    return sum(lines.widths[line] * similarity[line] for line in kept) / (sum(lines.widths[line] for line in kept) + 1)


def cast_all(voters: Iterable[Voter], page: ParsedPage) -> list[Vote]:
    """Return how `page` compares with each voter, with the match around what is new. All paths are in one trie."""
    votes = []
    for voter in voters:
        similarity = align(voter.lines, page.lines)
        new = new_segment(page.lines, similarity.page)
        around = lines_around(page.lines, range(*new))
        match, twin = surrounding_match(around, similarity.page), _is_twin(voter, page, similarity.page, new)
        counts = twin or (match >= DISSIMILAR and voter.expected >= PUZZLING)
        votes.append(Vote(voter, similarity, twin, counts, around, match))
    return votes


def _is_twin(voter: Voter, page: ParsedPage, similarity: list[float], new: tuple[int, int]) -> bool:
    """Whether a voter has nearly the same text as the page, and its titles. `new`: the segment that it has not."""
    if voter.titles.parts and not titles_of(page.head).parts <= voter.titles.parts:
        return False
    lines = page.lines
    content, of_new = content_of(lines, unmatched(lines), 0, len(lines)), sum(content_of(lines, similarity, *new))
    if of_new >= TWIN_REST * sum(content):
        return False  # without a search for the page's own body
    alone = rules_body(lines, page.prior).kept
    is_new = of_new >= TWIN_REST * sum(content[line] for line in alone)
    return not is_new and repeated_share(lines, alone, similarity) > TWIN_REPEATED


def elect(
    parsed: ParsedPage,
    votes: list[Vote],
    list_like: float = 0.0,
    usual_match: float = 0.0,
    is_article: bool = True,
) -> tuple[BodyLines | str, list[Vote]]:
    """Return the body by the votes, corrected, or the reason why there is no article; the votes with their match.

    Voters that do not fit the page do not count; if all differ, the page is extracted alone. So it is if the confidence
    in the page's own body is clearly higher, or not clearly lower where the page has another template than the
    section's. `list_like`: log odds that the example is a list; `usual_match`: of the section, 0 if unknown;
    `is_article`: whether the example is an article.
    """
    page = parsed.lines
    valid = [vote for vote in votes if vote.counts]
    best = max(vote.match for vote in votes)
    if not valid:
        differs = f"example differs: {best:.0%} of the surrounding lines match"
        said = differs if best < DISSIMILAR else "the example's own body is doubtful"
        _note_all(votes)
        return density.find_body(parsed, said, list_like + ELSEWHERE, is_article), votes
    voted = voted_body(parsed, valid)
    around = lines_around(page, voted.untrimmed)
    votes = [replace(vote, around=around, match=surrounding_match(around, vote.similarity.page)) for vote in votes]
    best = max(vote.match for vote in votes)
    _note_all(votes)
    if not voted.body.kept:
        said = "too little text differs from the example"
        return density.find_body(parsed, said, list_like + ELSEWHERE, is_article), votes
    expected = _is_where_expected(page, voted.body.kept, [vote.voter.layout for vote in valid])
    verdict = judge(parsed, voted.body.kept, list_like + (EXPECTED if expected else ELSEWHERE))
    if verdict.refused:
        return verdict.refused, votes
    posts = density.lines_of_posts(parsed) if verdict.may_be_thread and not is_article else None
    kinds = None if is_article else verdict.kinds
    factors = voted.factors
    if not is_article:
        factors = np.where(page.width <= LABEL, 1, factors)  # labels of other kinds are the same on all pages
    opinion = second_opinion(page, parsed.prior, voted.body, voted.similarity, factors, kinds=kinds, posts=posts)
    known = known_of(page, parsed.head, opinion.kept, verdict.probability)
    trust = trust_of(opinion, replace(known, match=best, support=voted.support(opinion.kept)))
    decision = density.Decision(voted.body, opinion, trust)
    note(decision)
    is_odd = best < ODD * usual_match
    if trust.confidence < density.SURE or is_odd:
        own = density.find_body(parsed, "the body of the page alone is likelier", list_like + ELSEWHERE, is_article)
        least = trust.confidence + (-LIKELIER if is_odd else LIKELIER)
        if isinstance(own, BodyLines) and own.confidence > least and not repeats(page, own.kept, voted.similarity):
            return own, votes
        note(decision)  # the last decision noted is the one on which the result is based
    chosen = replace(voted.body, kept=opinion.kept)
    return density.body_lines(METHOD, page, chosen, verdict, trust, _reason(valid, best)), votes


def repeats(lines: Lines, kept: list[int], similarity: list[float] | None) -> bool:
    """Whether other articles of the section have a body, too, so that it is the template's."""
    return similarity is not None and repeated_share(lines, kept, similarity) >= REPEATED_BODY


def voted_body(parsed: ParsedPage, valid: list[Vote]) -> VotedBody:
    """Return the body of a page by the votes that count, at least one."""
    lines, compared = parsed.lines, [vote.similarity.page for vote in valid if not vote.twin]
    shared = np.array(by_half(compared or [unmatched(lines)]))
    places = np.array(by_half([vote.voter.layout.factors_of_paths(lines) for vote in valid]))
    profile = common_profile([vote.profile for vote in valid])
    mostly = in_half([vote.voter.layout.mostly for vote in valid])
    body = find_body(lines, LineEvidence(shared.tolist(), parsed.prior, profile, places.tolist(), mostly))
    untrimmed = frozenset(body.kept)
    if body.kept:
        body = replace(body, kept=trim(lines, body, parsed.prior))
    factors = np.where(shared >= REPEATED, BARREN_FACTOR, places[lines.outline.of_line]).astype(np.float32)
    return VotedBody(body, np.max(compared, axis=0).tolist() if compared else None, factors, untrimmed)


def _agree(lines: Lines, one: list[int], other: list[int]) -> bool:
    """Whether two bodies of a page are nearly the same."""
    if one == other:
        return True
    width = lines.widths.__getitem__
    common = sum(map(width, set(one) & set(other)))
    return 2 * common >= AGREE * (sum(map(width, one)) + sum(map(width, other)))


def _is_where_expected(page: Lines, kept: list[int], layouts: list[Layout]) -> bool:
    """Whether most of a body is in places where a voter has its own."""
    widths, paths = page.widths, page.paths
    half = sum([widths[line] for line in kept]) / 2
    return any(sum([widths[line] for line in kept if layout.holds_body(paths[line])]) > half for layout in layouts)


def lines_around(page: Lines, kept: Iterable[int]) -> list[int]:
    """Return the short lines outside a body."""
    body = frozenset(kept)
    return [line for line, width in enumerate(page.widths) if width < SURROUNDING_WIDTH and line not in body]


def surrounding_match(around: list[int], similarity: list[float]) -> float:
    """Return the mean similarity of the lines around a body to another page's: 0 (another template) to 1."""
    return float(np.array(similarity, np.float32)[around].mean()) if around else 0.0


def _has_places(page: Lines, vote: Vote) -> bool:
    """Whether the lines around the body stand where the voter has lines, whatever their words."""
    known = set(vote.voter.lines.paths)
    return sum(page.paths[line] in known for line in vote.around) >= SAME_PLACES * len(vote.around) > 0


def _note_all(votes: list[Vote]) -> None:
    for vote in votes:
        note(vote)


def _reason(valid: list[Vote], match: float) -> str:
    if all(vote.twin for vote in valid):
        return "the example has nearly the same text: extracted by the example's paths alone"
    if len(valid) > 1:
        return f"vote of {len(valid)} pages, {match:.0%} of the surrounding lines match the example"
    return f"{match:.0%} of the surrounding lines match the example"
