"""`exemplar backtest TASK`: the effect of another example or method on stored pages."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from console.locale import in_language
from console.options import examples, json_option, ledger_of, method_option, tasks_option
from console.terminal import counted, print_json, say, show, show_data, tallied
from crawler.task_list.publication import published_task
from extractors import Section, UnusablePage
from extractors.html.urls import normalise
from workers.errors import ExemplarError
from workers.extraction.section_preparation import SectionPreparation
from workers.extraction_config import ExtractionConfig, config_of, example_of
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redesign.backtest import BackTest, PageComparison, back_test
from workers.redesign.backtest_pages import pages_to_test, stored_page, with_former
from workers.reporting.worker_reports import Watch

PAGES = 20
SHOWN = 10  # pages that are shown, unless all are requested


@click.command(
    epilog=examples(
        "exemplar backtest kuaibao --example https://news.example/a/2024/0312/345.html",
        "exemplar backtest kuaibao --method density --pages 50 --json",
    )
)
@click.argument("task")
@click.option("--example", metavar="URL", help="Compare with this page instead of the task's example.")
@method_option
@click.option(
    "--pages", type=click.IntRange(1, 1000), default=PAGES, show_default=True, help="Maximum number of pages."
)
@tasks_option
@json_option
def command(task: str, example: str | None, method: str | None, pages: int, tasks: Path | None, as_json: bool) -> None:
    """Extract stored pages of TASK with another example or method, and compare the fields; write nothing.

    Pages are the newest kept ones (`keep_pages`), else pages off the template and recent pages, which are in Redis.
    Only the example is fetched, if it is not stored. Exit code 1 if a page would lose its article.
    """
    if not example and not method:
        raise click.UsageError("name another example by --example URL, or another method by --method NAME")
    with ledger_of(task, tasks, purpose="backtest") as ledger:
        config = config_of(ledger.redis, task)
        if config is None:
            raise ExemplarError(f"task {task} is not published; run it first")
        stored, source = pages_to_test(ledger.redis, config, most=pages)
        if not stored:
            raise ExemplarError(f"no page of task {task} is stored; set keep_pages: 30d, and run the task")
        old, new = _sections(ledger, config, example, method, tasks)
        test = back_test(old, new, stored, source, config.refuse)
    if as_json:
        print_json({"task": task, "example": example, "method": method} | test.to_dict())
    else:
        for line in summary_lines(test):
            show_data(f"{task}: {in_language(line)}")
        for line in page_lines(test):
            show(f"  {line}")
    if test.lost:
        raise click.exceptions.Exit(1)


def _sections(
    ledger: Ledger, config: ExtractionConfig, example: str | None, method: str | None, tasks: Path | None
) -> tuple[Section, Section]:
    """Return the present section of a task and the other one. Raises `ExemplarError` for an unusable example."""
    other = replace(config, method=method) if method is not None else config
    prepared = [SectionPreparation(ledger.redis, Watch()).prepare(one) for one in (config, other)]
    for one in prepared:
        one.close()
    if example is None:
        return prepared[0].section, prepared[1].section
    page = _example_page(ledger, config, normalise(example), tasks)
    former = example_of(ledger.redis, config.task)
    try:
        return prepared[0].section, with_former(page, former, other.method)
    except UnusablePage as error:
        raise ExemplarError(f"unusable example {example}: {error}") from None


def _example_page(ledger: Ledger, config: ExtractionConfig, url: str, tasks: Path | None) -> StoredPage:
    """Return the page of the new example: a stored one, else it is fetched. Raises `ExemplarError`."""
    from crawler.fetching.single_pages import run_survey

    page = stored_page(ledger.redis, config, url)
    if page is not None:
        return page
    listed = published_task(ledger.redis, config.task)
    say(f"{url} is not stored; fetching it")

    async def survey(fetch: Any) -> Any:
        return await fetch(url)

    answer = run_survey(survey, listed.settings, task=listed[config.task])
    if not isinstance(answer, StoredPage):
        raise ExemplarError(f"example {url} is unavailable: {answer}")
    return answer


def summary_lines(test: BackTest) -> Iterator[str]:
    """Yield the figures of a back-test."""
    old, new = test.confidence()
    fits_old, fits_new = test.fitting()
    counts = tallied({"without an article" if kind == "none" else kind: n for kind, n in test.counts.items()})
    yield f"{counted(len(test.pages), 'page')} ({test.source}): {counts}"
    yield (
        f"text F1 {test.mean_f1:.2f}; fits {fits_old} → {fits_new} pages; mean confidence {old:.2f} → {new:.2f} "
        "(present → new)"
    )


def page_lines(test: BackTest) -> Iterator[str]:
    """Yield the pages that differ, with the differing fields; at most `SHOWN` pages."""
    differing = [page for page in test.pages if page.kind not in ("same", "none")]
    for page in differing[:SHOWN]:
        yield from _lines_of(page)
    if len(differing) > SHOWN:
        yield f"… and {counted(len(differing) - SHOWN, 'page')} more: --json shows them"


def _lines_of(page: PageComparison) -> Iterator[str]:
    yield f"{page.kind:8} {page.url}"
    if page.kind in ("lost", "gained"):
        for name, fields in (("present", page.old), ("new", page.new)):
            found = f"{fields.title or '(no title)'}, {fields.characters} characters"
            yield f"    {name:8} {found if fields.characters else fields.reason}"
        return
    for name in page.differing:
        if name == "text":
            yield (
                f"    {name:10} {page.old.characters} → {page.new.characters} characters, F1 {page.f1:.2f}, confidence "
                f"{page.old.confidence:.2f} → {page.new.confidence:.2f}"
            )
            yield f"      head {page.change.head!r}"
            yield f"      tail {page.change.tail!r}"
            yield from (f"      - {line!r}" for line in page.change.removed)
            yield from (f"      + {line!r}" for line in page.change.added)
        else:
            yield f"    {name:10} {getattr(page.old, name)!r} → {getattr(page.new, name)!r}"
