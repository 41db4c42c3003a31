"""One run of one task, without Scrapy: the fetches, and the handling of their answers.

    example (once) → list pages → links → ledger → articles → inbox

A protocol without a network, in the manner of h11: `next` returns fetches, `settle` takes the answer to a fetch. All
lasting state is in Redis: a run that is killed leaves leased URLs behind, whose leases expire. Every step raises
`redis.RedisError` if Redis is unavailable.
"""

import logging
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

import redis

from crawler.discovery.listings import ListPage
from crawler.guarding.guard import host_and_port
from crawler.politeness.host_files import HostFiles
from crawler.politeness.pace import host_of
from crawler.run.admission import Admission
from crawler.run.article_fetches import ArticleFetches, PictureFetches
from crawler.run.example_page import doubt_about
from crawler.run.fetches import Answered, ArticleFetch, ExampleFetch, Fetch, ListFetch, PictureFetch, Unanswered
from crawler.run.list_fetches import ListFetches
from crawler.run.outcomes import of_answer
from crawler.run.publishing_rate import note_visit
from crawler.run.rendering_choice import Rendering
from crawler.run.run_report import ALARM, RunBounds, RunOptions, RunReport, keep_report
from crawler.run.section_articles import SectionArticles
from crawler.run.section_lists import SectionLists
from crawler.run.spider_coordination import BACKFILL, WALK, Crew
from crawler.task_list.models import Task
from extractors.article import CHECK
from extractors.html.urls import normalise
from extractors.registry import LIST_METHODS
from workers.backpressure import Level, Marks, Pressure
from workers.extraction.block_pages import BlockPages, SentPage, mark_of
from workers.extraction_config import config_of, example_doubt, example_fetched, keep_example
from workers.health.observations import to_json
from workers.health.store import present_alarms, update_health
from workers.inbox import Inbox, StoredPage
from workers.ledger import Ledger
from workers.redis_access.epoch import EpochWatch
from workers.redis_access.redis_clock import clock_of
from workers.task_state.problems import probe_block, requeue
from workers.url_states import fingerprint

OTHERS_PAUSE = 1.0  # seconds between checks whether other spiders of the task have found more
LOSS = "Redis was restarted, replaced or emptied during the run and may have lost writes: the lists are walked again"
PRESSURE_PAUSE = 1.0  # seconds between checks whether a paused run may continue
LONG_PAUSE = 10.0  # seconds; a run that paused for less does not report it
WAITED = "too many pages waited for extraction workers, or Redis had too little memory"
BEAT_WITHIN = 0.2  # seconds of work on one list after which it is interrupted by a beat

log = logging.getLogger(__name__)


class SectionRun:
    """One run of a task. Begin it with `begin`, end it with `end`; in between call `beat` every second.

    `bounds`: by default with the clock of Redis.
    """

    def __init__(
        self,
        connection: "redis.Redis",
        task: Task,
        options: RunOptions | None = None,
        bounds: RunBounds | None = None,
        *,
        marks: Marks | None = None,
    ):
        bounds = bounds or RunBounds(now=clock_of(connection).moment)
        self._epoch = EpochWatch(connection)
        self.redis, self.task, self.options, self.bounds = connection, task, options or RunOptions(), bounds
        self.report = RunReport.begun(task.name, bounds.now())
        self.ledger = Ledger(connection, task.name)
        self.inbox = Inbox(connection)
        self.crew = Crew(connection, task.name, BACKFILL if self.options.backfill else WALK)
        self.rendering = Rendering(connection, task)
        self.admission = Admission(task, self.options, self.ledger, task.day_at(bounds.now()))
        self.articles = SectionArticles(self.report, self.admission, self.inbox, bounds)
        self.lists = SectionLists(self.report, self.admission, self.rendering, self._beat_if_due, bounds)
        self.list_fetches = ListFetches(self.lists, self.next_list, HostFiles(connection, "robots"))
        self.article_fetches = ArticleFetches(self.articles, self.rendering)
        self.pictures = PictureFetches(self.article_fetches) if task.pictures else None
        # what is fetched for workers: articles, and their pictures
        self._sides = [self.articles, *([self.pictures.articles] if self.pictures else [])]
        self.pressure = Pressure(connection, task.name, marks, clock=bounds.monotonic)
        self.unreachable = ""  # why the task's own host is closed, so that the run is to end
        self.in_flight: set[Fetch] = set()  # those that are not settled
        self._checked_example = False
        self._beat_at = bounds.monotonic()

    # -- begin and end ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Join the spiders of the task, and begin the walk if no other spider walks."""
        self.crew.join()
        if not self.crew.others:
            for side in self._sides:
                side.ledger.reclaim()  # all leases are those of spiders that died
        self.ledger.start_rechecks()
        probe_block(self.ledger)
        log.info("the run of task %s begins", self.task.name)
        if self.crew.walks:
            self.lists.begin()

    def end(self, outcome: str) -> RunReport:
        """Hand over the pages, put back open articles, store the report and leave the crew."""
        for side in self._sides:
            side.flush()
            side.put_back()
        is_whole = not self._recover()  # otherwise the next run walks through the whole archive
        self.report.end(outcome, self.bounds.now())
        walked = self.crew.walks and outcome == "finished" and is_whole
        if self.lists.walk is not None:
            self.lists.report_walk()
            if walked:
                self.lists.report_nothing_found()
            if walked and not self.options.backfill:
                self._keep_walk()
        if self.pressure.paused_for >= LONG_PAUSE:
            self.report.remarks.append(f"the run paused for {self.pressure.paused_for:.0f} s: {WAITED}")
        if self.crew.walks and (doubt := example_doubt(self.redis, self.task.name, self.task.example)):
            self.report.remarks.append(
                f"the example {self.task.example}: {doubt}; unless it is an ordinary article of the section, name "
                f"another one. `exemplar status --problems {self.task.name}` shows whether its text was left out"
            )
        self.pressure.leave()
        self._observe(walked=walked)
        keep_report(self.redis, self.report)
        self.crew.leave(walk_ended=walked)
        log.info("the run of task %s ends: %s; %d pages fetched", self.task.name, outcome, self.report.fetched)
        if walked and self._epoch.has_changed():  # Redis was lost while the end was stored
            self.lists.state.record_loss()
        return self.report

    def _keep_walk(self) -> None:
        """Store the memory of the walk, and record for the schedule how many articles were new."""
        self.lists.remember()
        if self.report.lists and not self.lists.list_yield.failed and self.options == RunOptions():
            note_visit(self.redis, self.task.name, 0 if self.lists.first else self.report.new)

    def _observe(self, *, walked: bool) -> None:
        """Note the visit for the task's health, and add its open alarms to the report.

        A back-fill, or a run that left something out at the user's request, is no evidence of the section's present
        state. `walked`: this run has read the lists to the end.
        """
        try:
            if self.options == RunOptions() and self.lists.walk is not None:
                self.ledger.observe(to_json(self.lists.observation(walked=walked)))
            update_health(self.redis, self.task.name, partial(requeue, self.ledger))
            self.report.remarks += [
                f"{ALARM}{alarm.in_words()}" for alarm in present_alarms(self.redis, [self.task.name])
            ]
        except redis.RedisError:
            raise
        except Exception:  # a defect of the program; the run has ended nevertheless
            log.exception("task %s: its health cannot be updated", self.task.name)

    # -- what to fetch ----------------------------------------------------------------------------------------------

    def next(self) -> list[Fetch]:
        """Return the fetches to start now.

        First the example alone, if it is not stored; then a few lists and some articles.

        Empty if there is nothing now: there may be more when fetches in flight are settled, or after a `pause`.
        """
        if not self._checked_example:
            self._checked_example = True
            if self.needs_example():
                return self._send([self._example()])
        if self.unreachable or self._count(ExampleFetch):
            return []
        level = self._look_at_pressure()
        if level == "pause" and self.pressure.cause == "memory":
            return []
        fetches = self._send(self.list_fetches.next(self._count(ListFetch)))
        if level == "pause":  # lists are still read, because later they may no longer show these articles
            return fetches
        is_slow = level == "slow"
        if not (self.pictures and self.pictures.are_too_many()):
            fetches += self._send(self.article_fetches.next(self._count(ArticleFetch), slowly=is_slow))
        if self.pictures:
            is_slow |= self._count(ArticleFetch) > 0
            fetches += self._send(self.pictures.next(self._count(PictureFetch), slowly=is_slow))
        return fetches

    def settle(self, fetch: Fetch, answer: Answered | Unanswered) -> list[Fetch]:
        """Take the answer to a fetch. Returns the fetches that follow: the same page again, an article's next page."""
        self.in_flight.discard(fetch)
        if isinstance(answer, Unanswered) and answer.cause == "host closed":
            self._note_closed(answer)
        further: Fetch | None = None
        match fetch:
            case ExampleFetch():
                further = self._settle_example(answer)
            case ListFetch():
                further = self.list_fetches.settle(fetch, answer)
            case PictureFetch() if self.pictures:
                further = self.pictures.settle(fetch, answer)
            case ArticleFetch():
                further = self.article_fetches.settle(fetch, answer)
        return self._send([further]) if further is not None else []

    def _send(self, fetches: Sequence[Fetch]) -> list[Fetch]:
        self.in_flight.update(fetches)
        return [*fetches]

    def _count(self, kind: type[Fetch]) -> int:
        return sum(type(fetch) is kind for fetch in self.in_flight)

    def _note_closed(self, none: Unanswered) -> None:
        """Record that a host is closed for long; if it is the task's own host, the run is to end."""
        if host_of(none.url) == host_of(self.task.example):
            where, why = host_and_port(none.url)[0], none.outcome.reason
            self.unreachable = f"{where} is closed: {why}; the rest waits for the next run"

    # -- life -------------------------------------------------------------------------------------------------------

    def beat(self) -> None:
        """Renew the place in the crew and the leases, and hand over pages that have waited."""
        self._beat_at = self.bounds.monotonic()
        self._look_at_pressure()
        walked = self.crew.walks
        is_valid = self.crew.renew()
        for side in self._sides:
            side.flush_if_due()
            if not is_valid:
                side.give_up_leases()
            side.renew()
        if not self._recover() and self.crew.walks and not walked:
            self.lists.begin()  # the spider that walked before is gone

    def _recover(self) -> bool:
        """Restart the walk if Redis may have lost writes of this run; return whether it may have."""
        if not self._epoch.has_changed():
            return False
        self._checked_example = False
        self.rendering.read_example()
        if LOSS not in self.report.remarks:
            self.report.remarks.append(LOSS)
        if self.crew.walks:
            self.lists.begin_again()
        return True

    def beat_while_full(self) -> None:
        """Renew the place in the crew and the leases while a command waits because Redis is full."""
        self.pressure.show_full()
        self.crew.renew()
        for side in self._sides:
            side.renew()

    def _look_at_pressure(self) -> Level:
        before, level = self.pressure.level, self.pressure.look(self.report.fetched)
        if level == "pause" and before != "pause":
            log.warning("task %s pauses: %s", self.task.name, self.pressure.why)
        return level

    def _beat_if_due(self) -> None:
        if self.bounds.monotonic() - self._beat_at >= BEAT_WITHIN:
            self.beat()

    def next_list(self) -> ListPage | None:
        """Return the list page to read next, if this run walks the lists."""
        return self.lists.next_page() if self.crew.walks else None

    def pause(self) -> float | None:
        """The seconds after which there may be more to fetch, 0 if there is more now; None if the run is over."""
        wait = self._pause_of_articles()
        if wait is None and self.pictures:
            for side in self._sides:
                side.flush()
            wait = self.pictures.pause()
        return wait

    def _pause_of_articles(self) -> float | None:
        if self.articles.are_enough:
            return None
        if self._recover():
            return 0.0
        if self.pressure.level == "pause" and (self.pressure.cause == "memory" or self.ledger.has_waiting()):
            return PRESSURE_PAUSE
        leased, _, due = self.ledger.pending()
        return OTHERS_PAUSE if self._others_at_work(leased) else self.articles.wait_until(due)

    def _others_at_work(self, leased: int) -> bool:
        """Whether another spider may find more, or has died with leased articles, whose leases expire soon."""
        if self.crew.others:
            return not (self.crew.walks or self.crew.walk_ended)
        return leased > self.articles.in_hand

    # -- the example ------------------------------------------------------------------------------------------------

    def needs_example(self) -> bool:
        """Whether the example has to be fetched: because there is none, it is another one, or it was not rendered.

        A run that began before another example was adopted does not fetch the former one.
        """
        if self.rendering.fits_example or not self.crew.walks:
            return False
        in_force = config_of(self.redis, self.task.name)
        return in_force is None or in_force.example == self.task.example

    def _example(self) -> Fetch:
        """Return the request for the example, rendered if articles are."""
        return ExampleFetch(self.task.example, bool(self.rendering.on))

    def _settle_example(self, answer: Answered | Unanswered) -> Fetch | None:
        """Keep the example, which decides whether articles are rendered. An empty shell is rendered."""
        if isinstance(answer, Unanswered):
            if not (self.unreachable or answer.cause == "run ending"):
                self.report_example(answer.outcome.reason)
            return None
        page = answer.page
        verdict = of_answer(answer.status, page.content_type, page.body)
        if verdict.kind != "page":
            self.report_example(verdict.reason)
        elif not self.task.pattern.match(page.url):
            reason = f"redirects to {page.url}, which does not match the pattern"
            new, old = ("{0.scheme}://{0.netloc}".format(urlsplit(url)) for url in (page.url, self.task.example))
            if new != old:
                reason += f"; if the site has moved, write {new} for {old} in example, pattern and start"
            self.report_example(reason)
        elif self.rendering.learn(page):
            return self._example()
        else:
            self.report.rendered += answer.rendered
            self.store_example(page)
        return None

    def store_example(self, page: StoredPage) -> None:
        """Store the example, and treat it as the first page of an article of the task, which is not fetched twice.

        An example that is not an article is still used for comparison, but its own text is not written. A block page is
        not stored.
        """
        rendered = bool(self.rendering.on)
        url = normalise(self.task.example)
        doubt = None if self.task.method in LIST_METHODS else doubt_about(page, has_posts=self.task.rows == "posts")
        reason = doubt.reason if doubt else ""
        sent = SentPage(fingerprint(url), url, mark_of(page.body), reason if CHECK in reason else "", example=True)
        if block := BlockPages(self.ledger).reasons([sent])[0]:
            self.report_example(block)
            return
        if self.task.articles:
            doubt, reason = None, ""
        former, _ = example_fetched(self.redis, self.task.name)
        keep_example(self.redis, self.task.name, page, self.task.example, rendered=rendered, doubt=reason)
        if former not in (None, self.task.example):
            from workers.redesign.adoption import follow_example  # here: few runs need it, and it loads numpy

            follow_example(self.ledger)
        self.rendering.read_example()
        is_new = any(self.admission.enter([(url, self.task.pattern.match(url))]))
        if doubt and doubt.is_sure and (is_new or self.ledger.waits_unaccepted(url)):
            self.ledger.settle(fingerprint(url), "rejected", f"the task's example: {reason}")
            self.report.rejected += 1
        elif is_new:
            self.article_fetches.take_first(fingerprint(url), page)

    def report_example(self, reason: str) -> None:
        """Report that the example is unavailable: until it is available, pages are extracted by the fallback."""
        advice = "if that persists, choose another one. Until then pages are extracted without it"
        self.report.problem(f"example {self.task.example}: {reason}; {advice}")
