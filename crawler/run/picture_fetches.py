"""The fetches of pictures that a task keeps (`pictures: keep`): workers name them, and store what is fetched here.

They have the attempts, pauses and leases of articles, in a ledger of their own. While articles are fetched, few
pictures are. A run ends when no more are expected: workers have extracted its pages, or do not continue with them.
"""

from dataclasses import replace

from crawler.run.admission import Admission
from crawler.run.article_fetches import ArticleFetches
from crawler.run.fetches import Answered, ArticleFetch, PictureFetch
from crawler.run.outcomes import of_picture
from crawler.run.run_report import RunOptions, RunReport
from crawler.run.section_articles import PATIENCE, SectionArticles
from workers import keys
from workers.ledger import Ledger
from workers.url_states import Leased

WAITING_MOST = 10_000  # pictures that may wait until no more articles are fetched; 300 bytes each
EXTRACTION_PAUSE = 0.5  # seconds between checks whether pages were extracted


class PictureFetches(ArticleFetches):
    """The requests of one run for pictures. `fetches`: those for the articles that show them."""

    def __init__(self, fetches: ArticleFetches):
        pages = fetches.articles
        self.pages, self.ledger = pages.ledger, Ledger(pages.ledger.redis, keys.pictures_of(pages.task.name))
        admission = Admission(pages.task, RunOptions(), self.ledger, pages.bounds.now().date())
        pictures = SectionArticles(replace(pages.report), admission, pages.inbox, pages.bounds)
        super().__init__(pictures, fetches.rendering)
        self._extracting = (0, 0.0)  # pages that wait for extraction, and since when there are so many

    def _first_fetch(self, leased: Leased) -> ArticleFetch:
        return PictureFetch(leased.url, leased=leased)

    def _settle_answered(self, fetch: ArticleFetch, answer: Answered) -> None:
        """Take a response. Pictures are handed over; what is none is rejected, so that it is not fetched again."""
        leased, page = fetch.leased, answer.page
        verdict = of_picture(answer.status, page.content_type, page.body)
        if verdict.kind == "page":
            self.articles.hand_in(leased.fingerprint, page)
        else:
            self._settle_without_page(leased, verdict, answer)

    def are_too_many(self) -> bool:
        """Whether so many pictures wait that no article is to be fetched, which would name more."""
        return self.ledger.waiting(float("-inf")) > WAITING_MOST

    def pause(self) -> float | None:
        """The seconds after which there may be more pictures to fetch; None if none are expected."""
        now, waiting = self.articles.bounds.monotonic(), self.pages.counts().states["fetched"]
        if waiting != self._extracting[0]:
            self._extracting = (waiting, now)
        is_expected = bool(waiting) and now - self._extracting[1] <= PATIENCE
        if is_expected or self.ledger.has_waiting():
            return EXTRACTION_PAUSE
        _, _, due = self.ledger.pending()
        return self.articles.wait_until(due)

    def note_missing(self, report: RunReport) -> None:
        """Add a remark to the report of the run if pictures were not fetched."""
        own = self.articles.report
        if (lost := own.rejected + own.failed) or own.later:
            report.remarks.append(
                f"pictures: {own.fetched} fetched, {lost} unavailable, {own.later} to be tried again; for the reasons: "
                f"exemplar status --problems {self.ledger.task}"
            )
