"""The fetches of articles and of pictures: which are next, and the consequences of answers.

An article has one request at a time. Pictures are those that a task keeps (`pictures: keep`): workers name them, and
store what is fetched here. They have the attempts, pauses and leases of articles, in a ledger of their own. While
articles are fetched, few pictures are. A run ends when no more are expected: workers have extracted its pages, or do
not continue with them.
"""

from collections import Counter
from dataclasses import replace

from crawler.discovery.article_pages import ArticlePages
from crawler.politeness.pace import host_of
from crawler.run.admission import Admission
from crawler.run.fetches import Answered, ArticleFetch, PictureFetch, Unanswered
from crawler.run.outcomes import Outcome, is_login, of_answer, of_picture
from crawler.run.rendering_choice import TABS, Rendering
from crawler.run.run_report import RunOptions
from crawler.run.section_articles import PATIENCE, SectionArticles
from workers import keys
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.url_states import Fingerprint, Leased

SLOW_SHARE = 4  # a slow spider has this many times fewer articles in flight
REFUSALS_UNCOUNTED = 3  # refusals of an article in one run that do not count as attempts; later ones do
WAITING_MOST = 10_000  # pictures that may wait until no more articles are fetched; 300 bytes each
EXTRACTION_PAUSE = 0.5  # seconds between checks whether pages were extracted


class ArticleFetches:
    """The requests of one run for articles, `concurrency` at a time."""

    def __init__(self, articles: SectionArticles, rendering: Rendering):
        self.task, self.articles, self.rendering = articles.task, articles, rendering
        self._refusals: Counter[str] = Counter()  # by article: the number of responses for too many requests
        self._first_pages: dict[Fingerprint, StoredPage] = {}  # of waiting articles; see `take_first`

    def next(self, in_flight: int, *, slowly: bool = False) -> list[ArticleFetch]:
        """Return the next articles, several together when there is capacity. `slowly`: only some of them at a time."""
        at_once = max(1, self.task.concurrency // SLOW_SHARE) if slowly else self.task.concurrency
        if self.rendering.renders():
            at_once = min(at_once, TABS)
        free = at_once - in_flight
        if free < max(1, at_once // 4):
            return []
        return [self._first_fetch(leased) for leased in self.articles.lease(free)]

    def take_first(self, name: Fingerprint, page: StoredPage) -> None:
        """Take the first page of a waiting article, which was fetched as the example.

        An article of one page is handed over at once. The further pages of another one are fetched once it is leased.
        """
        if ArticlePages.after(page).next_url() is not None:
            self._first_pages[name] = page
        else:
            self.articles.hand_in(name, page)
            self.articles.flush()  # handed over before it can be leased

    def _first_fetch(self, leased: Leased) -> ArticleFetch:
        pages = None
        if (page := self._first_pages.pop(leased.fingerprint, None)) is not None:
            pages = ArticlePages.after(page)
        elif (thread := leased.thread) is not None:
            pages = ArticlePages.beginning_with(thread.page, leased.url)
        further = self._fetch_next(leased, pages) if pages else None
        return further or self._fetch(leased.url, leased)

    def _fetch(self, url: str, leased: Leased, pages: ArticlePages | None = None) -> ArticleFetch:
        return ArticleFetch(url, bool(self.rendering.on), leased=leased, pages=pages)

    def settle(self, fetch: ArticleFetch, answer: Answered | Unanswered) -> ArticleFetch | None:
        """Take an answer to a fetch; return the article's next page if it has one."""
        if isinstance(answer, Answered):
            return self._settle_answered(fetch, answer)
        return self._settle_unanswered(fetch, answer)

    def _settle_answered(self, fetch: ArticleFetch, answer: Answered) -> ArticleFetch | None:
        """Take a response.

        Strategy, the first that applies:
            a further page, no more attempts   added, or noted as missing; the article's next page follows
            a redirect to another URL          rejected, unless that matches the pattern; tried again if it is a login
            a page                             the article's next page follows
            there is no article                rejected, unless the pattern generated the URL and it may still appear
            the host is requested too often    postponed; from the fourth time on it counts as an attempt
            otherwise                          failed; tried again if that is temporary
        """
        articles, leased, page = self.articles, fetch.leased, answer.page
        verdict = of_answer(answer.status, page.content_type, page.body)
        if fetch.pages is not None and self._is_final(leased, verdict):
            fetch.pages.add(page) if verdict.kind == "page" else fetch.pages.add_missing(page.url)
            return self._fetch_next(leased, fetch.pages)
        is_elsewhere = page.url != leased.url and not self.task.pattern.match(page.url)
        if is_elsewhere and (verdict.kind == "page" or (answer.refusal is None and is_login(page.url))):
            articles.settle_redirected(leased, page.url)
        elif verdict.kind == "page":
            articles.report.rendered += answer.rendered
            return self._fetch_next(leased, ArticlePages.after(page))
        else:
            self._settle_without_page(leased, verdict, answer)
        return None

    def _settle_without_page(self, leased: Leased, verdict: Outcome, answer: Answered) -> None:
        if verdict.kind == "reject":
            if not self.articles.drop_if_expected(leased):
                self.articles.reject(leased, verdict.reason)
        elif answer.refusal is not None:
            self._postpone_refused(leased, answer.refusal.why, answer.refusal.rest)
        else:
            self.articles.fail(leased, verdict.reason, passing=verdict.kind == "again")

    def _settle_unanswered(self, fetch: ArticleFetch, none: Unanswered) -> ArticleFetch | None:
        """Take a request without a response.

        Strategy, the first that applies:
            the run ends                       nothing: leased articles are put back at its end
            the host is closed                 postponed until it opens
            its robots.txt is unavailable      postponed
            a further page, no more attempts   noted as missing; the article's next page follows
            a redirect to a login              tried again
            forbidden by robots.txt            rejected
            otherwise                          failed; tried again if that is temporary
        """
        leased, verdict = fetch.leased, none.outcome
        if none.cause == "run ending":
            return None
        if none.cause in ("host closed", "robots unreachable"):
            self._postpone_closed(leased, none)
        elif fetch.pages is not None and none.cause != "surprise" and self._is_final(leased, verdict):
            fetch.pages.add_missing(none.url)
            return self._fetch_next(leased, fetch.pages)
        elif none.url != fetch.url and is_login(none.url) and not self.task.pattern.match(none.url):
            self.articles.settle_redirected(leased, none.url)
        elif verdict.kind == "reject":
            self.articles.reject(leased, verdict.reason)
        else:
            self.articles.fail(leased, verdict.reason, passing=verdict.kind == "again")
        return None

    def _is_final(self, leased: Leased, verdict: Outcome) -> bool:
        """Whether there is no further attempt for a page, because it was fetched or is missing."""
        return verdict.kind != "again" or self.articles.is_last_try(leased)

    def _fetch_next(self, leased: Leased, pages: ArticlePages) -> ArticleFetch | None:
        """Return the fetch of the article's next page; if there is none, hand over the fetched pages.

        A thread whose last page is gone is fetched from its first page on.
        """
        if (url := pages.next_url()) is not None:
            return self._fetch(url, leased, pages)
        if not pages.fetched:
            return self._fetch(leased.url, leased)
        first, *further = pages.fetched
        self.articles.hand_in(leased.fingerprint, replace(first, parts=tuple(further), missing=tuple(pages.missing)))
        return None

    def _postpone_refused(self, leased: Leased, reason: str, rest: float) -> None:
        """Postpone an article because its host receives too many requests.

        If only this URL is refused, this counts as an attempt.
        """
        self._refusals[leased.fingerprint] += 1
        if self._refusals[leased.fingerprint] <= REFUSALS_UNCOUNTED:
            self.articles.postpone(leased, reason, max(rest, self.articles.bounds.pauses[0]))
        else:
            self.articles.fail(leased, reason, passing=True, rest=rest)

    def _postpone_closed(self, leased: Leased, none: Unanswered) -> None:
        """Postpone an article because its host is closed.

        If the article redirected to it from another host, this counts as an attempt.
        """
        if host_of(none.url) == host_of(leased.url):
            self.articles.postpone(leased, none.outcome.reason, none.rest)
        else:
            self.articles.fail(leased, none.outcome.reason, passing=True, rest=none.rest)


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
