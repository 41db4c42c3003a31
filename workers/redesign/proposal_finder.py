"""Finds a new example after a redesign: pages off the template are clustered by the templates that they have.

A page of the largest cluster is chosen (`new_example`) and proposed with a back-test. One proposal of a task is open at
a time; as long as it is open or dismissed, and the example is the same, none follows. Why there is none is noted
(`workers.unproposed`).
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import re2
import redis

from extractors import Section
from extractors.html.urls import normalise
from extractors.page import Page, make_page
from extractors.templates import largest_cluster, pairwise_matches

from .. import keys
from ..errors import ExemplarError
from ..extraction.recent_pages import SectionPages, section_pages
from ..extraction.section_preparation import PreparedSection
from ..page_store import StoredPage
from ..redis_access.redis_clock import clock_of
from ..unproposed import SMALLEST, note_unproposed
from .adoption import adopt
from .backtest import BackTest, back_test
from .backtest_pages import pages_to_test, with_former
from .new_example import NoExample, choose_example
from .off_template import OffTemplatePages
from .proposals import Proposal, keep_proposal, proposal_of, update_proposal

TESTED = 20  # pages of a back-test
SHARING = 0.2  # share of the new texts that end with lines of other pages, from which a person should look first
SURE = 0.8  # mean confidence in the new texts, below which a person should look first
LOCKED_FOR = 120  # seconds for which no other worker looks for a proposal of the task
TRIED_FOR = 86400  # seconds after which a proposal is looked for again, for any number of pages off the template

log = logging.getLogger(__name__)


class ProposalFinder:
    """Looks for a new example of one task."""

    def __init__(self, connection: "redis.Redis", section: PreparedSection):
        self.redis, self.section, self.clock = connection, section, clock_of(connection).now
        self.config = section.config
        self.low = OffTemplatePages(connection, self.config.task)

    def look(self) -> Proposal | None:
        """Look for a new example if it is time; return a new proposal, adopted if the task's setting allows it.

        It is time when there are twice as many pages off the template as at the last look.
        """
        number = self.low.count()
        tried = keys.of_task(self.config.task, "low:tried")
        if number < SMALLEST or number < 2 * int(cast("bytes | None", self.redis.get(tried)) or 0):
            return None
        if not self.redis.set(keys.of_task(self.config.task, "low:lock"), "1", nx=True, ex=LOCKED_FOR):
            return None
        try:
            self.redis.set(tried, number, ex=LOCKED_FOR)  # a search that is interrupted is repeated
            proposal = self._interrupted() or self.find()
            if proposal is not None and self.config.redesign == "adopt":
                proposal = self._adopted(proposal)
            if proposal is None or proposal.state != "adopted":
                self.redis.set(tried, number, ex=TRIED_FOR)
            return proposal
        finally:
            self.redis.delete(keys.of_task(self.config.task, "low:lock"))

    def _interrupted(self) -> Proposal | None:
        """Return a proposal whose adoption by the task's setting was interrupted, or did not begin."""
        earlier = proposal_of(self.redis, self.config.task)
        is_over = earlier is None or earlier.state == "dismissed" or earlier.gap or earlier.problem
        return None if is_over or self.config.redesign != "adopt" else earlier

    def find(self) -> Proposal | None:
        """Choose a new example among the kept pages off the template, and store the proposal.

        If there is none, note the reason.
        """
        task = self.config.task
        current = section_pages(self.redis, task)
        if current is None or self._is_decided(current.example_version):
            return None
        found = self._find(current)
        if isinstance(found, NoExample):
            if (earlier := proposal_of(self.redis, task)) and earlier.example_version == current.example_version:
                return None  # a doubtful one stays
            note_unproposed(self.redis, task, found.reason)
            log.info("task %s: no example is proposed: %s", task, found.reason)
            return None
        return found

    def _find(self, current: SectionPages) -> Proposal | NoExample:
        notes, pages = self.low.notes(), self.low.pages()
        names = [name for name in pages if name in notes]
        if len(names) < SMALLEST:
            return NoExample(reason=f"only {len(names)} of {len(notes)} pages off the template are kept")
        cluster = largest_cluster(pairwise_matches([_page(pages[name]) for name in names]))
        if len(cluster.members) < SMALLEST:
            number = len(cluster.members)
            return NoExample(reason=f"at most {number} of {len(names)} pages off the template share a template")
        order = [names[place] for place in cluster.order]
        known = [current.example, *(current.stored(page) for page in current.recent if not page.former)]
        chosen = choose_example([pages[name] for name in order], self._may_be_example, known, self.config.refuse)
        if isinstance(chosen, NoExample):
            return chosen
        name, task = order[chosen.place], self.config.task
        new = with_former(pages[name], current.example, self.config.method)
        test = self._tested(new, [(notes[other].url, pages[other]) for other in names if other != name])
        proposal = Proposal(
            task=task,
            url=notes[name].url,
            title=chosen.article.title or "",
            former=self.config.example,
            example_version=current.example_version,
            at=self.clock(),
            since=min(notes[names[place]].at for place in cluster.members),
            low=len(notes),
            cluster=len(cluster.members),
            confidence=chosen.article.confidence,
            test=test,
        )
        if chosen.doubt and (loss := doubt_of(proposal)):
            return NoExample(reason=f"its pages are not surely articles, and the back-test shows a loss: {loss}")
        proposal = replace(proposal, problem=chosen.doubt, is_doubtful=bool(chosen.doubt))
        keep_proposal(self.redis, proposal, pages[name])
        log.warning("task %s: its pages have another template, and this example is proposed: %s", task, proposal.url)
        return proposal

    def _is_decided(self, example_version: str) -> bool:
        """Whether a proposal in place of this example is open or dismissed.

        A task that adopts by itself may get a surer one, when more pages of the template have come in.
        """
        earlier = proposal_of(self.redis, self.config.task)
        if earlier is None or earlier.example_version != example_version or earlier.state == "adopted":
            return False
        may_get_surer = earlier.state == "proposed" and earlier.is_doubtful
        return not (may_get_surer and self.config.redesign == "adopt")

    def _may_be_example(self, page: StoredPage) -> bool:
        return bool(page.url) and re2.fullmatch(self.config.url_regex, normalise(page.url)) is not None

    def _tested(self, new: Section, low: Sequence[tuple[str, StoredPage]]) -> BackTest:
        """Compare the new example with the present one, on kept pages; if there are none, on pages off the template."""
        pages, source = pages_to_test(self.redis, self.config, low, most=TESTED)
        return back_test(self.section.section, new, pages, source, self.config.refuse)

    def _adopted(self, proposal: Proposal) -> Proposal:
        """Adopt a proposal, unless the back-test shows a loss."""
        if doubt := doubt_of(proposal):
            proposal = replace(proposal, problem=f"not adopted: {doubt}")
            update_proposal(self.redis, proposal)
            return proposal
        try:
            proposal = adopt(self.redis, self.config.task)
            log.warning("task %s: the proposed example is adopted: %s", proposal.task, proposal.url)
        except ExemplarError as error:
            proposal = replace(proposal, problem=f"not adopted: {error}")
            update_proposal(self.redis, proposal)
        return proposal


def doubt_of(proposal: Proposal) -> str:
    """Return why a proposal should not be adopted without a person; empty if there is no objection."""
    test, reason = proposal.test, proposal.problem
    old, new = test.fitting()
    articles = [page for page in test.pages if page.new.characters]
    if test.lost:
        reason = f"{test.lost} of {len(test.pages)} pages would lose their article"
    elif not reason and new <= old:
        reason = f"it fits {new} of {len(test.pages)} pages, the present example {old}"
    elif not reason and test.sharing > SHARING * len(articles):
        line = next(page.ends_shared[0] for page in articles if page.ends_shared)
        reason = f"{test.sharing} of {len(articles)} texts end with lines that other pages have, too, as {line!r}"
    elif not reason and test.sure < SURE:
        reason = f"the mean confidence in its texts is {test.sure:.2f}"
    return reason


def _page(page: StoredPage) -> Page:
    return make_page(page.body, page.url, page.content_type)
