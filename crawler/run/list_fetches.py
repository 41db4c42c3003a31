"""Which lists to fetch now, and what an answer settles: a few tries, conditional requests, shells to be rendered."""

from collections.abc import Callable

from crawler.discovery.listings import ListPage
from crawler.politeness.host_files import HostFiles
from crawler.politeness.pace import host_of
from crawler.run.fetches import Answered, ListFetch, Unanswered
from crawler.run.outcomes import Outcome, of_answer, of_list
from crawler.run.section_lists import SectionLists

AT_ONCE = 2
RETRIES = 2
PAUSES = (2.0, 5.0)  # seconds before each of them
NOT_MODIFIED = 304


class ListFetches:
    """The lists that one run asks for, a few at a time. `robots`: the robots.txt files that the gates keep."""

    def __init__(self, lists: SectionLists, next_list: Callable[[], ListPage | None], robots: HostFiles):
        self.lists, self.next_list, self.robots = lists, next_list, robots

    def next(self, in_flight: int) -> list[ListFetch]:
        """The next lists, as many as there is room for."""
        fetches: list[ListFetch] = []
        while in_flight + len(fetches) < AT_ONCE and (page := self.next_list()) is not None:
            if not (page.kind == "robots" and self._is_known(page)):
                fetches.append(self._fetch(page))
        return fetches

    def _is_known(self, page: ListPage) -> bool:
        """Take what a robots.txt says of sitemaps from where the gates keep it, if it has been asked for today."""
        known = self.robots.get(host_of(page.url))
        if known is None:
            return False
        file, _ = known
        verdict = of_answer(file.status, "text/plain", file.body)
        if verdict.kind == "page":
            self.lists.read(page, file.body, page.url, "text/plain")
        else:
            self.lists.failed(page, verdict.reason, passing=False)
        return True

    def _fetch(
        self, page: ListPage, tries: int = 0, *, whole: bool = False, render: bool = False, after: float = 0.0
    ) -> ListFetch:
        render = render or self.lists.rendering.renders_list(page.url)
        conditions = {} if whole or render else self.lists.conditions(page)
        return ListFetch(page.url, render, conditions, after, page=page, tries=tries)

    def settle(self, fetch: ListFetch, answer: Answered | Unanswered) -> ListFetch | None:
        """Settle what an answer settles; returns the next request for the same list, if there is to be one.

        Strategy, the first that fits:
            the run ends                       nothing: the next one begins where this walk broke off
            not modified, as asked             the run knows its links; if it doesn't, the list is had whole
            no list, or no answer for now      tried again; after a few tries the run is told
            a shell                            it is asked for again, through the browser
            a list                             the run reads its links
        """
        if isinstance(answer, Unanswered):
            return (
                None if answer.cause == "run ending" else self._missed(fetch, answer.outcome, final=bool(answer.cause))
            )
        page, came = fetch.page, answer.page
        verdict = of_list(answer.status, came.content_type, came.body)
        if answer.status == NOT_MODIFIED and fetch.headers:
            return None if self.lists.unchanged(page, came.url) else self._fetch(page, fetch.tries, whole=True)
        if verdict.kind != "page":
            return self._missed(fetch, verdict)
        if not answer.rendered and self.lists.is_shell(page, came.body, came.url, came.content_type):
            return self._fetch(page, fetch.tries, render=True)
        self.lists.report.rendered += answer.rendered
        self.lists.read(page, came.body, came.url, came.content_type, answer.headers)
        return None

    def _missed(self, fetch: ListFetch, verdict: Outcome, *, final: bool = False) -> ListFetch | None:
        if verdict.kind == "again" and fetch.tries < RETRIES and not final:
            return self._fetch(fetch.page, fetch.tries + 1, after=PAUSES[fetch.tries])
        self.lists.failed(fetch.page, verdict.reason, passing=verdict.kind == "again")
        return None
