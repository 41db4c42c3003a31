"""The options `--report` and `--explain` of `exemplar extract` and `exemplar try`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from console.inputs import Missing, PageIn
from console.locale import wording_here
from console.report.document import ReportHead, render_report, write_report
from console.report.gathering import Explainer, ReportedPage
from console.report.short_form import explained_rows
from console.terminal import say, show_data
from extractors import Section, UnusablePage

if TYPE_CHECKING:
    from crawler.scouting.sample_extractions import SampleExtraction
    from crawler.scouting.trial import ReadList, Trial
    from crawler.task_list.models import Task
    from workers.inbox import StoredPage

MOST_PAGES = 50  # pages of a report


class PageExplanations:
    """Explains the pages of `exemplar extract` one after another. `report`: the file to write; None for none."""

    def __init__(
        self, section: Section, example: PageIn | None, report: Path | None, explained: bool, insist: bool
    ) -> None:
        self._explainer = Explainer(section, example, "never" if insist else "sure")
        self._report, self._explained = report, explained
        self._pages: list[ReportedPage] = []
        self._left = 0

    def add(self, page: PageIn | Missing, screenshot: bytes | None = None) -> None:
        """Explain a page; print the explanation immediately if that was requested."""
        if len(self._pages) == MOST_PAGES:
            self._left += 1
            return
        self._pages.append(
            self._explainer.page(replace(page, screenshot=screenshot))
            if isinstance(page, PageIn)
            else ReportedPage(page.name, error=page.reason)
        )
        if self._explained:
            _show_pages(self._pages[-1:])

    def write(self) -> None:
        """Write the report, if one was requested. Raises `ExemplarError` if it cannot be written."""
        notes = (f"{self._left} further pages are not explained",) if self._left else ()
        title = self._pages[0].name if len(self._pages) == 1 else f"{len(self._pages)} pages"
        if self._report is not None:
            write(self._report, ReportHead(title, _now(), notes=notes), self._pages)
        elif notes:
            say(f"note: {notes[0]}")


def explain_trial(
    trial: "Trial", task: "Task", answers: "dict[str, StoredPage]", report: Path | None, explained: bool
) -> None:
    """Explain the example and the articles of a trial; `answers`: the pages that it read, by the URL requested."""
    sources = {
        url: PageIn(url, page.body, page.url, page.content_type, page.fetched_at) for url, page in answers.items()
    }
    sources |= {source.url: source for source in list(sources.values()) if source.url}
    example = sources.get(trial.example.url)
    explainer = _explainer_of(task, example)
    pages = [_of_sample(explainer, sources, trial.example, "example")]
    pages += [
        _of_sample(explainer, sources, sample, "page") for sample in trial.samples if sample.url != trial.example.url
    ]
    if explained:
        _show_pages(pages)
    if report is not None:
        write(report, _head_of(trial), pages, trial.lists)


def write(report: Path, head: ReportHead, pages: Sequence[ReportedPage], lists: "Sequence[ReadList]" = ()) -> None:
    """Write a report and print its path. Raises `ExemplarError` if it cannot be written."""
    write_report(report, render_report(head, pages, wording_here(), lists))
    say(f"report: {report}")


def _explainer_of(task: "Task", example: PageIn | None) -> Explainer:
    """Return the explainer of a task's pages, prepared like its trial."""
    try:
        if example is not None:
            return Explainer(Section(example.body, example.url, method=task.method), example)
    except UnusablePage:
        pass
    return Explainer(Section(None, method="density"))


def _of_sample(explainer: Explainer, sources: dict[str, PageIn], sample: "SampleExtraction", role: str) -> ReportedPage:
    source = sources.get(sample.url)
    if source is None:
        return ReportedPage(sample.url, role, error=sample.reason)
    return explainer.page(replace(source, role=role))


def _head_of(trial: "Trial") -> ReportHead:
    articles = sum(bool(sample.characters) for sample in trial.samples)
    return ReportHead(
        trial.task,
        _now(),
        (
            ("Pattern", trial.pattern),
            ("List pages read", str(len(trial.lists))),
            ("Articles found", str(trial.found)),
            ("Extracted", f"{articles} of {len(trial.samples)}"),
            ("Without the example", str(sum(bool(s.characters) and not s.by_example for s in trial.samples))),
            ("Forbidden by robots.txt", str(len(trial.forbidden))),
        ),
        trial.problems,
        trial.warnings,
    )


def _show_pages(pages: Sequence[ReportedPage]) -> None:
    for page in pages:
        show_data("\n".join(["", *explained_rows(page, wording_here())]))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
