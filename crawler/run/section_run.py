"""One run of one task, without Scrapy: what to fetch next, and what becomes of what came.

    example (once) → list pages → links → ledger → articles → inbox

The spider asks (`lists.next_page`, `articles.lease`) and reports (`lists.read`, `articles.came` …). Everything that
must survive is in Redis: a run that is killed leaves leased URLs behind, whose leases run out.
"""

import time

import redis

from crawler.discovery.listings import ListPage
from crawler.rendering.task import Rendering
from crawler.run.admission import Admission
from crawler.run.run_report import RunOptions, RunReport, keep_report
from crawler.run.section_articles import SectionArticles
from crawler.run.section_lists import SectionLists
from crawler.run.spider_coordination import BACKFILL, WALK, Crew
from crawler.scheduling.schedule import note_visit
from crawler.tasks import Task
from extractors.html.urls import normalise
from workers.extraction_config import example_asked, keep_example
from workers.inbox import Inbox, StoredPage
from workers.ledger import Ledger
from workers.url_states import fingerprint

OTHERS_PAUSE = 1.0  # seconds between looks whether the other spiders of the task have found more
BEAT_WITHIN = 0.2  # seconds of work on one list after which it is interrupted by a beat


class SectionRun:
    """One run of a task. Begin it with `begin`, end it with `end`; in between call `beat` every second."""

    def __init__(self, connection: "redis.Redis", task: Task, options: RunOptions | None = None):
        self.redis, self.task, self.options = connection, task, options or RunOptions()
        self.report = RunReport.begun(task.name)
        self.ledger = Ledger(connection, task.name)
        self.inbox = Inbox(connection)
        self.crew = Crew(connection, task.name, BACKFILL if self.options.backfill else WALK)
        self.rendering = Rendering(connection, task)
        self.admission = Admission(task, self.options, self.ledger)
        self.articles = SectionArticles(task, self.options, self.report, self.ledger, self.inbox)
        self.lists = SectionLists(
            task, self.options, self.report, self.ledger, self.admission, self.rendering, self._beat_if_due
        )
        self._shown = time.monotonic()

    # -- begin and end ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Join the spiders of the task; whoever finds nobody walking the lists walks them."""
        self.crew.join()
        if not self.crew.others:
            self.ledger.reclaim()  # what is leased was in the hands of a spider that died
        self.ledger.visit()
        if self.crew.walks:
            self.lists.begin()

    def end(self, outcome: str) -> RunReport:
        """Flush, give back what is not done, keep the report and leave the crew."""
        self.articles.flush()
        self.articles.put_back()
        self.report.end(outcome)
        walked = self.crew.walks and outcome == "finished"
        if self.lists.walk is not None:
            self.lists.note_remarks()
            if walked:
                self.lists.note_fruitless()
            if walked and not self.options.backfill:
                self._walk_ended()
        keep_report(self.redis, self.report)
        self.crew.leave(walk_ended=walked)
        return self.report

    def _walk_ended(self) -> None:
        """Keep what the walk has learned, and tell the schedule what it brought."""
        self.lists.remember()
        if self.report.lists and not self.lists.tally.failed and self.options == RunOptions():
            note_visit(self.redis, self.task.name, 0 if self.lists.first else self.report.new)

    # -- life -------------------------------------------------------------------------------------------------------

    def beat(self) -> None:
        """Sign of life: keeps our place and our leases, and hands in pages that have waited a second."""
        self._shown = time.monotonic()
        self.articles.flush_if_due()
        walked = self.crew.walks
        if not self.crew.live():
            self.articles.give_up_leases()
        self.articles.renew()
        if self.crew.walks and not walked:
            self.lists.begin()  # who walked before us is gone

    def _beat_if_due(self) -> None:
        if time.monotonic() - self._shown >= BEAT_WITHIN:
            self.beat()

    def next_list(self) -> ListPage | None:
        """The list page to read next, if it is this run that walks the lists."""
        return self.lists.next_page() if self.crew.walks else None

    def pause(self) -> float | None:
        """Seconds after which there may be more to do, if that is worth waiting for; None if the run is over."""
        if self.articles.are_enough:
            return None
        return OTHERS_PAUSE if self._others_at_work() else self.articles.next_due()

    def _others_at_work(self) -> bool:
        """Whether another spider may bring more, or has died with articles in hand whose leases run out soon."""
        if self.crew.others:
            return not (self.crew.walks or self.crew.walk_ended)
        return self.ledger.counts().states["leased"] > self.articles.in_hand

    # -- the example ------------------------------------------------------------------------------------------------

    def needs_example(self) -> bool:
        """Whether the example has to be fetched: never yet, the task names another one now, or it came another way."""
        fits = example_asked(self.redis, self.task.name) == self.task.example and self.rendering.fits_example
        return self.crew.walks and not fits

    def example_came(self, page: StoredPage) -> None:
        """Keep the example, and take it as an article of the task: it has been fetched, so it need not be again."""
        rendered = bool(self.rendering.on)
        keep_example(self.redis, self.task.name, page, self.task.example, rendered=rendered)
        url = normalise(self.task.example)
        if any(self.admission.enter([(url, self.task.pattern.match(url))])):
            self.articles.hand_in(fingerprint(url), page, 200)
            self.articles.flush()  # before it could be leased

    def example_failed(self, reason: str) -> None:
        """Go on without an example: pages are cut by the fallback until there is one."""
        self.report.problem(
            f"example {self.task.example}: {reason}; if it stays so name another. Until then pages are cut without it"
        )
