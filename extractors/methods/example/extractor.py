"""Method `example`: the body is what the page does not share with an example page of its section.

Source: 004 (see `similarity` and `body`), as formulation H: FS and BS without drift, turning points, body root and the
example's path profile. The page's own priors (`line_weights`) and the example's layout (`profile`) are ours: in places
where the example has text but no body, the page has no body either. Two guards are ours too. If few lines around the
body match, the example is from another template; the page is then extracted alone, and the result's reason states this.
If the example has nearly the same text as the page, and its title, there is no difference to find, and only its paths
are used. A body that other articles of the section have word for word is their template's, also if it is an example's.

The vote is ours too: the page is extracted with each of a few recent pages as with an example, independently, and a
line is kept if at least half of them keep it. Pages pooled into one profile were worse than one example; the vote is
better. A section may have a former template besides its own: then only the voters of the template that fits a page
better vote on it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from ...article import Article, NoArticle
from ...content.assembly import BodyLines, ParsedPage, assemble, read
from ...content.body import REPEATED, Body, BodySearch, BodySteps
from ...content.confidence import Trust, known_of, trust_of
from ...content.line_model.opinion import Opinion, second_opinion
from ...content.line_model.regions import LABEL
from ...content.page_body import rules_body, unmatched
from ...content.profile import BARREN_FACTOR, BodyMarkup, Layout, layout_of, markup_of, profile_of
from ...content.similarity import align
from ...content.trimming import trim
from ...content.turning_points import LineEvidence, content_of
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
    """The result of one example for a page. `match`: share of the surrounding lines that are in both, 0 to 1.

    `places`: the factors of the page's paths by the voter's layout, or []; `similarity`: of the page's lines to the
    voter's; `expected` is the voter's.
    """

    body: Body
    match: float
    layout: Layout
    places: list[float]
    similarity: list[float]
    twin: bool = False
    expected: float = 1.0

    @property
    def counts(self) -> bool:
        """Whether the example fits the page and its body is known."""
        return self.twin or (self.match >= DISSIMILAR and self.expected >= PUZZLING)


@dataclass(frozen=True, slots=True)
class Election:
    """The count of the votes on a page; noted only if its extraction is traced.

    `counts`: for each line, of the votes that count; `elected`: the lines with at least half of them that the rules
    about words leave; `opinion`: the body after the line model; `trust` in it.
    """

    valid: list[Vote]
    counts: list[int]
    elected: list[int]
    opinion: Opinion
    trust: Trust


def deciding(trace: Trace) -> density.OwnBody | Election | None:
    """Return the decision on which the result is based: the last one that was noted."""
    return next((step for step in reversed(trace.steps) if isinstance(step, (density.OwnBody, Election))), None)


def deciding_steps(trace: Trace) -> BodySteps | None:
    """Return the steps on which the result is based: the page's own, or that by the first page whose vote counts."""
    decision = deciding(trace)
    return trace.last(BodySteps, before=decision.valid[0] if isinstance(decision, Election) else decision)


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
        voters, votes = _of_best_template(self.voters, cast_all(self.voters, parsed))
        pairs = list(zip(voters, votes, strict=True))
        others = [voter.titles for voter, vote in pairs if not vote.twin and not _is_same_page(voter, page)]
        usual = self._usual.get(voters[0].template, 0.0)
        elected = elect(parsed, votes, self.list_like, usual, self.is_article)
        # An earlier form of the page itself is no evidence of its template.
        match = max([vote.match for voter, vote in pairs if not _is_same_page(voter, page)] or [votes[0].match])
        fits = match >= max(DISSIMILAR, ODD * usual) or any(_has_places(parsed.lines, *pair) for pair in pairs)
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
            all_votes = cast_all(self.voters, parsed)
            voters, votes = _of_best_template(self.voters, all_votes)
            template, match = voters[0].template, max(vote.match for vote in votes)
            self._matches = [
                max(known, vote.match) if voter.template == template else known
                for voter, known, vote in zip(self.voters, self._matches, all_votes, strict=True)
            ]
            elected = elect(parsed, votes, self.list_like, is_article=self.is_article)
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


def voter_of(parsed: ParsedPage) -> Voter:
    """Return a page as an example whose section is otherwise unknown: its body is found by the page alone."""
    lines = parsed.lines
    body = rules_body(lines, parsed.prior).kept
    return Voter(lines, body, layout_of(lines, body), markup_of(lines, body), parsed.page.url)


def _measured(voter: Voter) -> Voter:
    """Return a voter whose lines are in another trie, with its places and markup there."""
    lines, body = voter.lines, voter.body
    return replace(voter, layout=layout_of(lines, body), markup=markup_of(lines, body))


def _of_best_template(voters: list[Voter], votes: list[Vote]) -> tuple[list[Voter], list[Vote]]:
    """Return the voters of the template that fits the page best, with their votes."""
    pairs = list(zip(voters, votes, strict=True))
    if any(voter.template for voter in voters):
        best = max(pairs, key=lambda pair: (pair[1].match, -pair[0].template))[0].template
        pairs = [pair for pair in pairs if pair[0].template == best]
    return [voter for voter, _ in pairs], [vote for _, vote in pairs]


def _is_same_page(voter: Voter, page: Page) -> bool:
    return page.url is not None and voter.url == page.url


class VotedPage:
    """A page on which examples vote, one after the other; what several votes have in common is computed once."""

    def __init__(self, page: ParsedPage) -> None:
        self._page = page
        self._content = content_of(page.lines, unmatched(page.lines), 0, len(page.lines))
        self._bytes = sum(self._content)
        self._search = BodySearch(page.lines)

    def vote_of(self, voter: Voter) -> Vote:
        """Return the result of an example. The paths of both pages are in one trie."""
        lines, similarity = self._page.lines, align(voter.lines, self._page.lines)
        twin = self._is_twin(voter, similarity.page)
        profile = voter.markup.profile if twin else profile_of(voter.markup, similarity.example)
        new = unmatched(lines) if twin else similarity.page
        places = voter.layout.factors_of_paths(lines)
        body = self._search.body_by(LineEvidence(new, self._page.prior, profile, voter.layout), places)
        match = surrounding_match(lines, similarity.page, body)
        vote = Vote(body, match, voter.layout, places, similarity.page, twin, voter.expected)
        note(vote)
        return vote

    def _is_twin(self, voter: Voter, similarity: list[float]) -> bool:
        """Whether the example has nearly the same text as the page."""
        lines, new = self._page.lines, self._search.new_bytes(similarity)
        if new >= TWIN_REST * self._bytes:
            return False  # saves the second search below on all but a few pages
        if voter.titles.parts and not titles_of(self._page.head).parts <= voter.titles.parts:
            return False
        alone = rules_body(lines, self._page.prior).kept
        repeated = repeated_share(lines, alone, similarity)
        return repeated > TWIN_REPEATED and new < TWIN_REST * sum(self._content[line] for line in alone)


def repeated_share(lines: Lines, kept: list[int], similarity: list[float]) -> float:
    """Return the share of a body that another page has, too, by bytes: 0 to 1. `similarity`: of the lines to it."""
    return sum(lines.widths[line] * similarity[line] for line in kept) / (sum(lines.widths[line] for line in kept) + 1)


def cast_all(voters: Iterable[Voter], page: ParsedPage) -> list[Vote]:
    """Return the result of each example for `page`. The paths of all pages are in one trie."""
    voted = VotedPage(page)
    return [voted.vote_of(voter) for voter in voters]


def elect(
    parsed: ParsedPage,
    votes: list[Vote],
    list_like: float = 0.0,
    usual_match: float = 0.0,
    is_article: bool = True,
) -> BodyLines | str:
    """Return the lines that at least half of the votes keep, corrected, or the reason why there is no article.

    Examples that do not fit the page do not count; if all differ, the page is extracted alone. So it is if the
    confidence in the page's own body is clearly higher, or not clearly lower where the page has another template than
    the section's. `list_like`: log odds that the example is a list; `usual_match`: of the section, 0 if unknown;
    `is_article`: whether the example is an article.
    """
    page = parsed.lines
    valid = [vote for vote in votes if vote.counts]
    best = max(vote.match for vote in votes)
    if not valid:
        differs = f"example differs: {best:.0%} of the surrounding lines match"
        said = differs if best < DISSIMILAR else "the example's own body is doubtful"
        return density.find_body(parsed, said, list_like + ELSEWHERE, is_article)
    body, kept = voted_body(parsed, valid)
    if not kept:
        return density.find_body(parsed, "too little text differs from the example", list_like + ELSEWHERE, is_article)
    expected = _where_expected(page, kept, [vote.layout for vote in valid])
    verdict = judge(parsed, kept, list_like + (EXPECTED if expected else ELSEWHERE))
    if verdict.refused:
        return verdict.refused
    elected, similarity, factors = replace(body, kept=kept), usual_similarity(valid), _factors(page, valid)
    posts = density.lines_of_posts(parsed) if verdict.may_be_thread and not is_article else None
    kinds = None if is_article else verdict.kinds
    if not is_article:
        factors[page.width <= LABEL] = 1  # labels of other kinds are the same on all pages
    opinion = second_opinion(page, parsed.prior, elected, similarity, factors, kinds=kinds, posts=posts)
    known = known_of(page, parsed.head, opinion.kept, verdict.probability)
    trust = trust_of(opinion, replace(known, match=best, support=support_of(valid, opinion.kept)))
    election = Election(valid, counts_of(page, valid), kept, opinion, trust)
    note(election)
    is_odd = best < ODD * usual_match
    if trust.confidence < density.SURE or is_odd:
        own = density.find_body(parsed, "the body of the page alone is likelier", list_like + ELSEWHERE, is_article)
        least = trust.confidence + (-LIKELIER if is_odd else LIKELIER)
        if isinstance(own, BodyLines) and own.confidence > least and not repeats(page, own.kept, similarity):
            return own
        note(election)  # the last decision noted is the one on which the result is based
    captions = sorted({line for vote in valid for line in vote.body.captions})
    chosen = replace(body, kept=opinion.kept, captions=captions)
    return density.body_lines(METHOD, page, chosen, verdict, trust, _reason(valid, best))


def repeats(lines: Lines, kept: list[int], similarity: list[float] | None) -> bool:
    """Whether other articles of the section have a body, too, so that it is the template's."""
    return similarity is not None and repeated_share(lines, kept, similarity) >= REPEATED_BODY


def _factors(page: Lines, valid: list[Vote]) -> Floats:
    """Return the factors of the lines that the vote leaves out: `BARREN_FACTOR` in places without body, and of lines
    that at least half of the other examples repeat; else 1.
    """
    factors = np.ones(len(page), np.float32)
    for vote in valid:
        if vote.places:
            factors = np.minimum(factors, np.array(vote.places, np.float32)[page.outline.of_line])
    compared = [np.array(vote.similarity) >= REPEATED for vote in valid if not vote.twin]
    if compared:
        factors[np.mean(compared, axis=0) >= 0.5] = BARREN_FACTOR
    return factors


def voted_body(parsed: ParsedPage, valid: list[Vote]) -> tuple[Body, list[int]]:
    """Return the body of the lines that at least half of the votes keep, and its lines trimmed; none if there are none.

    Its turning points are those of the vote with the most lines.
    """
    counts = counts_of(parsed.lines, valid)
    elected = [line for line, count in enumerate(counts) if 2 * count >= len(valid)]
    if not elected:
        return Body([]), []
    depth = parsed.lines.trie.depth
    largest = max(valid, key=lambda vote: len(vote.body.kept)).body
    root = min((vote.body.root for vote in valid if vote.body.kept), key=depth.__getitem__)
    body = Body(elected, root, largest.head, largest.tail)
    return body, trim(parsed.lines, body, parsed.prior)


def counts_of(lines: Lines, valid: list[Vote]) -> list[int]:
    """Return the number of votes that keep each line."""
    counts = [0] * len(lines)
    for vote in valid:
        for line in vote.body.kept:
            counts[line] += 1
    return counts


def support_of(valid: list[Vote], kept: list[int]) -> float:
    """Return the mean share of the votes that keep a line of the body, 0 to 1."""
    votes = [set(vote.body.kept) for vote in valid]
    return sum(line in vote for vote in votes for line in kept) / (len(votes) * len(kept))


def usual_similarity(valid: list[Vote]) -> list[float] | None:
    """Return the largest similarity of each line of a page to the voters' lines; None if all have the same text."""
    compared = [vote.similarity for vote in valid if not vote.twin]
    return [max(values) for values in zip(*compared, strict=True)] if compared else None


def _agree(lines: Lines, one: list[int], other: list[int]) -> bool:
    """Whether two bodies of a page are nearly the same."""
    if one == other:
        return True
    width = lines.widths.__getitem__
    common = sum(map(width, set(one) & set(other)))
    return 2 * common >= AGREE * (sum(map(width, one)) + sum(map(width, other)))


def _where_expected(page: Lines, kept: list[int], layouts: list[Layout]) -> bool:
    """Whether most of the body is in places where an example has its own."""
    widths, paths = page.widths, page.paths
    half = sum([widths[line] for line in kept]) / 2
    return any(sum([widths[line] for line in kept if layout.holds_body(paths[line])]) > half for layout in layouts)


def surrounding_match(page: Lines, similarity: list[float], body: Body) -> float:
    """Return the mean similarity of the short lines outside the body: 0 (another template) to 1."""
    around = [similarity[line] for line in _lines_around(page, body)]
    return float(np.array(around, np.float32).mean()) if around else 0.0


def _lines_around(page: Lines, body: Body) -> list[int]:
    """Return the short lines outside the body."""
    kept = set(body.kept)
    return [line for line, width in enumerate(page.widths) if width < SURROUNDING_WIDTH and line not in kept]


def _has_places(page: Lines, voter: Voter, vote: Vote) -> bool:
    """Whether the lines around the body stand where the voter has lines, whatever their words."""
    around, known = _lines_around(page, vote.body), set(voter.lines.paths)
    return sum(page.paths[line] in known for line in around) >= SAME_PLACES * len(around) > 0


def _reason(valid: list[Vote], match: float) -> str:
    if all(vote.twin for vote in valid):
        return "the example has nearly the same text: extracted by the example's paths alone"
    if len(valid) > 1:
        return f"vote of {len(valid)} pages, {match:.0%} of the surrounding lines match the example"
    return f"{match:.0%} of the surrounding lines match the example"
