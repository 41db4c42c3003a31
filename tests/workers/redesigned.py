"""A section of the sample site that is redesigned, for tests without a crawl."""

import json
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from evaluation.sample_site import EXAMPLES, Response, render_site, shingle_f1, truth
from tests.site.plain import plain_articles, plain_page
from workers import keys
from workers.extraction_config import ExtractionConfig, keep_example
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.url_states import Found, fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker

from .helpers import FETCHED_AT

SITE = "http://paper.example"
TASK = "paper"


@cache
def _site(design):
    return render_site(SITE, design)


class RedesignedSection:
    """A section of the sample site whose pages come in, by the place of their articles, oldest first."""

    def __init__(self, connection, folder, clock, *, task=TASK, section="en", most=100, **config):
        self.task = task
        self.redis, self.folder, self.clock = connection, folder, clock
        self.worker = ExtractionWorker(connection, "here")
        self.ledger = Ledger(connection, task)
        self.kind = "text/html; charset=utf-8" if section == "en" else "text/html"
        pattern = self.render(section, most)
        config = ExtractionConfig(task, SITE + self.example, SITE + pattern, ("out.jsonl",), str(folder), **config)
        connection.hset(keys.CONFIGS, task, config.to_json())
        connection.hset(keys.TASKS, task, json.dumps({"example": config.example}))
        first = next(iter(self.designs.values()))
        page = StoredPage(config.example, first[self.example].body, self.kind, FETCHED_AT)
        keep_example(connection, task, page, config.example)

    def render(self, section, most):
        """Set articles, designs and example; return the pattern of the articles' paths."""
        self.articles = list(reversed(truth(section)))
        self.designs = {design: dict(_site(design)) for design in ("classic", "new")}
        self.example = EXAMPLES[section]
        return "/(en|zh)/.+"

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
        Inbox(self.redis).deliver(self.ledger, pages)
        self.worker.extract_pages(self.task, list(pages))

    def work(self):
        """Extract what was handed in by an adoption."""
        names = [name.decode() for name in self.redis.zrange(keys.of_task(self.task, "fetched"), 0, -1)]
        self.worker.extract_pages(self.task, names)
        return names

    def f1(self, row):
        article = next(article for article in self.articles if row["url"] == SITE + article.path)
        return shingle_f1(row["text"], article.text)


class PlainPath(NamedTuple):
    path: str


class PlainSection(RedesignedSection):
    """A section of a plain site (`tests.site.plain`). `most`: paragraphs of an article."""

    def render(self, section, most):
        articles = plain_articles()
        self.articles = [PlainPath(f"/posts/{number}.html") for number, _ in enumerate(articles, 1)]
        self.designs = {
            design: {
                place.path: Response(200, {}, plain_page(design, title, paragraphs[:most]))
                for place, (title, paragraphs) in zip(self.articles, articles, strict=True)
            }
            for design in ("first", "second")
        }
        self.example = "/posts/2.html"
        return "/posts/.+"
