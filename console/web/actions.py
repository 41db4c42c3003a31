"""The actions of the console: on runs, failed pages, refused rows and tasks.yaml. Each returns its result.

The steps are those of the commands: `exemplar failures`, `accept`, `add`, `check`, `proposals`, `alarms`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.problems import alike, groups
from console.proposal_decisions import adopt_proposal, dismiss_proposal
from console.web.api_types import ApiAlarmAction, ApiFailureAction, ApiProposalAction
from console.web.data import ConsoleData
from console.web.texts import Plural, gettext_noop, ngettext_noop
from crawler.guarding.guard import guard_from, host_and_port
from crawler.scheduling.schedule import Schedule
from crawler.task_list.change import changed_task, task_block
from crawler.task_list.edit import add_task, existing_list
from crawler.task_list.identity import contact_of
from crawler.task_list.models import TaskFile
from workers.health.store import dismiss_alarms
from workers.ledger import Ledger
from workers.redesign.proposals import GapCounts, proposal_of
from workers.task_state.problems import drop, drop_row, failures, is_in_block, retry, retry_row
from workers.writing.refused_rows import refused_rows


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an action: a text with its values. `ok`: whether it was completed; `notes`: the remaining steps."""

    text: str | Plural
    values: Mapping[str, Any]
    ok: bool = True
    notes: tuple[str, ...] = ()


_RESULTS = {  # by whether rows are meant, and whether they are retried
    (False, True): ngettext_noop(
        "%(number)s page of %(task)s waits again.", "%(number)s pages of %(task)s wait again."
    ),
    (False, False): ngettext_noop("%(number)s page of %(task)s dropped.", "%(number)s pages of %(task)s dropped."),
    (True, True): ngettext_noop("%(number)s row of %(task)s waits again.", "%(number)s rows of %(task)s wait again."),
    (True, False): ngettext_noop("%(number)s row of %(task)s dropped.", "%(number)s rows of %(task)s dropped."),
}


class ConsoleActions:
    """The actions of a console."""

    def __init__(self, data: ConsoleData):
        self.data = data

    def run_now(self, task: str) -> Done:
        """Make a task due; it runs as soon as a crawl worker is free."""
        refusals = {
            "unpublished": gettext_noop("Task %(task)s is not in force yet: start the tasks first."),
            "removed": gettext_noop("Task %(task)s is no longer in the task list."),
        }
        if refusal := refusals.get(self.data.task(task).state):
            return Done(refusal, {"task": task}, False)
        Schedule(self.data.redis).fire_now([task])
        self.data.expire()
        text = gettext_noop("Task %(task)s is due and starts as soon as a crawl worker is free.")
        if not self.data.roles()["crawl"]:
            text = gettext_noop("Task %(task)s is due. No crawl worker is alive: start the tasks.")
        return Done(text, {"task": task})

    def act_on_failures(self, wanted: ApiFailureAction) -> Done:
        """Retry or drop failed pages, or refused rows: one URL, a group by its key, or all of the task."""
        ledger = Ledger(self.data.redis, wanted.task)
        is_retry, is_rows = wanted.do == "retry", wanted.what == "rows"
        if is_rows:
            rows = [row for row in refused_rows(ledger.redis, wanted.task) if wanted.key in (None, alike(row.reason))]
            number = sum((retry_row if is_retry else drop_row)(ledger, row) for row in rows)
        else:
            urls = [] if wanted.url is None else [wanted.url]
            if wanted.url is None:
                found = groups(page.problem for page in failures(ledger))
                urls = [url for group in found if wanted.key in (None, group.key) for url in group.urls]
            number = sum((retry if is_retry else drop)(ledger, url) for url in urls)
        self.data.expire()
        return Done(_RESULTS[is_rows, is_retry], {"number": number, "task": wanted.task}, number > 0)

    def accept(self, task: str, url: str) -> Done:
        """Accept a rejected page as an article."""
        ledger = Ledger(self.data.redis, task)
        is_blocked = is_in_block(ledger, url)
        accepted = not is_blocked and ledger.accept(url)
        self.data.expire()
        text = (
            gettext_noop("Accepted; the next run fetches it again.")
            if accepted
            else gettext_noop("The site sends block pages instead of articles; it is fetched again when that is over.")
            if is_blocked
            else gettext_noop("The page is no longer rejected.")
        )
        return Done(text, {}, accepted)

    # -- alarms and proposals ---------------------------------------------------------------------------------------

    def decide(self, task: str, wanted: ApiProposalAction) -> Done:
        """Adopt or dismiss the proposed example that a person saw; no other one is decided on.

        Raises `ExemplarError` if it cannot be adopted, or is already adopted or dismissed.
        """
        proposal = proposal_of(self.data.redis, task)
        if proposal is None or proposal.url != wanted.url:
            other = gettext_noop("Another example has been proposed in the meantime. Review it first.")
            return Done(other, {}, ok=False)
        if wanted.do == "dismiss":
            dismiss_proposal(self.data.redis, proposal)
            self.data.expire()
            text = gettext_noop(
                "Dismissed. As long as %(task)s has its present example, no other one is proposed; this one can still "
                "be adopted."
            )
            return Done(text, {"task": task})
        proposal, notes = adopt_proposal(self.data.redis, task, self.data.config.tasks)
        self.data.expire()
        gap = proposal.gap or GapCounts()
        text = gettext_noop(
            "The example of %(task)s is adopted. Pages extracted again: %(stored)s at once, %(to_fetch)s after the "
            "next run has fetched them."
        )
        values = {"task": task, "stored": gap.stored, "to_fetch": gap.to_fetch}
        return Done(text, values, ok=not notes, notes=tuple(notes))

    def dismiss_alarm(self, wanted: ApiAlarmAction) -> Done:
        """End an open alarm of a task: what it shows is usual from now on."""
        task = self.data.task(wanted.task).name
        ended = dismiss_alarms(self.data.redis, task, [wanted.kind])
        self.data.expire()
        text = (
            gettext_noop("The alarm of %(task)s is dismissed: what it showed is usual from now on.")
            if ended
            else gettext_noop("This alarm of %(task)s is no longer open.")
        )
        return Done(text, {"task": task}, bool(ended))

    # -- tasks.yaml -------------------------------------------------------------------------------------------------

    def lacks_contact(self, url: str = "") -> bool:
        """Whether no contact for site owners is set, without which public sites are not read.

        With `url`, whether its site would be refused for that.
        """
        tasks, mistakes = self.data.file.read()
        listed = tasks or (existing_list(self.data.config.tasks).tasks if not mistakes else TaskFile(tasks={}))
        is_allowed = url and guard_from(listed.settings.allow_hosts).lists(*host_and_port(url))
        return not contact_of(listed.settings) and not is_allowed

    def add_task(self, entry: Mapping[str, Any], contact: str = "") -> Done:
        """Add a task to tasks.yaml, and the contact if the file has none.

        Raises `TaskFileError` or `TaskError`; then the file is unchanged.
        """
        added = add_task(self.data.config.tasks, entry, contact)
        self.data.expire()
        known = gettext_noop("Task %(task)s is already in the task list.")
        text = gettext_noop("Task %(task)s added.") if added else known
        return Done(text, {"task": entry["name"]})

    def settings_of(self, task: str) -> str:
        """Return the keys of a task in the text of tasks.yaml. Raises `TaskError`."""
        return task_block(self.data.config.tasks, task)

    def save_settings(self, task: str, text: str) -> Done:
        """Replace the keys of a task in tasks.yaml. Raises `TaskFileError` with the mistakes of the new text."""
        changed = changed_task(self.data.config.tasks, task, text)
        self.data.expire()
        return Done(gettext_noop("Saved.") if changed else gettext_noop("Nothing was changed."), {})

    def pause(self, task: str, *, paused: bool) -> Done:
        """Pause a task, or end its pause. Raises `TaskError`."""
        path = self.data.config.tasks
        lines = [line for line in task_block(path, task).splitlines() if not line.startswith("paused:")]
        if paused:
            lines.append("paused: true")
        changed_task(path, task, "\n".join(lines) + "\n")
        self.data.expire()
        text = gettext_noop("Task %(task)s is paused.") if paused else gettext_noop("Task %(task)s is resumed.")
        return Done(text, {"task": task})
