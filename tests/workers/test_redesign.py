"""A redesign as workers see it: pages of another template are noted, a new example is proposed, adopted, and the gap
between the two is extracted again. Pages are those of the sample site in its two designs."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from console.sample_site import render_site, shingle_f1, truth
from console.sample_site.tasks import EXAMPLES
from workers import keys
from workers.adoption import adopt
from workers.errors import ExemplarError
from workers.extraction_config import ExtractionConfig, example_of, keep_example
from workers.extraction_worker import ExtractionWorker
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.low_scorers import LowScorers
from workers.page_store import StoredPage
from workers.proposals import dismiss, proposal_of
from workers.recent_pages import section_pages
from workers.url_states import Found, fingerprint

from .helpers import FETCHED_AT, rows

SITE = "http://paper.example"
HIGH = 0.9  # confidence
TASK = "paper"


class Section:
    """A section of the sample site whose pages come in, by the place of their articles, oldest first."""

    def __init__(self, connection, folder, clock, section="en", **config):
        self.redis, self.folder, self.clock = connection, folder, clock
        self.articles = list(reversed(truth(section)))
        self.designs = {design: render_site(SITE, design) for design in ("classic", "new")}
        self.worker = ExtractionWorker(connection, "here", clock=clock)
        self.ledger = Ledger(connection, TASK, clock=clock)
        self.example = EXAMPLES[section]
        kind = "text/html; charset=utf-8" if section == "en" else "text/html"
        self.kind = kind
        config = ExtractionConfig(
            TASK, SITE + self.example, r"http://paper\.example/(en|zh)/.+", ("out.jsonl",), str(folder), **config
        )
        connection.hset(keys.CONFIGS, TASK, config.to_json())
        connection.hset(keys.TASKS, TASK, json.dumps({"example": config.example}))
        page = StoredPage(config.example, self.designs["classic"][self.example].body, kind, FETCHED_AT)
        keep_example(connection, TASK, page, config.example, clock=clock)

    def come(self, design, places, **info):
        """Let pages come in as from a spider and be extracted, two in a job."""
        for start in range(0, len(places), 2):
            self._come(design, places[start : start + 2], info)

    def _come(self, design, places, info):
        urls = [SITE + self.articles[place].path for place in places]
        self.ledger.add([Found(url, info=info) for url in urls])
        self.ledger.lease(100)
        pages = {
            fingerprint(url): StoredPage(
                url, self.designs[design][url.removeprefix(SITE)].body, self.kind, datetime.now(UTC)
            )
            for url in urls
        }
        Inbox(self.redis, clock=self.clock).deliver(self.ledger, pages)
        self.worker.extract_pages(TASK, list(pages))

    def work(self):
        """Extract what was handed in by an adoption."""
        names = [name.decode() for name in self.redis.zrange(keys.of_task(TASK, "fetched"), 0, -1)]
        self.worker.extract_pages(TASK, names)
        return names

    def f1(self, row):
        article = next(article for article in self.articles if row["url"] == SITE + article.path)
        return shingle_f1(row["text"], article.text)


@pytest.fixture(params=["en", "zh"])
def section(request, connection, tmp_path, clock):
    section = Section(connection, tmp_path, clock, request.param)
    yield section
    section.worker.close()


def test_after_a_redesign_a_new_example_is_proposed_and_adopted_and_the_gap_is_extracted_again(section):
    section.come("classic", range(6))
    assert not LowScorers(section.redis, TASK).count()
    section.come("new", range(6, 12))
    before = rows(section.folder)
    assert all(row["confidence"] < HIGH for row in before[6:])
    assert all(section.f1(row) >= 0.9 for row in before if row["confidence"] >= HIGH)

    proposal = proposal_of(section.redis, TASK)
    assert (proposal.state, proposal.cluster) == ("proposed", 4)
    assert proposal.url in {SITE + article.path for article in section.articles[6:12]}
    assert proposal.test.lost == 0
    old, new = proposal.test.fitting()
    assert new > old

    adopted = adopt(section.redis, TASK, clock=section.clock)
    assert (adopted.state, adopted.gap.stored, adopted.gap.to_fetch) == ("adopted", 6, 0)
    assert example_of(section.redis, TASK).page.url == proposal.url
    assert json.loads(section.redis.hget(keys.TASKS, TASK))["example"] == proposal.url
    [former] = section_pages(section.redis, TASK).recent
    assert (former.url, former.former) == (SITE + section.example, True)

    assert len(section.work()) == 6
    again = rows(section.folder)[12:]
    assert [(row["version"], round(section.f1(row), 2) >= 0.99) for row in again] == [(2, True)] * len(again)
    unchanged = {row["url"] for row in before[6:]} - {row["url"] for row in again}
    assert all(section.f1(row) >= 0.99 for row in before if row["url"] in unchanged)
    assert section.ledger.counts().states["written"] == 12
    assert section.ledger.counts().unaccounted == 0
    assert not LowScorers(section.redis, TASK).count()

    section.come("new", [12])
    section.come("classic", [13])  # an old page that was not seen before
    later = rows(section.folder)[12 + len(again) :]
    assert [section.f1(row) >= 0.99 for row in later] == [True, True]
    assert all(row["confidence"] > 0.9 or len(row["text"].encode()) < 300 for row in later)
    with pytest.raises(ExemplarError, match="adopted already"):
        adopt(section.redis, TASK, clock=section.clock)


def test_a_task_may_adopt_by_itself_or_look_for_no_example(connection, tmp_path, clock):
    section = Section(connection, tmp_path, clock, redesign="adopt")
    section.come("classic", range(6))
    section.come("new", range(6, 10))
    proposal = proposal_of(connection, TASK)
    assert (proposal.state, proposal.problem) == ("adopted", "")
    assert len(section.work()) == 4
    section.worker.close()
    connection.flushall()
    section = Section(connection, tmp_path, clock, redesign="ignore")
    section.come("classic", range(6))
    section.come("new", range(6, 12))
    assert proposal_of(connection, TASK) is None
    assert not LowScorers(connection, TASK).count()
    section.worker.close()


def test_a_dismissed_proposal_does_not_come_back(connection, tmp_path, clock):
    section = Section(connection, tmp_path, clock)
    section.come("classic", range(6))
    section.come("new", range(6, 10))
    dismiss(connection, proposal_of(connection, TASK), now=clock())
    section.come("new", range(10, 14))
    assert proposal_of(connection, TASK).state == "dismissed"
    section.worker.close()


def test_after_the_older_template_of_an_archive_is_adopted_both_are_known(connection, tmp_path, clock):
    section = Section(connection, tmp_path, clock, redesign="adopt")
    section.come("classic", range(13, 7, -1))
    section.come("new", range(5))  # older articles, in an older template
    section.work()
    section.come("new", range(5, 7))
    section.come("classic", [7])
    newest = {row["url"]: row for row in rows(tmp_path)}
    assert len(newest) == 14
    assert all(section.f1(row) >= 0.8 for row in newest.values())
    section.worker.close()


def test_pages_of_a_back_fill_are_no_redesign(connection, tmp_path, clock):
    section = Section(connection, tmp_path, clock)
    section.come("classic", range(6))
    section.come("new", range(6, 12), days=["2020-01-01", "2030-01-01"])
    assert not LowScorers(connection, TASK).count()
    section.worker.close()


def test_notices_are_no_new_template(connection, tmp_path, clock):
    section = Section(connection, tmp_path, clock)
    section.come("classic", range(6))
    notice = "".join(f"<p>Our readers are asked to wait for a while, number {n} in the queue.</p>" for n in range(30))
    body = f"<html><head><title>Wait</title></head><body><div>{notice}</div></body></html>".encode()
    for article in section.articles[6:12]:
        section.designs["new"][article.path] = section.designs["new"][article.path]._replace(body=body)
    section.come("new", range(6, 12))
    assert proposal_of(connection, TASK) is None
    section.worker.close()


def test_low_scorers_are_bounded(connection, clock):
    from workers.low_scorers import LowNote, LowScorer

    low = LowScorers(connection, TASK, clock=clock, pages_kept=3, notes_kept=5, tasks_kept=2)
    for number in range(10):
        clock.forward(1)
        page = StoredPage(f"{SITE}/{number}", b"x" * 100, "text/html", FETCHED_AT)
        low.note([LowScorer(fingerprint(page.url), LowNote(page.url, clock(), "written"), page)])
    assert [note.url for note in low.notes().values()] == [f"{SITE}/{number}" for number in range(5, 10)]
    assert [page.url for page in low.pages().values()] == [f"{SITE}/{number}" for number in range(7, 10)]
    for task in ("b", "c"):
        clock.forward(1)
        LowScorers(connection, task, clock=clock, tasks_kept=2).note(
            [LowScorer("0123456789abcdef", LowNote(SITE, clock(), "written"))]
        )
    assert low.count() == 0
    clock.forward(timedelta(days=31).total_seconds())
    LowScorers(connection, "b", clock=clock).note([LowScorer("1", LowNote(SITE, clock(), "written"))])
    assert LowScorers(connection, "b").count() == 1
