"""The pictures of a run, answer by answer: which are fetched when, what becomes of them, and when the run is over."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from crawler.politeness.pace import HostProblem
from crawler.run import article_fetches
from crawler.run.article_fetches import EXTRACTION_PAUSE
from crawler.run.fetches import Answered, ArticleFetch, PictureFetch, Unanswered
from crawler.run.outcomes import Outcome, of_picture
from crawler.run.run_report import RunBounds, RunOptions
from crawler.run.section_articles import PATIENCE
from crawler.run.section_run import SectionRun
from crawler.run.spider_coordination import disband
from tests.crawler.clock import HandClock
from tests.crawler.run.sections import EXAMPLE, PROSE, states, task
from tests.crawler.run.test_run_protocol import answer, listed
from workers import keys
from workers.extraction.picture_keeping import want_pictures
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.redis_clock import clock_of

PNG, AVIF = b"\x89PNG\r\n\x1a\n\0\0", b"\0\0\0\x20ftypavif\0\0"
CDN = "http://cdn.example"


@pytest.fixture
def pictures(connection):
    return Ledger(connection, keys.pictures_of("news"))


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def run(connection, clock):
    """A run whose example is stored, and waits for extraction."""
    bounds = RunBounds(now=clock_of(connection).moment, monotonic=clock)
    run = SectionRun(connection, task(output="'{title}.md'", pictures="keep", concurrency=8), bounds=bounds)
    run.begin()
    [example] = run.next()
    run.settle(example, answer(EXAMPLE, PROSE))
    return run


def want(ledger, *names):
    want_pictures(ledger, {"html": "".join(f'<img src="{CDN}/{name}" alt="">' for name in names)})


def picture(fetch, body=PNG, status=200, content_type="image/png", **more):
    return Answered(status, StoredPage(fetch.url, body, content_type, datetime.now(UTC)), **more)


def test_few_pictures_are_fetched_beside_articles_and_no_article_if_too_many_wait(run, ledger, monkeypatch):
    lists = run.next()
    want(ledger, *range(20))
    articles = [fetch for fetch in listed(run, lists, *range(6, 30)) if type(fetch) is ArticleFetch]
    kinds = [type(fetch) for fetch in run.in_flight]
    assert (kinds.count(ArticleFetch), kinds.count(PictureFetch)) == (len(articles), 2)
    monkeypatch.setattr(article_fetches, "WAITING_MOST", 10)
    for fetch in articles:
        assert run.settle(fetch, Unanswered(Outcome("fail", "invalid"), fetch.url)) == []
    assert {type(fetch) for fetch in run.next()} == {PictureFetch}


def test_what_becomes_of_a_picture_and_what_the_report_says(run, ledger, pictures):
    want(ledger, *range(8))
    first = [fetch for fetch in run.next() if isinstance(fetch, PictureFetch)]
    assert len(first) == 8
    for fetch, said in zip(
        first,
        [
            picture(first[0], content_type="text/plain"),
            replace(picture(first[1]), page=StoredPage(f"{CDN}/elsewhere", AVIF, "", datetime.now(UTC))),
            picture(first[2], b"", 404),
            picture(first[3], PROSE, content_type="image/png"),
            picture(first[4], PROSE, 503),
            picture(first[5], status=429, refusal=HostProblem("http 429", 2.0, slow=True)),
            Unanswered(Outcome("again", "host closed"), first[6].url, "host closed", 60.0),
            Unanswered(Outcome("fail", "run ending"), first[7].url, "run ending"),
        ],
        strict=True,
    ):
        assert run.settle(fetch, said) == []
    run.end("finished")
    assert states(pictures) == {"waiting": 4, "fetched": 2, "rejected": 2}
    assert {one["reason"] for one in pictures.problems()} == {"http 404", "not a picture: image/png"}
    assert (run.report.rejected, run.report.later, run.report.fetched) == (0, 0, 1)


def test_a_run_waits_for_pictures_as_long_as_workers_go_on(run, ledger, clock):
    for fetch in run.next():
        run.settle(fetch, Unanswered(Outcome("reject", "http 404"), fetch.url))
    assert states(ledger) == {"fetched": 1}
    assert run.pause() == EXTRACTION_PAUSE
    clock.now += PATIENCE
    assert run.pause() == EXTRACTION_PAUSE
    clock.now += 1
    assert run.pause() is None
    want(ledger, 1)
    assert run.pause() == EXTRACTION_PAUSE
    [fetch] = [fetch for fetch in run.next() if isinstance(fetch, PictureFetch)]
    run.settle(fetch, picture(fetch))
    [name] = ledger.fetched_names(1)
    ledger.settle(name, "written", "")
    assert run.pause() is None


def test_leases_of_pictures_are_renewed_given_back_and_taken_over(connection, run, ledger, pictures):
    want(ledger, 1, 2)
    fetches = [fetch for fetch in run.next() if isinstance(fetch, PictureFetch)]
    connection.zadd(pictures.keys["leased"], {fetch.leased.fingerprint: 1.0 for fetch in fetches})
    run.beat()
    assert all(at > 1e9 for _, at in connection.zrange(pictures.keys["leased"], 0, -1, withscores=True))
    disband(connection, "news")  # as if the spider had died
    later = SectionRun(connection, run.task, RunOptions(limit=0))
    later.begin()
    assert states(pictures) == {"waiting": 2}
    again = [fetch for fetch in later.next() if isinstance(fetch, PictureFetch)]
    assert {fetch.url for fetch in again} == {fetch.url for fetch in fetches}  # whatever the limit of articles
    later.end("stopped")
    assert states(pictures) == {"waiting": 2}


@pytest.mark.parametrize("head", [PNG, AVIF, b"\xff\xd8\xff\xe1", b"GIF89a", b"RIFF\n\xff\x80\0WEBP"])
def test_the_first_bytes_tell_a_picture(head):
    assert of_picture(200, "text/html", head + bytes(range(256))).kind == "page"
    assert of_picture(200, "image/png", b" " + head).kind == "reject"
    assert of_picture(200, "image/png", b"").kind == "again"
