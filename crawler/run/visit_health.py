"""The contribution of a run to the health of its task: the observation of a visit, and a remark on each open alarm."""

import logging
from functools import partial

import redis

from crawler.run.run_report import RunOptions, RunReport
from crawler.run.section_lists import SectionLists
from workers.health.observations import LONGEST_URL, VisitObservation, to_json
from workers.health.store import present_alarms, update_health
from workers.ledger import Ledger
from workers.task_state.problems import requeue

ALARM = "alarm: "  # beginning of the remark on an open alarm

log = logging.getLogger(__name__)


def observe_visit(ledger: Ledger, report: RunReport, options: RunOptions, lists: SectionLists, *, walked: bool) -> None:
    """Note a visit for the task's health, and add its open alarms to the report.

    A back-fill, or a run that left something out at the user's request, is no evidence of the section's present state.
    `walked`: this run has read the lists to the end.
    """
    try:
        if options == RunOptions() and lists.walk is not None:
            ledger.observe(to_json(_visit(ledger, report, lists, walked=walked)))
        update_health(ledger.redis, ledger.task, partial(requeue, ledger))
        report.remarks += [f"{ALARM}{alarm.in_words()}" for alarm in present_alarms(ledger.redis, [ledger.task])]
    except redis.RedisError:
        raise
    except Exception:  # a defect of the program; the run has ended nevertheless
        log.exception("task %s: its health cannot be updated", ledger.task)


def _visit(ledger: Ledger, report: RunReport, lists: SectionLists, *, walked: bool) -> VisitObservation:
    start = next(iter(lists.walk.plan.starts), "") if lists.walk is not None else ""
    return VisitObservation(
        at=round(ledger.clock(), 1),
        lists=report.lists,
        unchanged=report.unchanged,
        lists_failed=lists.failed,
        found=report.found,
        known=lists.admission.known,
        new=report.new,
        fetched=report.fetched,
        failed=report.failed,
        later=report.later,
        start=start[:LONGEST_URL],
        moved_to=lists.moved_to[:LONGEST_URL],
        problem=lists.problem[:100],
        is_whole=walked and not lists.first,
    )
