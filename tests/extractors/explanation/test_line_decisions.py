"""Each line of a page has a decision and its reason, and both are those of the extraction itself."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.sample_site import DESIGNS, EXAMPLES, SECTIONS, render_site, truth
from extractors import NoArticle, Section
from extractors.explanation import comparable_methods, explain
from extractors.explanation.values import DECISIONS
from extractors.registry import METHODS
from extractors.tracing import traced, tracing
from tests.extractors.pages import BAKERY, HARBOUR, LIBRARY, blog_page, news_page
from tests.samples import sample
from tests.tables import rows

BASE = "https://paper.example"
FETCHED = datetime(2026, 11, 20, 9, tzinfo=UTC)
NUMBER = re.compile(r"^ *\d+\. ", re.MULTILINE)  # of an item, which is no part of its line
PROSE = "".join(f"<p>{paragraph}</p>" for paragraph in (*HARBOUR, *BAKERY, *LIBRARY))


def decision_of(explanation, text):
    """The decision on the line with this text, and its reason."""
    [line] = [line for line in explanation.lines if text in line.text]
    return line.decision, line.reason


@pytest.mark.parametrize(("design", "section"), [*zip(DESIGNS, SECTIONS, strict=True)])
@pytest.mark.parametrize("way", ["example", "alone", "votes"])
def test_explanation_is_that_of_the_extraction(design, section, way):
    pages = render_site(BASE, design)
    example = pages[EXAMPLES[section]].body
    used = Section(None if way == "alone" else example, BASE + EXAMPLES[section])
    if way == "votes":
        for article in truth(section)[1:4]:
            used.learn(pages[article.path].body, BASE + article.path)
    for wanted in truth(section)[:: sample(8, 1)]:
        page, url = pages[wanted.path], BASE + wanted.path
        options = {"content_type": page.headers["Content-Type"], "fetched_at": FETCHED}
        plain = used.extract(page.body, url, **options)
        explanation = explain(used, page.body, url, **options)
        assert explanation.result == plain
        assert [line.number for line in explanation.lines] == list(range(len(explanation.lines)))
        assert all(line.decision in DECISIONS and line.reason for line in explanation.lines)
        kept = [line for line in explanation.lines if line.kept]
        assert "".join("".join(line.text for line in kept).split()) == "".join(NUMBER.sub("", plain.text).split())
        assert explanation.body == (kept[0].number, kept[-1].number + 1)
        assert plain.text.startswith(kept[0].text[:20])
        assert plain.text.endswith(kept[-1].text[-20:])


def test_example_shows_the_template_and_the_turning_points():
    explanation = explain(Section(news_page("Tides", HARBOUR)), news_page("New bread", BAKERY))
    assert decision_of(explanation, "This paper is printed")[0] == "template"
    assert "other pages of the section have it too" in decision_of(explanation, "7 Market Square")[1]
    assert decision_of(explanation, BAKERY[0])[0] == "kept"
    assert "not on other pages of the section" in decision_of(explanation, BAKERY[0])[1]
    assert (explanation.curves.head, explanation.curves.tail) == explanation.body == (3, 7)
    assert explanation.curves.similarity[0] == 1 > explanation.curves.similarity[3]
    assert explanation.curves.weights[3] > 0 > explanation.curves.weights[0]
    assert [line.weight for line in explanation.lines] == list(explanation.curves.weights)
    assert explanation.root.endswith("div.story")
    assert {ground.name for ground in explanation.grounds} >= {"Surrounding match", "Probability", "Missing text"}


@pytest.mark.parametrize(("piece", "text", "decision", "reason"), rows(Path(__file__).with_name("left_out.txt")))
def test_a_piece_within_the_body_is_left_out_for_a_named_reason(piece, text, decision, reason):
    body = PROSE.replace("</p><p>", f"</p>{piece}<p>", 1)
    explanation = explain(Section(None), news_page("New bread", (), body=body))
    assert text not in explanation.result.text
    found = decision_of(explanation, text)
    assert found[0] == decision
    assert reason in found[1]


def test_a_vote_is_named_with_its_numbers():
    section = Section(news_page("Tides", HARBOUR))
    for title, paragraphs in (("Books", LIBRARY), ("Bread", BAKERY)):
        section.learn(news_page(title, (*paragraphs, "Letters about this are welcome until Friday at noon.")))
    page = news_page("Ships", ("Three ships came in on Sunday morning with coal, timber and a brass band.",) * 3)
    explanation = explain(section, page)
    assert next(ground.value for ground in explanation.grounds if ground.name == "Votes") == "3 pages"


def test_an_example_that_does_not_fit_is_named():
    explanation = explain(Section(blog_page(HARBOUR)), news_page("New bread", BAKERY))
    assert explanation.result.method == "density"
    assert any("does not fit" in ground.meaning for ground in explanation.grounds)
    assert decision_of(explanation, BAKERY[0])[0] == "kept"


def test_a_page_without_an_article_has_a_decision_for_each_line():
    links = "".join(f'<li><a href="/{n}">Story number {n} of the week</a></li>' for n in range(40))
    explanation = explain(Section(None), f"<html><title>News</title><body><ul>{links}</ul></body></html>")
    assert isinstance(explanation.result, NoArticle)
    assert len(explanation.lines) == 40
    assert not any(line.kept for line in explanation.lines)
    assert explanation.body == (0, 0)


def test_a_page_of_almost_no_text_is_refused_line_by_line():
    explanation = explain(Section(None), "<title>Hi</title><p>hello</p>")
    assert [(line.text, line.decision) for line in explanation.lines] == [("hello", "refused")]
    assert "almost no text" in explanation.lines[0].reason


def test_an_unreadable_page_is_explained_without_lines():
    explanation = explain(Section(None), b"")
    assert explanation.lines == ()
    assert "unusable" in explanation.result.reason


@pytest.mark.parametrize("method", [method for method in METHODS if method != "i-awce"])
def test_every_method_can_be_explained(method):
    explanation = explain(Section(news_page("Tides", HARBOUR), method=method), news_page("New bread", BAKERY))
    assert len(explanation.lines) == 11
    assert all(line.reason for line in explanation.lines)
    if method in comparable_methods(True) and not method.endswith("-verbatim"):
        assert decision_of(explanation, BAKERY[1])[0] == "kept"


def test_methods_to_compare_are_those_whose_answer_is_an_article():
    assert not {"auto", "list-rank", "i-awce", "example"} & {*comparable_methods(False)}
    assert "example" in comparable_methods(True)


def test_nothing_is_noted_unless_it_is_asked_for():
    assert tracing() is None
    with traced() as trace:
        assert tracing() is trace
    assert tracing() is None
    Section(None).extract(news_page("New bread", BAKERY))
    assert trace.steps == []


def test_attachments_and_captions_that_follow_the_text_are_named():
    box = "<div class=files><p>附件：<a href=/rules.pdf>Rules</a></p></div>"
    figure = "<div class=all><figure><img src=/1.jpg><figcaption>A boat</figcaption></figure></div>"
    page = news_page("New bread", (), body=PROSE)
    for following, text, decision, end in (
        (box, "附件", "kept", "follows the text"),
        (figure, "A boat", "caption", "after it"),
    ):
        explanation = explain(Section(None), page.replace('<div class="side">', f'{following}<div class="side">'))
        found, reason = decision_of(explanation, text)
        assert (found, reason.endswith(end)) == (decision, True)
