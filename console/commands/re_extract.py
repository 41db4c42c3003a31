"""`exemplar re-extract TASK`: extracts the kept pages again, without a request."""

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from console.locale import in_language, word
from console.options import (
    DAY,
    examples,
    json_option,
    ledger_of,
    method_option,
    task_argument,
    tasks_option,
)
from console.terminal import counted, print_json, say, show, show_data, tallied
from crawler.logs import start_logging

if TYPE_CHECKING:
    from workers.extraction.re_extraction import NewRow, ReExtractionReport
    from workers.extraction.section_preparation import PreparedSection


@click.command(
    epilog=examples(
        "exemplar re-extract kuaibao --dry-run",
        "exemplar re-extract kuaibao --example https://news.example/a/2024/0312/345.html",
        "exemplar re-extract kuaibao --method density --since 2024-03-01",
    )
)
@task_argument
@click.option("--example", metavar="URL", help="Compare with this kept page instead of the task's example.")
@method_option
@click.option("--since", type=DAY, metavar="DAY", help="Only pages fetched since DAY (UTC).")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--processes", type=click.IntRange(1), metavar="N", help="Processes.  [default: one per core]")
@tasks_option
@json_option
def command(
    task: str,
    example: str | None,
    method: str | None,
    since: Any,
    dry_run: bool,
    processes: int | None,
    tasks: Path | None,
    as_json: bool,
) -> None:
    """Extract the kept pages of TASK again, and write new versions of the rows whose title or text differs.

    The task needs `keep_pages`. Nothing is fetched. An interrupted run is completed by the next one.
    """

    from workers.extraction.re_extraction import ReExtraction, kept_pages_for, section_for

    start_logging()
    with ledger_of(task, tasks, purpose="re-extract") as ledger:
        kept = kept_pages_for(ledger)
        section = section_for(ledger, kept, example=example, method=method)
        first = since.replace(tzinfo=UTC).timestamp() if since is not None else 0.0
        try:
            work = ReExtraction(ledger, kept, section, processes=processes)
            report = work.run(since=first, dry_run=dry_run)
        finally:
            section.close()
            kept.close()
        samples = [_sample(section, new_row) for new_row in report.samples]
    if as_json:
        print_json(_as_json(task, report, samples, dry_run))
    else:
        _show(task, report, samples, dry_run)
        if (example or method) and report.rows and not dry_run:
            say(f"note: later runs use example and method of tasks.yaml; set them there to keep the new form of {task}")
    if report.failed:
        raise click.exceptions.Exit(1)


def _sample(section: "PreparedSection", new_row: "NewRow") -> dict[str, Any]:
    """Return URL, title, version and the first differing words of a new row."""
    from workers.writing.outputs import earlier_row, first_difference

    row = new_row.row
    earlier = earlier_row(section.outputs, row, new_row.earlier) if new_row.earlier else None
    before = after = None
    if earlier is not None:
        field = "text" if earlier.get("title") == row["title"] else "title"
        before, after = first_difference(earlier.get(field) or "", row[field] or "")
    named = {name: row[name] for name in ("canonical_url", "title", "version")}
    return named | {"before": before, "after": after}


def _as_json(task: str, report: "ReExtractionReport", samples: list[dict[str, Any]], dry_run: bool) -> dict[str, Any]:
    counts = ("pages", "same", "changed", "refused", "failed", "postponed", "duplicates", "rows", "new_rows")
    return {
        "task": task,
        "dry_run": dry_run,
        **{name: getattr(report, name) for name in counts},
        "completed": report.completed,
        "samples": samples,
        "failures": [{"url": url, "reason": reason} for url, reason in report.failures],
    }


def _show(task: str, report: "ReExtractionReport", samples: list[dict[str, Any]], dry_run: bool) -> None:
    if report.completed:
        show(f"{task}: {counted(report.completed, 'row')} of an interrupted run written")
    judged = tallied({name: getattr(report, name) for name in ("same", "changed", "refused", "failed")})
    written = "would be written" if dry_run else "written"
    show(f"{task}: {counted(report.pages, 'page')}: {judged}; {counted(report.rows, 'row')} {written}")
    if report.new_rows:
        show(f"  {counted(report.new_rows, 'row')} of pages that had none")
    if report.duplicates:
        show(f"  {counted(report.duplicates, 'page')} of articles that already have a row")
    if report.postponed:
        show(f"  {counted(report.postponed, 'page')} being fetched or extracted now; repeat the command later")
    for sample in samples:
        title = sample["title"] or word("(no title)")
        version = in_language(f"version {sample['version']}")
        show_data(f"  {sample['canonical_url']}  {title}  {version}")
        if sample["after"] is not None:
            show_data(f"    - {sample['before']!r}\n    + {sample['after']!r}")
    for url, reason in report.failures:
        show(f"  failed: {url}: {reason}")
