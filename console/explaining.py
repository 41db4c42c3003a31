"""The options `--report` and `--explain` of `exemplar extract` and `exemplar try`."""

from collections.abc import Sequence
from dataclasses import replace
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
    from crawler.scouting.trial import ReadList, Trial
    from crawler.task_list.models import Task
    from workers.inbox import StoredPage

MOST_PAGES = 50  # pages of a report


class PageExplanations:
    """Explains pages one after another. `report`: the file to write, None for none; `explained`: print explanations."""

    def __init__(self, explainer: Explainer, report: Path | None, explained: bool) -> None:
        self._explainer, self._report, self._explained = explainer, report, explained
        self._pages: list[ReportedPage] = []
        self._left = 0

    def add(self, page: PageIn | Missing) -> None:
        """Explain a page; print the explanation immediately if that was requested."""
        if len(self._pages) == MOST_PAGES:
            self._left += 1
            return
        found = self._explainer.page(page) if isinstance(page, PageIn) else ReportedPage(page.name, error=page.reason)
        self._pages.append(found)
        if self._explained:
            show_data("\n".join(["", *explained_rows(found, wording_here())]))

    def write(self, head: ReportHead | None = None, lists: "Sequence[ReadList]" = ()) -> None:
        """Write the report, if one was requested. Raises `ExemplarError` if it cannot be written."""
        notes = (f"{self._left} further pages are not explained",) if self._left else ()
        title = self._pages[0].name if len(self._pages) == 1 else f"{len(self._pages)} pages"
        if self._report is not None:
            head = head or ReportHead(title, notes=notes)
            write_report(self._report, render_report(head, self._pages, wording_here(), lists))
            say(f"report: {self._report}")
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
    explanations = PageExplanations(_explainer_of(task, sources.get(trial.example.url)), report, explained)
    for sample in {sample.url: sample for sample in (trial.example, *trial.samples)}.values():
        source = sources.get(sample.url)
        role = "example" if sample.url == trial.example.url else "page"
        explanations.add(replace(source, role=role) if source else Missing(sample.url, sample.reason))
    explanations.write(ReportHead(trial.task, problems=trial.problems, notes=trial.warnings), trial.lists)


def _explainer_of(task: "Task", example: PageIn | None) -> Explainer:
    """Return the explainer of a task's pages, prepared like its trial."""
    try:
        if example is not None:
            return Explainer(Section(example.body, example.url, method=task.method), example)
    except UnusablePage:
        pass
    return Explainer(Section(None, method="density"))
