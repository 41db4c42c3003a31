"""The explanation of an extraction: each line of the page with its decision and reason, each value with its place.

    from extractors import Section
    from extractors.explanation import explain

    explanation = explain(Section(example), page, url)
    for line in explanation.lines:
        print(line.number, line.decision, line.reason, line.text)

The extraction runs as always and notes its steps (`tracing`); the explanation is derived from these steps, that is from
the arrays that the methods themselves computed. `values` contains the result's types; `line_decisions` and
`fields` interpret the steps.
"""

from collections.abc import Iterator
from datetime import datetime

from ..article import Article, NoArticle
from ..content.assembly import Assembling, BodyLines, read
from ..content.body import BodySteps
from ..content.confidence import SHOWN, Trust
from ..errors import UnusablePage
from ..html.lines import Lines
from ..html.paths import PathTrie
from ..methods.example import extractor as example
from ..methods.example.extractor import deciding, deciding_steps
from ..page import Refuse, make_page
from ..registry import LIST_METHODS, METHODS, NEED_EXAMPLE
from ..section import Section
from ..tracing import Trace, traced
from .fields import explained_fields
from .line_decisions import element_of, explained_lines, rounded
from .values import Explanation, Ground, LineCurves


def explain(
    section: Section,
    html: bytes | str,
    url: str | None = None,
    *,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    refuse: Refuse = "notices",
    screenshot: bytes | None = None,
) -> Explanation:
    """Extract a page with `section` and return the result with the reasons for it.

    Parameters are those of `Section.extract`. A page that cannot be read gives an explanation without lines.
    """
    with traced() as trace:
        try:
            result = section.extract(
                html, url, content_type=content_type, fetched_at=fetched_at, refuse=refuse, screenshot=screenshot
            )
        except UnusablePage as error:
            return Explanation(NoArticle(f"unusable page: {error}", url), ())
        lines = trace.first(Lines) or _read(html, url, content_type)
    steps, assembling = deciding_steps(trace), trace.last(Assembling)
    return Explanation(
        result,
        tuple(explained_lines(trace, lines, result)) if lines is not None else (),
        _curves(steps),
        element_of(steps.lines.trie, steps.body.root) if steps is not None and steps.body.root else "",
        tuple(_grounds(trace, result)),
        explained_fields(assembling, result) if isinstance(result, Article) and assembling is not None else (),
    )


def _read(html: bytes | str, url: str | None, content_type: str | None) -> Lines | None:
    """Return the lines of a page for a method that reads the page's source instead; None if it cannot be read."""
    with traced() as trace:
        try:
            read(make_page(html, url, content_type), PathTrie())
        except UnusablePage:
            return None
    return trace.first(Lines)


def _curves(steps: BodySteps | None) -> LineCurves:
    if steps is None:
        return LineCurves()
    similarity = steps.evidence.similarity
    return LineCurves(
        tuple(similarity) if any(similarity) else (),
        tuple(rounded(steps.segment.weights)),
        steps.segment.head,
        steps.segment.tail,
    )


def _grounds(trace: Trace, result: Article | NoArticle) -> Iterator[Ground]:
    """Yield the values on which the confidence is based."""
    assembling, votes = trace.last(Assembling), trace.steps_of(example.Vote)
    for number, vote in enumerate(votes):
        name = "Surrounding match" if number == 0 else f"Surrounding match, recent page {number}"
        yield Ground(name, f"{vote.match:.0%}", _meaning_of_match(vote))
    if (valid := sum(vote.counts for vote in votes)) > 1:
        yield Ground("Votes", f"{valid} pages", "a line that at least half of them have belongs to the template")
    if result and not result.entries and assembling is not None and not isinstance(assembling.body, str):
        decision = deciding(trace)
        yield from _grounds_of_body(None if decision is None else decision.trust, assembling.body)
    if not isinstance(result, NoArticle):
        yield _ground_of_type(result)


def _meaning_of_match(vote: example.Vote) -> str:
    """Return how the surrounding match affects the vote, in words."""
    if vote.twin:
        return "the example has nearly the same text; its paths alone are used"
    if vote.counts:
        least = example.DISSIMILAR
        return f"the share of the short lines around the body that the example has too; from {least:.0%} it fits"
    if vote.match < example.DISSIMILAR:
        return f"below {example.DISSIMILAR:.0%} the example does not fit, and the page is extracted alone"
    return "the example's own body is doubtful, and it does not vote"


def _grounds_of_body(trust: Trust | None, body: BodyLines) -> Iterator[Ground]:
    if trust is not None:
        yield Ground(
            "Probability", f"{trust.confidence:.0%}", "that the text is right, learned from pages with known text"
        )
        for name, meaning in SHOWN.items():
            yield Ground(meaning[0], f"{trust.number(name):.0%}", meaning[1])
    else:
        yield Ground("Method", body.method, f"right on {body.confidence:.0%} of the development pages")


def _ground_of_type(result: Article) -> Ground:
    probability = result.article_probability
    if probability is None:
        return Ground("Page type", result.page_type, "not in doubt")
    return Ground("Page type", result.page_type, f"an article rather than a list with {probability:.0%} probability")


def comparable_methods(has_example: bool) -> list[str]:
    """Return the methods whose answer is an article; without an example, those that need none."""
    left_out = {"auto", "list-rank-verbatim"} | LIST_METHODS | (frozenset() if has_example else NEED_EXAMPLE)
    return [method for method in METHODS if method not in left_out]
