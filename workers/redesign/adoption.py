"""The adoption of a proposed example: from then on the whole cluster extracts with it, without a restart.

One transaction changes the task in Redis: the published task, its extraction config, its example page, and the recent
pages, among which the former example stays, to vote on pages that still have its template. Workers compare the
section version before each job, and spiders read the published task at the beginning of a run. tasks.yaml may be on
another machine: until it names the new example too, `keys.EXAMPLES` has it, and a publication of the file applies it
(`crawler.task_list.publication`).

Then the gap is closed: the pages that were extracted between redesign and adoption are extracted again. Their URLs wait
in the ledger, as at a recheck: a row becomes a new version if its text differs, and nothing is written twice. A page
that is in Redis or kept is extracted at once, without a request; the next run fetches the others. The gap is closed
likewise when a person has replaced the example in tasks.yaml.
"""

import json
from dataclasses import replace
from itertools import islice
from typing import Any, cast

import redis

from .. import keys
from ..errors import ExemplarError
from ..extraction.re_extraction import PageAgain, extract_again
from ..extraction.recent_pages import SectionPages, former_pages, section_pages, stored_form
from ..extraction_config import ExtractionConfig, adopted_examples, config_of, example_fetched, stored_example
from ..inbox import PAGES_A_JOB, Inbox
from ..ledger import Ledger
from ..page_store import StoredPage
from ..pages.kept_pages import KeptPages, existing_pages
from ..redis_access.redis_clock import clock_of
from ..unproposed import forget_unproposed
from ..url_states import Fingerprint, RecheckPlan, fingerprint
from .off_template import OffTemplateNote, OffTemplatePages
from .proposals import GapCounts, Proposal, dismiss, proposal_of, proposed_page, update_proposal

PROBLEMS_READ = 1000  # newest records of failed pages
_EXTRACTION = ("unusable page", "extractor error")  # how the reasons begin for which the extraction of a page fails


def adopt(connection: "redis.Redis", task: str) -> Proposal:
    """Adopt the newest proposal of a task, and let the gap be extracted again; return the proposal.

    An adoption that was interrupted is completed. Raises `ExemplarError` if there is nothing to adopt, or the example
    has changed meanwhile.
    """
    proposal, config = proposal_of(connection, task), config_of(connection, task)
    if proposal is None or config is None:
        raise ExemplarError(f"no example is proposed for task {task}")
    if proposal.state == "adopted" and proposal.gap is not None:
        raise ExemplarError(f"task {task}: the proposed example has already been adopted")
    if proposal.state != "adopted":
        proposal = replace(proposal, state="adopted", decided_at=clock_of(connection).now(), problem="")
        _replace_example(connection, config, proposal)
    config = replace(config, example=proposal.url)
    gap = close_gap(connection, config, since=proposal.since)
    proposal = replace(proposal, gap=gap)
    update_proposal(connection, proposal)
    return proposal


def follow_example(ledger: Ledger) -> None:
    """Close the gap of a task whose example a person has replaced in tasks.yaml, and dismiss its open proposal.

    The pages off the former example's template are no evidence on the new one.
    """
    connection, task = ledger.redis, ledger.task
    config, proposal = config_of(connection, task), proposal_of(connection, task)
    notes = OffTemplatePages(connection, task).notes()
    if config is not None and notes:
        close_gap(connection, config, since=min(note.at for note in notes.values()))
    if proposal is not None and proposal.state == "proposed":
        dismiss(connection, proposal, now=ledger.clock())
    forget_unproposed(connection, task)


def close_late_gap(connection: "redis.Redis", extracted_by: ExtractionConfig) -> None:
    """Let pages be extracted again that were noted after an adoption, but extracted with the former example.

    A worker calls it after it has noted pages off the template; it does nothing while the example is the same.
    """
    proposal, config = proposal_of(connection, extracted_by.task), config_of(connection, extracted_by.task)
    if proposal is None or config is None or proposal.state != "adopted":
        return
    if config.example != proposal.url or config.example == extracted_by.example:
        return
    late = close_gap(connection, config, since=proposal.since)
    proposal = proposal_of(connection, config.task) or proposal
    if proposal.gap is not None:
        update_proposal(connection, replace(proposal, gap=proposal.gap + late))


def _replace_example(connection: "redis.Redis", config: ExtractionConfig, proposal: Proposal) -> None:
    """Change all values of the task in Redis, in one transaction. Raises `ExemplarError`."""
    task = config.task
    page = proposed_page(connection, task)
    if page is None:
        raise ExemplarError(f"task {task}: the proposed page is no longer kept")
    with connection.pipeline(transaction=True) as pipe:
        while True:
            pipe.watch(keys.EDITION, keys.of_task(task, "example"))  # type: ignore[no-untyped-call]
            pages, config_now = section_pages(connection, task), config_of(connection, task)
            if pages is None or config_now is None or pages.example_version != proposal.example_version:
                raise ExemplarError(
                    f"task {task} has had another example since this one was proposed; dismiss the proposal"
                )
            published = cast("bytes | None", connection.hget(keys.TASKS, task))
            rendered = bool(example_fetched(connection, task)[1])
            pipe.multi()
            _add_example(pipe, task, page, proposal.url, pages, rendered=rendered, now=clock_of(connection).now())
            pipe.hset(keys.CONFIGS, task, replace(config_now, example=proposal.url).to_json())
            if published is not None:
                changed = json.loads(published) | {"example": proposal.url}
                pipe.hset(keys.TASKS, task, json.dumps(changed, ensure_ascii=False, sort_keys=True))
                instead_of = json.loads(published)["example"]
                adopted = {"url": proposal.url, "instead_of": _origin(connection, task, instead_of)}
                pipe.hset(keys.EXAMPLES, task, json.dumps(adopted, ensure_ascii=False))
            update_proposal(pipe, proposal)
            forget_unproposed(pipe, task)
            try:
                pipe.execute()
            except redis.WatchError:
                continue
            return


def _add_example(
    pipe: Any, task: str, page: StoredPage, url: str, pages: SectionPages, *, rendered: bool, now: float
) -> None:
    example, recent = keys.of_task(task, "example"), keys.of_task(task, "recent")
    fields = stored_example(page, url, rendered=rendered, now=now)
    pipe.hset(example, mapping=fields)
    pipe.hincrby(example, "recent", 1)
    pipe.delete(recent)
    pipe.hset(recent, mapping=stored_form(str(fields["version"]), former_pages(pages, page), 0.0))


def _origin(connection: "redis.Redis", task: str, published: str) -> str:
    """Return the example that tasks.yaml names, which an earlier adoption may not have changed yet."""
    earlier = adopted_examples(connection).get(task)
    return earlier.instead_of if earlier is not None and earlier.url == published else published


def close_gap(connection: "redis.Redis", config: ExtractionConfig, *, since: float) -> GapCounts:
    """Let the pages of the gap be extracted again, and forget that they were off the template; return their numbers.

    Rejected and failed pages belong to it if they were extracted `since` a time (Unix seconds).
    """
    ledger, inbox = Ledger(connection, config.task), Inbox(connection)
    low = OffTemplatePages(connection, config.task)
    noted, bodies, kept = low.notes(), low.pages(), existing_pages(config, clock=ledger.clock)
    gap = GapCounts()
    pages = (
        _page_again(note, bodies.get(name) or _kept_page(kept, note.url))
        for name, note in (noted | _failed(ledger, since)).items()
        if note.state != "rejected" or note.at >= since
    )
    try:
        while batch := list(islice(pages, PAGES_A_JOB)):
            taken = extract_again(ledger, inbox, batch, waiting=True)
            stored = sum(one.page is not None for one in taken)
            gap += GapCounts(stored=stored, to_fetch=len(taken) - stored, untouched=len(batch) - len(taken))
    finally:
        if kept is not None:
            kept.close()
    connection.delete(keys.of_task(config.task, "low:tried"))
    low.forget({*noted, *bodies})  # a worker may have noted others meanwhile (`close_late_gap`)
    return gap


def _page_again(note: OffTemplateNote, page: StoredPage | None) -> PageAgain:
    plan = RecheckPlan(0.0, 0.0, note.version, note.hash, row_hash=note.hash) if note.version else None
    return PageAgain(note.url, plan, note.info, page)


def _failed(ledger: Ledger, since: float) -> dict[Fingerprint, OffTemplateNote]:
    """Return the pages whose extraction failed since a time; the ledger has their present state."""
    return {
        fingerprint(problem["url"]): OffTemplateNote(problem["url"], float(problem["at"]), "rejected")
        for problem in ledger.problems(PROBLEMS_READ)
        if problem["state"] == "failed" and float(problem["at"]) >= since and problem["reason"].startswith(_EXTRACTION)
    }


def _kept_page(kept: KeptPages | None, url: str) -> StoredPage | None:
    """Return a page of the gap that is kept; None if it is not, or is damaged."""
    try:
        page = kept.find(url) if kept is not None else None
    except ValueError:
        return None
    return page.page if page is not None else None
