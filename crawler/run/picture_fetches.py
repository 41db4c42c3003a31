"""The fetches of pictures that a task keeps (`pictures: keep`): workers name them, and store what is fetched here.

They have the attempts, pauses and leases of articles, in a ledger of their own. While articles are fetched, few
pictures are. A run ends when no more are expected: workers have extracted its pages, or do not continue with them.
"""

from dataclasses import replace

import redis

from crawler.run.admission import Admission
from crawler.run.article_fetches import ArticleFetches
from crawler.run.fetches import Answered, ArticleFetch, PictureFetch
from crawler.run.outcomes import of_picture
from crawler.run.rendering_choice import Rendering
from crawler.run.run_bounds import RunBounds
from crawler.run.run_report import RunOptions, RunReport
from crawler.run.section_articles import PATIENCE, SectionArticles
from crawler.task_list.models import Task
from workers import keys
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.url_states import Leased

WAITING_MOST = 10_000  # pictures that may wait until no more articles are fetched; 300 bytes each
EXTRACTION_PAUSE = 0.5  # seconds between checks whether pages were extracted


class PictureFetches(ArticleFetches):
    """The requests of one run for pictures. `pages`: the ledger of the task."""

    def __init__(
        self, connection: "redis.Redis", task: Task, pages: Ledger, inbox: Inbox, report: RunReport, bounds: RunBounds
    ):
        ledger = Ledger(connection, keys.pictures_of(task.name))
        admission = Admission(task, RunOptions(), ledger, bounds.now().date())
        own = replace(RunReport.begun(task.name, bounds.now()), id=report.id)
        super().__init__(SectionArticles(own, admission, inbox, bounds), Rendering(connection, task))
        self.pages, self.ledger = pages, ledger
        self._extracting = (0, bounds.monotonic())  # pages that wait for extraction, and since when there are so many

    def _first_fetch(self, leased: Leased) -> ArticleFetch:
        return PictureFetch(leased.url, leased=leased)

    def _settle_answered(self, fetch: ArticleFetch, answer: Answered) -> None:
        """Take a response. Pictures are handed over; what is none is rejected, so that it is not fetched again."""
        leased, page = fetch.leased, answer.page
        verdict = of_picture(answer.status, page.content_type, page.body)
        if verdict.kind == "page":
            self.articles.hand_in(leased.fingerprint, page)
        elif verdict.kind == "reject":
            self.articles.reject(leased, verdict.reason)
        elif answer.refusal is not None:
            self._postpone_refused(leased, answer.refusal.why, answer.refusal.rest)
        else:
            self.articles.fail(leased, verdict.reason, passing=verdict.kind == "again")

    def are_too_many(self) -> bool:
        """Whether so many pictures wait that no article is to be fetched, which would name more."""
        return self.ledger.waiting(float("-inf")) > WAITING_MOST

    def pause(self) -> float | None:
        """The seconds after which there may be more pictures to fetch; None if none are expected."""
        waiting, (before, since) = self.pages.counts().states["fetched"], self._extracting
        now = self.articles.bounds.monotonic()
        if waiting != before:
            self._extracting = (waiting, now)
        elif now - since > PATIENCE:
            waiting = 0
        if waiting or self.ledger.has_waiting():
            return EXTRACTION_PAUSE
        return self.articles.next_due()

    def remark(self) -> str:
        """Return what became of the pictures, for the report of the run; empty if none were fetched."""
        report = self.articles.report
        lost = report.rejected + report.failed
        if not (lost or report.fetched or report.later):
            return ""
        told = f"pictures: {report.fetched} fetched, {lost} unavailable, {report.later} to be tried again"
        return f"{told}: exemplar status --problems {self.ledger.task}" if lost or report.later else told
