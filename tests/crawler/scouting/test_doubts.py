"""What a person is told to look at again, and the article that a person insists on; on invented sites in memory."""

import asyncio
from collections.abc import Callable
from datetime import date

import pytest

from crawler.patterns.pattern import Pattern
from crawler.scouting.doubts import about_year
from crawler.scouting.sample_extractions import NoSection
from crawler.scouting.survey import Survey, survey
from crawler.scouting.trial import Trial, trial
from crawler.task_list.models import Task
from tests.crawler.invented import HOST, Site, article, listing, menu, page, title_of
from tests.extractors.threads import ENGINES, THREAD, TITLE

NAV = menu("/", "/news/", "/about/")
NEWS = [(f"/news/{n + 400}.html", n) for n in range(16)]


def news(nav: str = NAV) -> dict[str, bytes]:
    pages = {path: article(n, nav, "<a href='/news/'>News</a>") for path, n in NEWS}
    return pages | {"/news/": listing(nav, NEWS), "/": listing(nav, NEWS[:3])}


def look(pages: dict[str, bytes], path: str, *, insist: bool = False) -> Survey:
    return asyncio.run(survey(Site(pages).fetch, HOST + path, "auto", insist))


def tried(pages: dict[str, bytes], **keys: object) -> Trial:
    said = {"example": HOST + NEWS[3][0], "pattern": "/news/{id}.html", "start": f"{HOST}/news/"}
    task = Task.model_validate({"name": "news", "every": "1h", "output": "a.jsonl", **said, **keys})
    return asyncio.run(trial(Site(pages).fetch, task, date(2026, 11, 30)))


def digest(number: int) -> bytes:
    """A page of links to other sites."""
    links = "".join(f"<li><a href='https://far{n}.example/{number}'>{title_of(n)}</a></li>" for n in range(14))
    return page(f"Links of week {number}", f"{NAV}<h1>Links of week {number}</h1><ul>{links}</ul>")


def notice(number: int) -> bytes:
    return page(f"Notice {number}", f"{NAV}<h1>Notice {number}</h1><p>The office is closed on day {number}.</p>")


def all_of(make: Callable[[int], bytes]) -> dict[str, bytes]:
    return news() | {path: make(n) for path, n in NEWS}


# -- an article that a person insists on


@pytest.mark.parametrize("make", [digest, notice])
def test_a_page_that_looks_like_a_list_is_refused_with_reasons_and_the_way_out(make: Callable[[int], bytes]) -> None:
    with pytest.raises(NoSection, match=r"is a list page, not an article \(.+\); .*--article"):
        look(all_of(make), NEWS[3][0])


@pytest.mark.parametrize("make", [digest, notice])
def test_a_page_that_a_person_insists_on_is_the_example(make: Callable[[int], bytes]) -> None:
    found = look(all_of(make), NEWS[3][0], insist=True)
    assert found.pattern == f"{HOST}/news/{{id}}.html"
    assert found.sample_of_example.characters
    assert len(found.samples) == 3
    assert all(sample.characters for sample in found.samples)
    [doubt] = [warning for warning in found.warnings if "as requested" in warning]
    assert "is a list page, not an article (" in doubt


@pytest.mark.parametrize("engine", ["discourse", "phpbb"])
def test_posts_of_a_thread_are_named_with_the_key_for_them(engine: str) -> None:
    threads = {path: ENGINES[engine](THREAD).replace(TITLE, title_of(n)).encode() for path, n in NEWS}
    warnings = look(news() | threads, NEWS[3][0], insist=True).warnings
    assert "the example is a thread with 6 posts; add `rows: posts` to the task for a row for each post" in warnings
    assert not any("posts" in warning for warning in look(news(), NEWS[3][0]).warnings)


def test_siblings_without_text_are_told_where_a_person_insists() -> None:
    pages = news()
    for path, _ in NEWS[:3] + NEWS[4:]:
        pages[path] = page("", "")
    with pytest.raises(NoSection, match="the pages with similar URLs are not articles"):
        look(pages, NEWS[3][0])
    assert any("the pages with similar URLs" in warning for warning in look(pages, NEWS[3][0], insist=True).warnings)


# -- what the example looks like


def test_an_example_that_looks_like_a_list_is_told_by_a_trial() -> None:
    found = tried(all_of(digest))
    assert any("the example looks like a list (" in each for each in found.warnings)


# -- titles


def test_titles_that_are_all_the_same_are_told() -> None:
    pages = news()
    for path, n in NEWS:
        shown = pages[path].replace(f"<h1>{title_of(n)}</h1>".encode(), b"")
        pages[path] = shown.replace(f"<title>{title_of(n)}".encode(), b"<title>The Town Paper")
    for warnings in (look(pages, NEWS[3][0]).warnings, tried(pages).warnings):
        assert any("the same title, “The Town Paper”" in each for each in warnings), warnings


# -- links that are left out


TAGGED = "".join(f"<a href='{path}'>{title_of(n)}</a><a href='/tags/{n}.html'>Sea</a>" for path, n in NEWS)
REPORTS = [(f"/report/r{n}/{n}.html", n + 40) for n in range(8)]  # in another folder, unavailable at the moment


def mixed() -> dict[str, bytes]:
    """A list of news on which every other link is a report."""
    shown = [link for pair in zip(NEWS[:8], REPORTS, strict=True) for link in pair] + NEWS[8:]
    return news() | {"/news/": listing(NAV, shown)}


def test_alike_links_among_the_articles_that_are_left_out_are_told_with_two_of_them() -> None:
    pages = mixed()
    for warnings in (look(pages, NEWS[3][0]).warnings, tried(pages).warnings):
        [told] = [warning for warning in warnings if "with similar URLs, do not match the pattern" in warning]
        assert told.startswith("8 links among the articles")
        assert f"{HOST}{REPORTS[0][0]} and {HOST}{REPORTS[1][0]}; if they are articles" in told


def test_alike_links_above_the_articles_are_told_unless_their_texts_are_short() -> None:
    """A site that has changed its URLs lists the new ones first."""
    pages = news() | {"/news/": listing(NAV, [*REPORTS, *NEWS])}
    assert any(f"such as {HOST}{REPORTS[0][0]}" in warning for warning in tried(pages).warnings)
    menu = "".join(f"<a href='{path}'>Sea {n}</a>" for path, n in REPORTS)
    pages = news() | {"/news/": listing(NAV + menu, NEWS)}
    assert not any("do not match the pattern" in warning for warning in tried(pages).warnings)


@pytest.mark.parametrize(
    "shown",
    [listing(NAV, [*NEWS, *REPORTS]), listing(NAV, [*NEWS[:8], *REPORTS[:3], *NEWS[8:]]), page("News", NAV + TAGGED)],
    ids=["beside the articles", "few", "short texts"],
)
def test_other_links_on_the_list_are_no_doubt(shown: bytes) -> None:
    assert tried(news() | {"/news/": shown}).warnings == ()


def test_lists_that_the_task_follows_are_no_doubt() -> None:
    assert tried(mixed(), follow=f"{HOST}/report/**").warnings == ()


# -- years


@pytest.mark.parametrize(
    ("pattern", "example"),
    [
        ("/{slug}", "/review-2022"),
        ("/thread-{id}-1", "/thread-2022-1"),
    ],
)
def test_other_numbers_and_years_in_a_slug_are_no_doubt(pattern: str, example: str) -> None:
    assert about_year(HOST + example, Pattern.parse(HOST + pattern)) is None


def test_siblings_that_differ_in_a_year_only_are_told() -> None:
    shown = [(f"/news/review-{2010 + n}", n) for n in range(9)]
    pages = {path: article(n, NAV, "<a href='/news/'>News</a>") for path, n in shown}
    found = look(pages | {"/news/": listing(NAV, shown), "/": listing(NAV, shown[:3])}, "/news/review-2013")
    assert found.pattern == f"{HOST}/news/review-{{id}}"
    assert any("2013 in review-2013 is read as an {id}" in each for each in found.warnings)
