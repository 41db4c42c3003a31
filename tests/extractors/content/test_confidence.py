"""Confidence: more for an article than for one that is followed by something else; the numbers on which it is based."""

import numpy as np

from extractors import Article, Section
from extractors.content.confidence import CHOSEN, NAMES, Known, known_of
from extractors.content.line_model.opinion import second_opinion
from extractors.content.line_model.trees import Trees
from extractors.content.page_body import rules_body
from extractors.learned import using

from ..pages import HARBOUR, news_page, parsed


def opinion_of(html):
    page = parsed(html, "https://paper.example/1.html")
    return page, second_opinion(page.lines, page.prior, rules_body(page.lines, page.prior))


def test_the_confidence_is_the_models_probability():
    found = Section(None).extract(news_page("Tides", HARBOUR), "https://paper.example/1.html")
    assert isinstance(found, Article)
    unsure = Trees(NAMES, np.array([[0]]), np.array([[9.0]], np.float32), np.array([[-1.0, -1.0]], np.float32), 0.0)
    with using(unsure, CHOSEN):
        less = Section(None).extract(news_page("Tides", HARBOUR), "https://paper.example/1.html")
    assert abs(less.confidence - 1 / (1 + np.e)) < 1e-6
    assert found.confidence > less.confidence


def test_the_beginning_of_the_description_is_looked_for_in_the_body():
    page, opinion = opinion_of(
        news_page("Tides", HARBOUR).replace("</head>", f'<meta name="description" content="{HARBOUR[0][:80]}"></head>')
    )
    assert known_of(page.lines, page.head, opinion.kept, 0.7) == Known(0.7, described=1)
    assert known_of(page.lines, page.head, [0], None) == Known(1.0, described=0)
