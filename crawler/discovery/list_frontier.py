"""The lists of one walk that are known and not read yet, in the order in which they are read.

feeds, then start pages, pagination and followed pages → lists left unread by an earlier walk, unless the pagination led
to them → explored pages, a few of each URL shape → sitemaps
"""

from collections import Counter, deque
from dataclasses import replace

from crawler.discovery.listings import ListPage
from crawler.discovery.pagination import shape_of
from crawler.discovery.sitemap_frontier import SitemapFrontier
from crawler.discovery.walk_plan import WalkPlan

MOST_BELOW = 1000  # pages of pagination below one start page
TRIES_PER_SHAPE = 3  # pages of a URL shape that are tried before one has led to new articles
TRIES_EARNED = 3  # further tries after a page that led to new articles
MOST_TRIES = 30  # tries that a shape may have at most


class ListFrontier:
    """The frontier of a walk. `limits`: the bounds that it reached, as messages, each once."""

    def __init__(self, plan: WalkPlan):
        self.maps = SitemapFrontier(plan.sitemaps, plan.complete, plan.since)
        self.limits: dict[str, None] = {}
        self._plan = plan
        self._waiting: deque[ListPage] = deque()
        self._explored: deque[ListPage] = deque()
        self._unread = {page.url: page for page in plan.unread if page.kind not in ("sitemap", "robots")}
        self._known: set[str] = set()
        self._tries: dict[str, int] = {}
        self._below: Counter[str] = Counter()
        self._handed_out = 0
        self._in_progress = 0  # lists returned and not done, without sitemaps, which are read after all others
        for page in plan.first_lists():
            self.push(page)

    @property
    def has_waiting(self) -> bool:
        """Whether lists wait that are neither explored pages nor sitemaps."""
        return bool(self._waiting or self._unread)

    def push(self, page: ListPage) -> bool:
        """Queue a list; return False if it is known or beyond a bound."""
        if page.url in self._known:
            return False
        if self._unread.pop(page.url, None):
            page = replace(page, resumed=True)
        if page.kind in ("next", "feed"):
            if self._below[page.start] >= MOST_BELOW:
                self.limits.setdefault(f"{page.start}: stopped after {MOST_BELOW} further pages of it")
                return False
            self._below[page.start] += 1
        self._known.add(page.url)
        match page.kind:
            case "explored":
                self._explored.append(page)
            case "sitemap" | "robots":
                self.maps.push(page)
            case "feed":
                self._waiting.appendleft(page)
            case _:
                self._waiting.append(page)
        return True

    def next_page(self) -> ListPage | None:
        """Return the list to read next; None if there is none now (one that is being read may lead to more)."""
        if self._handed_out >= self._plan.most_lists:
            self.limits.setdefault(f"stopped after {self._plan.most_lists} list pages")
            return None
        if not self._waiting and self._in_progress == 0:
            for unread in [*self._unread.values()]:
                self.push(unread)
        page = self._waiting.popleft() if self._waiting else self._next_explored()
        if page is None and self._in_progress == 0:
            page = self.maps.next_page()
        if page is not None:
            self._handed_out += 1
            self._in_progress += page.kind not in ("robots", "sitemap")
        return page

    def mark_done(self, page: ListPage) -> None:
        """Record that a list was read, or could not be read."""
        self._in_progress = max(0, self._in_progress - (page.kind not in ("robots", "sitemap")))

    def earn_tries(self, page: ListPage) -> None:
        """Allow more pages of a shape to be tried, because an explored page of it led to new articles."""
        shape = shape_of(page.url)
        self._tries[shape] = min(MOST_TRIES, self._tries.get(shape, TRIES_PER_SHAPE) + TRIES_EARNED)

    def _next_explored(self) -> ListPage | None:
        for _ in range(len(self._explored)):
            page = self._explored.popleft()
            if page.url in self._plan.productive:
                return page
            shape = shape_of(page.url)
            tries = self._tries.get(shape, TRIES_PER_SHAPE)
            if tries > 0:
                self._tries[shape] = tries - 1
                return page
            self._explored.append(page)  # its shape may still earn tries
        return None
