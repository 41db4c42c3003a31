"""Which articles to fetch now, and what an answer settles. An article has one request at a time."""

from collections import Counter
from dataclasses import replace

from crawler.discovery.article_pages import Parts
from crawler.politeness.pace import host_of
from crawler.rendering.task import TABS, Rendering
from crawler.run.fetches import Answered, ArticleFetch, Unanswered
from crawler.run.outcomes import Outcome, of_answer
from crawler.run.section_articles import PAUSES, SectionArticles
from workers.url_states import Leased

REFUSALS_UNCOUNTED = 3  # answers of a run that we ask too much of an article; what comes after counts as a try


class ArticleFetches:
    """The articles that one run asks for, `concurrency` at a time."""

    def __init__(self, articles: SectionArticles, rendering: Rendering):
        self.task, self.articles, self.rendering = articles.task, articles, rendering
        self._refusals: Counter[str] = Counter()  # answers to an article that we ask too much

    def next(self, in_flight: int) -> list[ArticleFetch]:
        """The next articles, several together when there is room."""
        at_once = self.task.concurrency
        if self.rendering.renders():
            at_once = min(at_once, TABS)
        free = at_once - in_flight
        if free < max(1, at_once // 4):
            return []
        return [self._fetch(leased.url, leased) for leased in self.articles.lease(free)]

    def _fetch(self, url: str, leased: Leased, parts: Parts | None = None) -> ArticleFetch:
        return ArticleFetch(url, bool(self.rendering.on), leased=leased, parts=parts)

    def settle(self, fetch: ArticleFetch, answer: Answered | Unanswered) -> ArticleFetch | None:
        """Settle what an answer settles; returns the article's next page if it has one."""
        return self._came(fetch, answer) if isinstance(answer, Answered) else self._missed(fetch, answer)

    def _came(self, fetch: ArticleFetch, answer: Answered) -> ArticleFetch | None:
        """An answer came.

        Strategy, the first that fits:
            a further page, and this is final  it came or is missed, and the article goes on
            a page of another address          rejected, unless that is of the pattern
            a page                             the article goes on
            there is no article                rejected, unless the pattern wrote the URL and it may still appear
            we ask too much                    put off; from the fourth time on it counts as a try
            otherwise                          failed; tried again if it may pass
        """
        articles, leased, page = self.articles, fetch.leased, answer.page
        verdict = of_answer(answer.status, page.content_type, page.body)
        if fetch.parts is not None and self._is_final(leased, verdict):
            fetch.parts.came(page) if verdict.kind == "page" else fetch.parts.missed(page.url)
            return self._go_on(leased, fetch.parts)
        if verdict.kind == "page" and page.url != leased.url and not self.task.pattern.match(page.url):
            articles.rejected(leased, f"leads to {page.url}, which is not of the pattern")
        elif verdict.kind == "page":
            articles.report.rendered += answer.rendered
            return self._go_on(leased, Parts(page))
        elif verdict.kind == "reject":
            if not articles.not_there_yet(leased):
                articles.rejected(leased, verdict.reason)
        elif answer.refusal is not None:
            self._refused(leased, answer.refusal.why, answer.refusal.rest)
        else:
            articles.failed(leased, verdict.reason, passing=verdict.kind == "again")
        return None

    def _missed(self, fetch: ArticleFetch, none: Unanswered) -> ArticleFetch | None:
        """No answer came.

        Strategy, the first that fits:
            the run ends                       nothing: what is leased is given back at the end
            the host is closed                 put off until it opens
            its robots.txt can't be had        put off
            a further page, and this is final  it is missed, and the article goes on
            refused by robots.txt              rejected
            otherwise                          failed; tried again if it may pass
        """
        leased, verdict = fetch.leased, none.outcome
        if none.cause == "run ending":
            return None
        if none.cause in ("host closed", "robots unreachable"):
            self._put_off(leased, none)
        elif fetch.parts is not None and none.cause != "surprise" and self._is_final(leased, verdict):
            fetch.parts.missed(none.url)
            return self._go_on(leased, fetch.parts)
        elif verdict.kind == "reject":
            self.articles.rejected(leased, verdict.reason)
        else:
            self.articles.failed(leased, verdict.reason, passing=verdict.kind == "again")
        return None

    def _is_final(self, leased: Leased, verdict: Outcome) -> bool:
        """Whether a further page of an article has come, or won't."""
        return verdict.kind != "again" or self.articles.is_last_try(leased)

    def _go_on(self, leased: Leased, parts: Parts) -> ArticleFetch | None:
        """Fetch the article's next page, or hand in what has been fetched if there is none."""
        if (url := parts.next_url()) is not None:
            return self._fetch(url, leased, parts)
        page = replace(parts.first, parts=tuple(parts.further), missing=tuple(parts.missing))
        self.articles.came(leased, page)
        return None

    def _refused(self, leased: Leased, reason: str, rest: float) -> None:
        """The host says that we ask too much: no fault of the article's, unless it says so of this one only."""
        self._refusals[leased.fingerprint] += 1
        if self._refusals[leased.fingerprint] <= REFUSALS_UNCOUNTED:
            self.articles.put_off(leased, reason, max(rest, PAUSES[0]))
        else:
            self.articles.failed(leased, reason, passing=True, rest=rest)

    def _put_off(self, leased: Leased, none: Unanswered) -> None:
        """The host may not be asked now. Only where the article led to another host has it been looked at."""
        if host_of(none.url) == host_of(leased.url):
            self.articles.put_off(leased, none.outcome.reason, none.rest)
        else:
            self.articles.failed(leased, none.outcome.reason, passing=True, rest=none.rest)
