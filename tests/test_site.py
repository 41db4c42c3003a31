"""The sample site has the articles that it says it has: other tests and the demo rely on it."""

import re
from datetime import date

import pytest

from console.sample_site import FOLDER
from crawler.task_list.file import loads
from evaluation.sample_site import (
    DESIGNS,
    ENCODINGS,
    EXAMPLES,
    PATTERNS,
    SECTIONS,
    STARTS,
    TASK_NAMES,
    render_site,
    tasks_yaml,
    truth,
)
from evaluation.sample_site.__main__ import recording

ARTICLE_PATH = {
    "zh": re.compile(r"/zh/news/\d{4}/\d{4}/\d+\.html"),
    "en": re.compile(r"/en/stories/\d{4}/\d{2}/\d{2}/[a-z-]+/"),
}


def visible(html: str) -> str:
    """The words of a page: tags and entities gone, white space dropped."""
    text = re.sub(r"<[^>]+>", "", html).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("section", SECTIONS)
def test_every_block_of_the_truth_is_on_the_articles_page(section, design):
    pages = render_site("https://g.example", design)
    for article in truth(section):
        words = visible(pages[article.path].body.decode(ENCODINGS[section]))
        assert re.sub(r"\s", "", article.title) in words
        for paragraph in article.text.split("\n"):
            unnumbered = re.sub(r"^\d+\. ", "", paragraph)  # browsers number the items of a list
            assert re.sub(r"\s", "", unnumbered) in words, (article.path, paragraph)


@pytest.mark.parametrize("section", SECTIONS)
def test_truth_is_newest_first_and_each_article_has_its_own_path(section):
    articles = truth(section)
    assert articles == tuple(sorted(articles, key=lambda article: article.published, reverse=True))
    assert len({article.path for article in articles}) == len(articles) == {"zh": 16, "en": 14}[section]
    assert all(ARTICLE_PATH[section].fullmatch(article.path) for article in articles)


def test_the_demo_serves_the_site_as_it_is() -> None:
    assert (FOLDER / "pages.jsonl").read_text("utf-8").splitlines() == list(recording())


def test_the_tasks_of_the_demo_are_those_of_the_site() -> None:
    base = "https://g.example"
    tasks = loads(tasks_yaml(base), "tasks.yaml").tasks
    for section, name in TASK_NAMES.items():
        found = tasks[name].example, str(tasks[name].pattern), *tasks[name].start_urls(date(2026, 11, 22))
        assert found == (base + EXAMPLES[section], base + PATTERNS[section], base + STARTS[section])
