"""The sample site's articles, cut with its tasks' example pages: what a user sees of `make demo`."""

import random
from datetime import UTC, datetime

import pytest

from evaluation.sample_site import DESIGNS, EXAMPLES, SECTIONS, render_site, shingle_f1, truth
from extractors import Section
from tests.samples import sample

BASE = "https://paper.example"
FETCHED = datetime(2026, 11, 20, 9, tzinfo=UTC)
LOOKS = [(design, section) for design in DESIGNS for section in SECTIONS]


def articles(design, section):
    """Yield the extracted articles with their truth."""
    pages = render_site(BASE, design)
    example = Section(pages[EXAMPLES[section]].body, BASE + EXAMPLES[section])
    for wanted in truth(section):
        page = pages[wanted.path]
        kind = page.headers["Content-Type"]
        yield example.extract(page.body, BASE + wanted.path, content_type=kind, fetched_at=FETCHED), wanted


@pytest.mark.parametrize(("design", "section"), LOOKS)
def test_every_article_comes_out_right(design, section):
    found = 0
    for article, wanted in articles(design, section):
        found += 1
        assert shingle_f1(article.text, wanted.text) >= 0.98, wanted.path
        assert article.title == wanted.title
        assert article.published.strftime("%Y-%m-%d %H:%M") == wanted.published.strftime("%Y-%m-%d %H:%M")
        assert article.author == wanted.author
        assert article.language == section
        assert article.source == wanted.source or (design, section) != ("classic", "zh")  # others do not name it
    assert found == len(truth(section)) > 10


@pytest.mark.parametrize(("design", "section"), LOOKS)
def test_every_article_comes_out_right_whichever_recent_pages_vote(design, section):
    pages = render_site(BASE, design)
    chance = random.Random(f"{design} {section}")
    for _ in range(sample(2, 8)):
        wanted, *recent = chance.sample(truth(section), 5)
        voted = Section(pages[EXAMPLES[section]].body, BASE + EXAMPLES[section])
        for page in recent:
            voted.learn(pages[page.path].body, BASE + page.path, content_type=pages[page.path].headers["Content-Type"])
        kind = pages[wanted.path].headers["Content-Type"]
        article = voted.extract(pages[wanted.path].body, BASE + wanted.path, content_type=kind, fetched_at=FETCHED)
        assert shingle_f1(article.text, wanted.text) >= 0.95, (wanted.path, [page.path for page in recent])


def test_after_a_redesign_no_wrong_text_has_high_confidence():
    before, after = (render_site(BASE, design) for design in ("classic", "new"))
    wrong = 0
    for section, chance in (
        (section, random.Random(f"{section} {draw}")) for section in SECTIONS for draw in range(sample(1, 4))
    ):
        stories = [story for story in truth(section) if story.path != EXAMPLES[section]]
        chance.shuffle(stories)
        voted = Section(before[EXAMPLES[section]].body, BASE + EXAMPLES[section])
        for story in stories[:4]:
            page = before[story.path]
            voted.learn(page.body, BASE + story.path, content_type=page.headers["Content-Type"])
        for story in stories[4:]:
            page = after[story.path]
            article = voted.extract(page.body, BASE + story.path, content_type=page.headers["Content-Type"])
            is_wrong = shingle_f1(article.text, story.text) < 0.8
            wrong += is_wrong
            assert not (is_wrong and article.confidence >= 0.95), story.path
    assert wrong  # else this shows nothing
