"""The fetches of lists: which are next, and the consequences of answers: retries, conditional requests, shells."""

from collections.abc import Callable

from crawler.discovery.listings import ListPage
from crawler.politeness.host_files import HostFiles
from crawler.politeness.pace import host_of
from crawler.run.fetches import Answered, ListFetch, Unanswered
from crawler.run.outcomes import Outcome, of_answer, of_list
from crawler.run.section_lists import SectionLists
from workers.page_store import StoredPage

AT_ONCE = 2
RETRIES = 2
PAUSES = (2.0, 5.0)  # seconds before each further attempt
NOT_MODIFIED = 304


class ListFetches:
    """The requests of one run for lists, a few at a time. `robots`: the robots.txt files that the middlewares keep."""

    def __init__(self, lists: SectionLists, next_list: Callable[[], ListPage | None], robots: HostFiles):
        self.lists, self.next_list, self.robots = lists, next_list, robots

    def next(self, in_flight: int) -> list[ListFetch]:
        """Return the next lists, up to the number that may be in flight."""
        fetches: list[ListFetch] = []
        while in_flight + len(fetches) < AT_ONCE and (page := self.next_list()) is not None:
            if not (page.kind == "robots" and self._read_kept_robots(page)):
                fetches.append(self._fetch(page))
        return fetches

    def _read_kept_robots(self, page: ListPage) -> bool:
        """Read the sitemaps of a robots.txt that was fetched today; return whether it was."""
        kept = self.robots.get(host_of(page.url))
        if kept is None:
            return False
        file, _ = kept
        verdict = of_answer(file.status, "text/plain", file.body)
        if verdict.kind == "page":
            self.lists.read(page, StoredPage(page.url, file.body, "text/plain", self.lists.bounds.now()))
        else:
            self.lists.record_failure(page, verdict.reason, passing=False)
        return True

    def _fetch(
        self, page: ListPage, tries: int = 0, *, conditional: bool = True, render: bool = False, after: float = 0.0
    ) -> ListFetch:
        render = render or self.lists.rendering.renders_list(page.url)
        conditions = self.lists.conditions(page) if conditional and not render else {}
        return ListFetch(page.url, render, conditions, after, page=page, walk=self.lists.walks, tries=tries)

    def settle(self, fetch: ListFetch, answer: Answered | Unanswered) -> ListFetch | None:
        """Take an answer to a fetch; return the next request for the same list, if there is one.

        Strategy, the first that applies:
            the walk was begun again           nothing: the new walk reads the list as it is then, and what follows it
            the run ends                       nothing: the next one begins where this walk was interrupted
            not modified                       its links are known; else it is requested without conditions
            no list, or no response            tried again; after a few attempts the failure is recorded
            the same body as before            its links are known
            a shell                            requested again, to be rendered
            a block page                       tried again, as above
            a list                             its links are read
        """
        if fetch.walk != self.lists.walks:
            return None
        if isinstance(answer, Unanswered):
            is_ending = answer.cause == "run ending"
            return None if is_ending else self._retry_or_fail(fetch, answer.outcome, final=bool(answer.cause))
        page, response = fetch.page, answer.page
        verdict = of_list(answer.status, response.content_type, response.body)
        if answer.status == NOT_MODIFIED and fetch.headers:
            is_known = self.lists.record_unchanged(page, response.url)
            return None if is_known else self._fetch(page, fetch.tries, conditional=False)
        if verdict.kind != "page":
            return self._retry_or_fail(fetch, verdict)
        if self.lists.is_as_before(page, response.body) and self.lists.record_unchanged(page, response.url):
            self.lists.report.rendered += answer.rendered
            return None
        if not answer.rendered and self.lists.note_shell(page, response):
            return self._fetch(page, fetch.tries, render=True)
        self.lists.report.rendered += answer.rendered
        reason = self.lists.read(page, response, answer.headers)
        return self._retry_or_fail(fetch, Outcome("again", reason)) if reason else None

    def _retry_or_fail(self, fetch: ListFetch, verdict: Outcome, *, final: bool = False) -> ListFetch | None:
        if verdict.kind == "again" and fetch.tries < RETRIES and not final:
            return self._fetch(fetch.page, fetch.tries + 1, after=PAUSES[fetch.tries])
        self.lists.record_failure(fetch.page, verdict.reason, passing=verdict.kind == "again")
        return None
