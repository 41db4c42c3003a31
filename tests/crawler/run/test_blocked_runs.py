"""Runs on a site that blocks: visits of the sample site, page by page, with one worker; hours pass between them."""

from urllib.parse import urlsplit

import pytest

from benchmarks.blocked_visits import AfterBlock, Blocks, Crawl, blocked_visits
from crawler.task_list.file import loads
from evaluation.sample_site import EXAMPLES, PATTERNS, STARTS, render_site, truth
from workers.extraction_config import example_of
from workers.health.store import present_alarms
from workers.ledger import Ledger

BASE = "http://127.0.0.1:9"
KINDS = ("refused", "login", "captcha", "notice")


def sample_site():
    pages = render_site(BASE)

    def answer(url):
        parts = urlsplit(url)
        page = pages.get(parts.path)
        if page is None:
            return 404, url, "text/html", b"<html><title>404</title></html>"
        return page.status, url, page.headers.get("Content-Type", ""), page.body

    return answer


def crawl_of(connection, folder, section="en", site=None):
    keys = {"example": EXAMPLES[section], "pattern": PATTERNS[section], "start": STARTS[section]}
    lines = "".join(f"    {name}: {BASE}{value}\n" for name, value in keys.items())
    task = loads(f"tasks:\n  news:\n{lines}    every: 1h\n    output: out.jsonl\n")["news"]
    return Crawl(connection, task, site or Blocks(sample_site()), folder)


def titles_of(section):
    return {BASE + article.path: article.title for article in truth(section)}


@pytest.mark.parametrize(("section", "kind"), [*zip(["en", "en", "zh", "en"], KINDS, strict=True)])
def test_articles_are_written_once_after_three_blocked_visits(kind, section, connection, tmp_path):
    crawl, wanted = crawl_of(connection, tmp_path, section), titles_of(section)
    outcome = blocked_visits(crawl, crawl.site, kind, len(wanted) // 2, wanted)
    assert (outcome.written, outcome.lost) == (len(wanted), 0)
    assert outcome.twice <= (2 if kind == "notice" else 0)  # rows of the first notices, which have a second version
    assert "blocked" in outcome.alarms
    assert Ledger(connection, "news").counts().unaccounted == 0


def test_a_task_whose_first_visits_are_blocked_writes_all_articles_afterwards(connection, tmp_path):
    crawl, wanted = crawl_of(connection, tmp_path), titles_of("en")
    crawl.publish()
    crawl.site.kind = "notice"
    for _ in range(3):
        crawl.visit()
        crawl.pass_time(3600)
    assert example_of(connection, "news") is None
    crawl.site.kind = ""
    crawl.until_settled()
    outcome = AfterBlock.of(crawl.rows(), wanted, 0, [])
    assert (outcome.written, outcome.lost) == (len(wanted), 0)
    assert outcome.twice <= 2
    assert example_of(connection, "news").url.endswith(EXAMPLES["en"])


@pytest.mark.parametrize(("status", "target"), [(401, "/account/login"), (200, "http://other.example/?u={path}")])
def test_a_redirect_to_a_login_is_tried_again_and_named(status, target, connection, tmp_path):
    pages = sample_site()

    def site(url):
        path = urlsplit(url).path
        if not path.startswith("/en/stories/2") or path == EXAMPLES["en"]:
            return pages(url)
        there = target.format(path=path)
        url = there if there.startswith("http") else BASE + there
        return status, url, "text/html", b"<title>Members</title>Hello"

    crawl = crawl_of(connection, tmp_path, site=site)
    crawl.publish()
    crawl.visit(limit=2)
    [waiting, *_] = Ledger(connection, "news").open_urls("waiting")
    assert waiting["reason"].startswith("login: redirects to http")
    crawl.visit()
    [alarm] = present_alarms(connection)
    assert alarm.kind == "blocked"
    assert "login: redirects to" in alarm.evidence


def test_moved_articles_that_redirect_to_the_home_page_are_rejected_unless_there_are_many(connection, tmp_path):
    pages = sample_site()
    paths = [article.path for article in truth("en") if article.path != EXAMPLES["en"]]

    def crawl_with(moved, folder):
        connection.flushall()
        folder.mkdir()
        gone = {BASE + path for path in moved}
        crawl = crawl_of(connection, folder, site=lambda url: pages(BASE + "/" if url in gone else url))
        crawl.publish()
        crawl.visit()
        return [Ledger(connection, "news").state_of(BASE + path) for path in moved]

    states = crawl_with(paths[:2], tmp_path / "few")
    assert {state for state, _ in states} == {"rejected"}
    states = crawl_with(paths[:5], tmp_path / "many")
    assert {state for state, _ in states} == {"waiting"}


def test_a_list_that_is_a_block_page_is_a_failure_and_no_empty_section(connection, tmp_path):
    crawl = crawl_of(connection, tmp_path)
    crawl.publish()
    crawl.visit()
    memory = connection.hgetall("exemplar:task:news:walk")
    crawl.site.kind = "captcha"
    report = crawl.visit().report
    assert report.lists == 0
    assert any("start page" in problem for problem in report.problems)
    assert connection.hgetall("exemplar:task:news:walk") == memory
