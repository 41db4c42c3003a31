"""The actions of the console: on runs, failed pages, refused rows and tasks.yaml. Each returns its result.

The steps are those of the commands: `exemplar failures`, `accept`, `add`, `check`, `proposals`, `alarms`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from console.problems import accept_page, alike, groups
from console.proposal_decisions import adopt_proposal, dismiss_proposal
from console.web import api_types as types
from console.web.data import ConsoleData
from console.web.snapshot import task_list
from crawler.guarding.guard import guard_from, host_and_port
from crawler.scheduling.schedule import Schedule
from crawler.task_list.change import changed_task, task_block
from crawler.task_list.edit import add_task, existing_list
from crawler.task_list.identity import contact_of
from crawler.task_list.models import TaskFile
from workers.extraction_config import config_of
from workers.health.store import dismiss_alarms
from workers.ledger import Ledger
from workers.redesign.proposals import GapCounts, proposal_of
from workers.task_state.problems import drop, failures, retry
from workers.writing.refused_rows import drop_refused, refused_rows, retry_refused


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an action in words. `ok`: whether it was completed; `notes`: the remaining steps."""

    text: str
    ok: bool = True
    notes: tuple[str, ...] = ()


RequestedAction = Callable[["ConsoleActions", str, Any], Done]


class ConsoleActions:
    """The actions of a console. Those with `wanted` are requested by a form or the API; `task`: of the address."""

    def __init__(self, data: ConsoleData):
        self.data = data

    def run_now(self, task: str) -> Done:
        """Make a task due; it runs as soon as a crawl worker is free."""
        refusals = {
            "unpublished": f"Task {task} is not in force yet: start the tasks first.",
            "removed": f"Task {task} is no longer in the task list.",
        }
        if refusal := refusals.get(self.data.task(task).state):
            return Done(refusal, False)
        Schedule(self.data.redis).fire_now([task])
        self.data.expire()
        if not self.data.roles()["crawl"]:
            return Done(f"Task {task} is due. No crawl worker is alive: start the tasks.")
        return Done(f"Task {task} is due and starts as soon as a crawl worker is free.")

    def act_on_task(self, task: str, wanted: types.ApiTaskAction) -> Done:
        """Run a task now, pause it, or end its pause."""
        return self.run_now(task) if wanted.do == "run" else self.pause(task, paused=wanted.do == "pause")

    def act_on_failures(self, _: str, wanted: types.ApiFailureAction) -> Done:
        """Retry or drop failed pages, or refused rows: one URL, a group by its key, or all of the task."""
        ledger = Ledger(self.data.redis, wanted.task)
        is_retry, is_rows = wanted.do == "retry", wanted.what == "rows"
        if is_rows:
            rows = [row for row in refused_rows(ledger.redis, wanted.task) if wanted.key in (None, alike(row.reason))]
            number = sum((retry_refused if is_retry else drop_refused)(ledger.redis, row) for row in rows)
        else:
            urls = [] if wanted.url is None else [wanted.url]
            if wanted.url is None:
                found = groups(failures(ledger))
                urls = [url for group in found if wanted.key in (None, group.key) for url in group.urls]
            number = sum((retry if is_retry else drop)(ledger, url) for url in urls)
        self.data.expire()
        if is_rows:
            done = "rows that wait again" if is_retry else "rows dropped"
        else:
            done = "pages that wait again" if is_retry else "pages dropped"
        return Done(f"{wanted.task}: {done}: {number}", number > 0)

    def accept(self, task: str, wanted: types.ApiAcceptance) -> Done:
        """Accept a rejected page as an article."""
        config, url = config_of(self.data.redis, task), wanted.url
        why = accept_page(Ledger(self.data.redis, task), config, url) if config else "its task is not in force"
        self.data.expire()
        return Done(f"{url}: {why}" if why else "Accepted; the next run fetches it again.", not why)

    # -- alarms and proposals ---------------------------------------------------------------------------------------

    def decide(self, task: str, wanted: types.ApiProposalAction) -> Done:
        """Adopt or dismiss the proposed example that a person saw; no other one is decided on.

        Raises `ExemplarError` if it cannot be adopted, or is already adopted or dismissed.
        """
        proposal = proposal_of(self.data.redis, self.data.task(task).name)
        if proposal is None or proposal.url != wanted.url:
            return Done("Another example has been proposed in the meantime. Review it first.", ok=False)
        if wanted.do == "dismiss":
            dismiss_proposal(self.data.redis, proposal)
            self.data.expire()
            return Done(
                f"Dismissed. As long as {task} has its present example, no other one is proposed; this one can still "
                "be adopted."
            )
        proposal, notes = adopt_proposal(self.data.redis, task, self.data.config.tasks)
        self.data.expire()
        gap = proposal.gap or GapCounts()
        text = (
            f"The example of {task} is adopted. Pages extracted again: {gap.stored} at once, {gap.to_fetch} after the "
            "next run has fetched them."
        )
        return Done(text, ok=not notes, notes=tuple(notes))

    def dismiss_alarm(self, _: str, wanted: types.ApiAlarmAction) -> Done:
        """End an open alarm of a task: what it shows is usual from now on."""
        task = self.data.task(wanted.task).name
        ended = dismiss_alarms(self.data.redis, task, [wanted.kind])
        self.data.expire()
        if not ended:
            return Done(f"This alarm of {task} is no longer open.", ok=False)
        return Done(f"The alarm of {task} is dismissed: what it showed is usual from now on.")

    # -- tasks.yaml -------------------------------------------------------------------------------------------------

    def lacks_contact(self, url: str = "") -> bool:
        """Whether no contact for site owners is set, without which public sites are not read.

        With `url`, whether its site would be refused for that.
        """
        tasks, mistakes = task_list(self.data.config.tasks)
        listed = tasks or (existing_list(self.data.config.tasks).tasks if not mistakes else TaskFile(tasks={}))
        is_allowed = url and guard_from(listed.settings.allow_hosts).lists(*host_and_port(url))
        return not contact_of(listed.settings) and not is_allowed

    def add_new_task(self, _: str, wanted: types.ApiNewTask) -> Done:
        """Add a task to tasks.yaml; a mistake in its keys is an error, and nothing is written."""
        return self.add_task({"name": wanted.name, **wanted.keys})

    def add_task(self, entry: Mapping[str, Any], contact: str = "") -> Done:
        """Add a task to tasks.yaml, and the contact if the file has none.

        Raises `TaskFileError` or `TaskError`; then the file is unchanged.
        """
        added = add_task(self.data.config.tasks, entry, contact)
        self.data.expire()
        name = entry["name"]
        return Done(f"Task {name} added." if added else f"Task {name} is already in the task list.")

    def save_settings(self, task: str, text: str) -> Done:
        """Replace the keys of a task in tasks.yaml. Raises `TaskFileError` with the mistakes of the new text."""
        changed = changed_task(self.data.config.tasks, task, text)
        self.data.expire()
        return Done("The task is saved." if changed else "Nothing was changed.")

    def pause(self, task: str, *, paused: bool) -> Done:
        """Pause a task, or end its pause. Raises `TaskError`."""
        path = self.data.config.tasks
        lines = [line for line in task_block(path, task).splitlines() if not line.startswith("paused:")]
        if paused:
            lines.append("paused: true")
        changed_task(path, task, "\n".join(lines) + "\n")
        self.data.expire()
        return Done(f"Task {task} is paused." if paused else f"Task {task} is resumed.")
