"""`exemplar proposals`: shows, adopts or dismisses examples that are proposed after redesigns."""

from collections.abc import Sequence
from pathlib import Path

import click
import redis

from console.commands.backtest import page_lines, summary_lines
from console.locale import in_language, word
from console.options import examples, json_option, known_ledger, redis_of, tasks_file, tasks_option
from console.proposal_decisions import adopt_proposal, dismiss_proposal, proposal_json
from console.terminal import counted, moment, print_json, say, show, show_data
from workers.errors import ExemplarError
from workers.redesign.proposals import Proposal, proposal_of, proposals
from workers.unproposed import unproposed


@click.command(
    epilog=examples(
        "exemplar proposals",
        "exemplar proposals kuaibao",
        "exemplar proposals kuaibao --adopt",
        "exemplar proposals kuaibao --dismiss",
    )
)
@click.argument("task", required=False)
@click.option(
    "--adopt", is_flag=True, help="Put the proposed example in force, and extract the pages since the redesign again."
)
@click.option("--dismiss", is_flag=True, help="Keep the present example; no other one is proposed in its place.")
@tasks_option
@json_option
def command(task: str | None, adopt: bool, dismiss: bool, tasks: Path | None, as_json: bool) -> None:
    """Show the examples that are proposed after a redesign; for TASK, also what would change.

    An adopted example is in force in the whole cluster at once, and is written into the tasks.yaml that is in
    force. The pages between the redesign and the adoption are extracted again: stored ones at once, the others are
    fetched by the next run. The former example still votes on pages of its template.
    """
    if adopt and dismiss:
        raise click.UsageError("give --adopt or --dismiss, not both")
    if (adopt or dismiss) and task is None:
        raise click.UsageError("name the task whose proposal is meant")
    with redis_of(tasks, purpose="proposals") as connection:
        chosen = _chosen(connection, task)
        if task is None:
            _list(chosen, as_json)
            return
        [proposal] = chosen
        notes: list[str] = []
        if adopt:
            proposal, notes = adopt_proposal(connection, proposal.task, tasks_file(tasks))
        elif dismiss:
            proposal = dismiss_proposal(connection, proposal)
    if as_json:
        print_json(proposal_json(proposal) | {"notes": notes})
        return
    if adopt or dismiss:
        _show_decision(proposal)
    else:
        _show(proposal)
    for note in notes:
        say(f"note: {note}")


def _chosen(connection: redis.Redis, task: str | None) -> list[Proposal]:
    """Return the proposals of all tasks, or that of one. Raises `TaskError` or `ExemplarError` if there is none."""
    if task is None:
        return sorted(proposals(connection), key=lambda proposal: proposal.at, reverse=True)
    if (proposal := proposal_of(connection, task)) is None:
        known_ledger(connection, task)
        if reason := unproposed(connection, [task]).get(task):
            reason = f": {reason}; run `exemplar backtest {task} --example URL`"
        raise ExemplarError(f"no example is proposed for task {task}{reason or ''}")
    return [proposal]


def _list(chosen: Sequence[Proposal], as_json: bool) -> None:
    if as_json:
        for proposal in chosen:
            print_json(proposal_json(proposal))
        return
    if not chosen:
        say("no example is proposed")
        return
    for one in chosen:
        old, new = one.test.fitting()
        since = f"since {moment(one.since)}, {counted(one.low, 'page')}, fits {old} → {new}"
        show_data(f"{one.task}: {word(one.state)} {in_language(since)}: {one.url}")


def _show(proposal: Proposal) -> None:

    show(f"{proposal.task}: {proposal.url}  {proposal.title}")
    show(f"  instead of {proposal.former}; {proposal.state}, found {moment(proposal.at)}")
    show(
        f"  {counted(proposal.low, 'page')} off the template of the present example since {moment(proposal.since)}; "
        f"{proposal.cluster} of those that are kept have the template of the proposed one"
    )
    if proposal.problem:
        show(f"  {proposal.problem}")
    show("back-test:")
    for line in (*summary_lines(proposal.test), *page_lines(proposal.test)):
        show(f"  {line}")
    if proposal.state == "proposed":
        show(f"Next: exemplar proposals {proposal.task} --adopt, or --dismiss")


def _show_decision(proposal: Proposal) -> None:
    if proposal.state == "dismissed":
        say(f"{proposal.task}: dismissed; as long as the example is {proposal.former}, no other one is proposed")
        return
    say(f"{proposal.task}: {proposal.url} is the example now; {proposal.former} is still used for older pages")
    if proposal.gap is not None:
        say(
            f"{proposal.task}: to be extracted again: {counted(proposal.gap.stored, 'page')} without a request, "
            f"{counted(proposal.gap.to_fetch, 'page')} after the next run has fetched them"
        )
