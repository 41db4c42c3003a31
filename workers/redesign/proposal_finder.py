"""Finds a new example after a redesign: pages off the template are clustered by the templates that they have.

The proposed page is a central one of the largest cluster whose article is good: the page alone gives a confident
article, and the comparison with other pages of the cluster gives the same one. Among several, the longest article is
chosen, since its limits are clearest from the page alone: on the sample site's pages, with the longest page of a
section as example all texts are right, with the most central one 84 to 100%. It is proposed with a back-test. A task
has at most one open proposal; while it is open or dismissed, and the example is the same, there is no further one.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import re2
import redis

from extractors import Article, Section, UnusablePage
from extractors.html.decoding import decode
from extractors.html.urls import normalise
from extractors.methods.example import MEMORY
from extractors.page import Page
from extractors.section import make_page
from extractors.templates import largest_cluster, pairwise_matches

from .. import keys
from ..clock import Clock
from ..errors import ExemplarError
from ..extraction.near_duplicates import ENTRY, alike, entry_of
from ..extraction.recent_pages import section_pages
from ..extraction.section_preparation import PreparedSection
from ..extraction_config import ExtractionConfig
from ..page_store import StoredPage
from ..url_states import Fingerprint
from .adoption import adopt
from .backtest import BackTest, back_test
from .backtest_pages import pages_to_test, with_former
from .off_template import OffTemplatePages
from .proposals import Proposal, keep_proposal, proposal_of, update_proposal
from .text_comparison import shingle_f1

SMALLEST = 4  # pages of a cluster
GOOD = 0.8  # confidence of the article of the page alone: bodies of 300 bytes and more
AGREE = 0.9  # F1 of that article and the article by comparison
TESTED = 20  # pages of a back-test
LOCKED_FOR = 120  # seconds in which no other worker looks for a proposal of the task
TRIED_FOR = 86400  # seconds after which a proposal is looked for again, for any number of pages off the template
METHODS = ("auto", "example")  # methods that compare a page with an example

log = logging.getLogger(__name__)


def is_sought(config: ExtractionConfig) -> bool:
    """Whether examples are proposed for a task: by its setting, and by its method."""
    return config.redesign != "ignore" and config.method in METHODS


class ProposalFinder:
    """Looks for a new example of one task. `clock`: Unix seconds. `smallest`: pages of a cluster."""

    def __init__(self, connection: "redis.Redis", section: PreparedSection, *, clock: Clock, smallest: int = SMALLEST):
        self.redis, self.section, self.clock, self.smallest = connection, section, clock, smallest
        self.config = section.config
        self.low = OffTemplatePages(connection, self.config.task, clock=clock)

    def look(self) -> Proposal | None:
        """Look for a new example if it is time; return a new proposal, adopted if the task's setting allows it.

        It is time when there are twice as many pages off the template as at the last look.
        """
        number = self.low.count()
        tried = keys.of_task(self.config.task, "low:tried")
        if number < self.smallest or number < 2 * int(cast("bytes | None", self.redis.get(tried)) or 0):
            return None
        if not self.redis.set(keys.of_task(self.config.task, "low:lock"), "1", nx=True, ex=LOCKED_FOR):
            return None
        try:
            self.redis.set(tried, number, ex=TRIED_FOR)
            proposal = self.find()
            if proposal is None:
                return None
            return self._adopted(proposal) if self.config.redesign == "adopt" else proposal
        finally:
            self.redis.delete(keys.of_task(self.config.task, "low:lock"))

    def find(self) -> Proposal | None:
        """Choose a new example among the kept pages off the template, and store the proposal; None if there is none."""
        task = self.config.task
        current = section_pages(self.redis, task)
        if current is None or self._is_decided(current.example_version):
            return None
        notes, pages = self.low.notes(), self.low.pages()
        names = [name for name in pages if name in notes]
        cluster = largest_cluster(
            pairwise_matches([_page(pages[name]) for name in names]) if names else np.zeros((0, 0), np.float32)
        )
        if len(cluster.members) < self.smallest:
            return None
        chosen = self._best([names[place] for place in cluster.order], pages)
        if chosen is None:
            return None
        name, article = chosen
        new = with_former(pages[name], current.example, self.config.method)
        test = self._tested(new, [(notes[other].url, pages[other]) for other in names if other != name])
        proposal = Proposal(
            task=task,
            url=notes[name].url,
            title=article.title or "",
            former=self.config.example,
            example_version=current.example_version,
            at=self.clock(),
            since=min(notes[names[place]].at for place in cluster.members),
            low=len(notes),
            cluster=len(cluster.members),
            confidence=article.confidence,
            test=test,
        )
        keep_proposal(self.redis, proposal, pages[name])
        log.warning("task %s: its pages have another template; proposed example: %s", task, proposal.url)
        return proposal

    def _is_decided(self, example_version: str) -> bool:
        earlier = proposal_of(self.redis, self.config.task)
        return earlier is not None and earlier.example_version == example_version and earlier.state != "adopted"

    def _best(
        self, order: Sequence[Fingerprint], pages: dict[Fingerprint, StoredPage]
    ) -> tuple[Fingerprint, Article] | None:
        """Return the page with the best article, and the article. `order`: pages, the most central one first.

        None if the articles of the cluster are nearly the same: such pages are notices, captchas or similar.
        """
        articles = {name: article for name in order if (article := _alone(pages[name])) is not None}
        if len(_unlike(articles)) < self.smallest:
            return None
        ranked = sorted(articles.items(), key=lambda pair: (pair[1].confidence, len(pair[1].text)), reverse=True)
        for name, article in ranked:
            page = pages[name]
            others = [pages[other] for other in articles if other != name][:MEMORY]
            if not self._may_be_example(page) or article.confidence < GOOD or article.page_type != "article":
                continue
            compared = _compared(page, others)
            if compared is not None and shingle_f1(compared.text, article.text) >= AGREE:
                return name, article
        return None

    def _may_be_example(self, page: StoredPage) -> bool:
        return bool(page.url) and re2.fullmatch(self.config.url_regex, normalise(page.url)) is not None

    def _tested(self, new: Section, low: Sequence[tuple[str, StoredPage]]) -> BackTest:
        """Compare the new example with the present one, on kept pages; if there are none, on pages off the template."""
        pages, source = pages_to_test(self.redis, self.config, low, most=TESTED, clock=self.clock)
        return back_test(self.section.section, new, pages, source)

    def _adopted(self, proposal: Proposal) -> Proposal:
        """Adopt a proposal, unless the back-test shows a loss."""
        if doubt := doubt_of(proposal):
            proposal = replace(proposal, problem=f"not adopted: {doubt}")
            update_proposal(self.redis, proposal)
            return proposal
        try:
            return adopt(self.redis, self.config.task, clock=self.clock)
        except ExemplarError as error:
            proposal = replace(proposal, problem=f"not adopted: {error}")
            update_proposal(self.redis, proposal)
            return proposal


def doubt_of(proposal: Proposal) -> str:
    """Return why a proposal should not be adopted without a person; empty if there is no objection."""
    test = proposal.test
    if test.lost:
        return f"{test.lost} of {len(test.pages)} pages would lose their article"
    old, new = test.fitting()
    if new <= old:
        return f"it fits {new} of {len(test.pages)} pages, the present example {old}"
    return ""


def _page(page: StoredPage) -> Page:
    return make_page(page.body, page.url, page.content_type)


def _alone(page: StoredPage) -> Article | None:
    """Return the article of a page extracted alone; None if there is none, or probably none."""
    try:
        found = Section(None, method="density").extract(
            page.body, page.url, content_type=page.content_type, refuse="likely"
        )
    except UnusablePage:
        return None
    return found if isinstance(found, Article) else None


def _compared(page: StoredPage, others: Sequence[StoredPage]) -> Article | None:
    """Return the article of a page by comparison with other pages of its template."""
    try:
        section = Section(decode(others[0].body, others[0].content_type)[0], others[0].url)
        for other in others[1:]:
            section.learn(other.body, other.url, content_type=other.content_type)
        found = section.extract(page.body, page.url, content_type=page.content_type)
    except UnusablePage:
        return None
    return found if isinstance(found, Article) and found.method == "example" else None


def _unlike(articles: dict[Fingerprint, Article]) -> list[Fingerprint]:
    """Return the articles without those that are nearly the same as an earlier one."""
    known, names = b"", []
    for name, article in articles.items():
        entry = entry_of(article.text)
        if not alike(np.frombuffer(known, ENTRY), entry).size:
            known += entry.tobytes()
            names.append(name)
    return names
