"""When the line model changes a body: tiny models that say what the test wants, on pages of a few lines."""

from dataclasses import replace

import numpy as np
import pytest

from extractors.content.line_model.context import LineModel
from extractors.content.line_model.expected_f1 import expected, likeliest
from extractors.content.line_model.line_columns import NAMES, NAMES_OF_ANY_KIND, flags_of
from extractors.content.line_model.opinion import CHOSEN, SURE, SWITCH, second_opinion, without_lone_headings
from extractors.content.line_model.trees import Trees
from extractors.content.page_body import rules_body
from extractors.learned import using

from ...pages import BAKERY, HARBOUR, LIBRARY, news_page, parsed

TEXTS = [*HARBOUR, *BAKERY, *LIBRARY]


def model(feature, limit, below, above, names=NAMES):
    """Return a model that gives `above` (log odds) to lines whose feature is more than `limit`, else `below`."""
    features, thresholds = np.array([[names.index(feature)]]), np.array([[limit]], np.float32)
    return LineModel(Trees(names, features, thresholds, np.array([[below, above]], np.float32), 0.0))


def opinion_of(page, kept, trees):
    lines, prior = page.lines, page.prior
    with using((trees, trees), CHOSEN):
        return second_opinion(lines, prior, replace(rules_body(lines, prior), kept=kept))


def test_a_model_that_agrees_with_the_rules_changes_nothing():
    page = parsed(news_page("Tides", TEXTS))
    kept = rules_body(page.lines, page.prior).kept
    assert opinion_of(page, kept, model("kept", 0.5, -2.0, 2.0)).kept == kept


def test_pages_that_are_no_articles_have_a_model_of_their_own():
    page = parsed(news_page("Tides", TEXTS))
    rules = rules_body(page.lines, page.prior)
    with using((model("kept", 0.5, -2.0, 2.0), model("width", 0.0, -2.0, 2.0)), CHOSEN):
        assert second_opinion(page.lines, page.prior, rules).kept == rules.kept
        assert second_opinion(page.lines, page.prior, rules, kinds={}).kept == list(range(len(page.lines)))


@pytest.mark.parametrize(("kinds", "body"), [({"product": 0.9}, True), ({"service": 0.9}, False), ({}, False)])
def test_the_model_of_any_kind_knows_the_kinds_of_the_page(kinds, body):
    page = parsed(news_page("Tides", TEXTS))
    rules = rules_body(page.lines, page.prior)
    with using((model("kept", 0.5, -2.0, 2.0), model("kind_product", 0.5, -2.0, 2.0, NAMES_OF_ANY_KIND)), CHOSEN):
        opinion = second_opinion(page.lines, page.prior, rules, kinds=kinds)
    assert ((opinion.chance > 0.5) == body).all()


def test_the_likeliest_lines_promise_the_highest_expected_f1():
    draw = np.random.default_rng(1)
    for _ in range(50):
        chance, width = draw.random(8).astype("f4"), (1 + 99 * draw.random(8)).astype("f4")
        subsets = (np.array([number >> line & 1 for line in range(8)], bool) for number in range(1, 256))
        assert (
            expected(chance, width, likeliest(chance, width))
            >= max(expected(chance, width, lines) for lines in subsets) - 1e-6
        )
    assert not likeliest(chance[:0], width[:0]).any()


def test_lines_that_the_model_is_sure_of_leave():
    page = parsed(news_page("Tides", TEXTS))
    kept = rules_body(page.lines, page.prior).kept
    longest = max(page.lines.width[kept])
    limit = np.log1p(float(longest)) - 0.001
    changed = opinion_of(page, kept, model("width", limit, 1.0, -9.0)).kept
    assert set(kept) - set(changed) == {line for line in kept if page.lines.width[line] == longest}


def test_a_body_that_promises_much_more_replaces_the_rules():
    page = parsed(news_page("Tides", TEXTS))
    prose = [line for line, text in enumerate(page.lines.texts) if text in TEXTS and len(text) > 80]
    one = opinion_of(page, prose[:1], model("width", np.log1p(80), -9.0, 2.0))
    assert set(prose) <= set(one.kept)
    assert one.expected(one.kept) - one.expected(prose[:1]) > SWITCH


def test_lines_below_the_limit_stay_as_they_are():
    assert SURE > 0.5
    page = parsed(news_page("Tides", TEXTS))
    kept = rules_body(page.lines, page.prior).kept
    likely = float(np.log(SURE / (1 - SURE))) - 0.1
    assert opinion_of(page, kept[:-1], model("kept", 0.5, likely - 2, likely)).kept == kept[:-1]


def test_a_heading_of_other_articles_needs_text_after_it():
    page = parsed(news_page("Tides", [*TEXTS[:2], "Related articles", "An older one", *TEXTS[2:]]))
    heading = page.lines.texts.index("Related articles")
    kept = [heading - 1, heading, heading + 1, heading + 2]
    assert opinion_of(page, kept, model("kept", 0.5, -1.0, 1.0)).kept == kept
    kept.remove(heading + 1)
    assert opinion_of(page, kept, model("kept", 0.5, -1.0, 1.0)).kept == [heading - 1, heading + 2]
    alone = flags_of([heading], len(page.lines))
    assert without_lone_headings(alone, page.lines.texts).tolist() == alone.tolist()


@pytest.mark.parametrize(
    ("kinds", "stays"), [(None, False), ({"article": 0.6, "product": 0.4}, False), ({"product": 0.9}, True)]
)
def test_words_of_the_template_that_the_model_adds_to_an_article_leave(kinds, stays):
    page = parsed(news_page("Tides", ["By Ada Miller", *TEXTS, "Advertisement", TEXTS[0], "责任编辑：王小明"]))
    rules = rules_body(page.lines, page.prior)
    template = {page.lines.texts.index(text) for text in ("By Ada Miller", "Advertisement", "责任编辑：王小明")}
    assert not template & {*rules.kept}
    with using((model("width", 0.0, -2.0, 2.0),) * 2, CHOSEN):
        kept = second_opinion(page.lines, page.prior, rules, kinds=kinds).kept
    assert (template <= {*kept}) is stays


@pytest.mark.parametrize("agree", [True, False])
def test_posts_decide_where_the_body_differs_from_them(agree):
    page = parsed(news_page("Tides", TEXTS))
    rules = rules_body(page.lines, page.prior)
    posts = flags_of(rules.kept if agree else rules.kept[:2], len(page.lines))
    with using((model("kept", 0.5, -4.0, -1.0),) * 2, CHOSEN):
        alone, opinion = (second_opinion(page.lines, page.prior, rules, kinds={}, posts=each) for each in (None, posts))
    assert alone.kept == rules.kept
    assert opinion.kept == np.flatnonzero(posts).tolist()
    assert (opinion.chance.max() >= SURE) is not agree
