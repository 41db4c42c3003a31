"""Method `density`: one page alone, without an example.

The steps of `body` with no line matched and no profile, weighted by the page's own priors (`line_weights`): names of
elements, the title's place, the comments' heading, links nearby. Lines of the template within the body are then removed
by their words (`trimming`): the result is the rules' body (`page_body`). A page that is not an article is refused
(`classify.judge`). A learned model of lines corrects the body (`line_model`), and another gives the confidence.

The constants of the rules were tuned on the development sets; the learned parts are measured with the page's site or
set left out. Perturbed pages gave better constants than unchanged ones: class names hashed and semantic tags turned
into <div>, bodies shortened to three paragraphs, elements wrapped in containers.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from ...content.assembly import BodyLines, PageByPage, ParsedPage
from ...content.body import Body
from ...content.confidence import Trust, known_of, trust_of
from ...content.endings import attachments, notes
from ...content.endings import captions as following_captions
from ...content.line_model.opinion import Opinion, second_opinion
from ...content.page_body import rules_body
from ...html.lines import Flags, Floats, Lines
from ...page import Page
from ...page_types.classify import PageVerdict, judge
from ...posts import LEAST, read_thread
from ...tracing import note

METHOD = "density"
SURE = 0.9  # confidence from which the reason names no doubt, and no other text of the page is tried
OTHERWISE = 0.2  # by which the confidence in the text of any kind must be higher; smaller ones change short articles
LONG = 40  # characters of a line from which it may be a part of a paragraph of a post
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Decision:
    """How the body of a page was decided; noted only if its extraction is traced.

    `rules`: the body before the line model; `opinion`: the body after it, and `trust` in that, None if the page is
    refused.
    """

    rules: Body
    opinion: Opinion | None
    trust: Trust | None


def find_body(
    parsed: ParsedPage, reason: str = "no example", evidence: float = 0.0, is_article: bool | None = None
) -> BodyLines | str:
    """Return the body of a page alone, or the reason why there is none; `evidence` for an article, in log odds.

    `is_article`: whether the page is to be read as an article; None: as it looks.
    """
    lines = parsed.lines
    rules = rules_body(lines, parsed.prior)
    verdict = judge(parsed, rules.kept, evidence)
    if verdict.refused:
        note(Decision(rules, None, None))
        return verdict.refused
    opinion, trust, _ = own_opinion(parsed, rules, verdict, is_article)
    note(Decision(rules, opinion, trust))
    return body_lines(METHOD, lines, replace(rules, kept=opinion.kept), verdict, trust, reason)


def own_opinion(
    parsed: ParsedPage, rules: Body, verdict: PageVerdict, is_article: bool | None = None
) -> tuple[Opinion, Trust, bool]:
    """Return the rules' body after the correction, the trust in it, and whether the page is read as an article.

    If the verdict leaves that open, the page is read as any kind where that text has clearly more confidence. A page
    that may be a thread is one if it has posts.
    """
    if is_article is not True and verdict.may_be_thread and (posts := lines_of_posts(parsed)) is not None:
        return _read_as(parsed, rules, verdict, False, posts)
    is_article = verdict.is_article if is_article is None else is_article
    read = _read_as(parsed, rules, verdict, is_article is not False)
    if is_article is None and read[1].confidence < SURE:
        other = _read_as(parsed, rules, verdict, False, values=read[0].values)
        if other[1].confidence > read[1].confidence + OTHERWISE:
            return other
    return read


def _read_as(
    parsed: ParsedPage,
    rules: Body,
    verdict: PageVerdict,
    is_article: bool,
    posts: Flags | None = None,
    values: Floats | None = None,
) -> tuple[Opinion, Trust, bool]:
    lines, kinds = parsed.lines, None if is_article else verdict.kinds
    opinion = second_opinion(lines, parsed.prior, rules, kinds=kinds, posts=posts, values=values)
    trust = trust_of(opinion, known_of(lines, parsed.head, opinion.kept, verdict.probability))
    return opinion, trust, is_article


def lines_of_posts(parsed: ParsedPage) -> Flags | None:
    """Return whether each line is in a post, None if the page has fewer than `LEAST` posts."""
    (posts,) = read_thread([parsed.page], is_thread=True)
    if len(posts) < LEAST:
        return None
    paragraphs = {_SPACE.sub("", paragraph) for post in posts for paragraph in post.text.split("\n")}
    whole = "\n".join(paragraphs)
    texts = [_SPACE.sub("", text) for text in parsed.lines.texts]
    return np.array([text in paragraphs or (len(text) >= LONG and text in whole) for text in texts], np.bool_)


def body_lines(method: str, lines: Lines, body: Body, verdict: PageVerdict, trust: Trust, reason: str) -> BodyLines:
    """Return a body with its confidence; the reason names the largest doubt if the text may be wrong."""
    kept = sorted({*body.kept, *attachments(lines, body.kept), *notes(lines, body.kept)})
    captions = sorted({*body.captions, *following_captions(lines, kept)} - set(kept))
    if trust.confidence < SURE and trust.doubt:
        reason = f"{reason}; {trust.doubt}"
    kind, probability = verdict.page_type, verdict.probability
    return BodyLines(kept, body.root, method, trust.confidence, reason, captions, kind, probability)


def create(example: Page | None) -> PageByPage:
    """Return the extractor; it does not use the example."""
    return PageByPage(find_body)
