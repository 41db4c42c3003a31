"""The options `--report` and `--explain` of `exemplar extract` and `exemplar try`.

Text of pages is made printable, so that it cannot control the terminal, and never translated; messages are. Lines of
pages are cut.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from console.inputs import Missing, PageIn
from console.locale import translator_of, wording_here
from console.locale.translator import Translator
from console.report.document import ReportHead, render_report, write_report
from console.report.gathering import Explainer, ReportedPage
from console.terminal import columns_of, say, show_data
from crawler.logs import printable
from crawler.scouting.trial import ReadList, Trial
from crawler.task_list.models import Task
from extractors import Section, UnusablePage
from extractors.explanation.values import ExplainedField, ExplainedLine, Explanation
from workers.page_store import StoredPage

MOST_PAGES = 50  # pages of a report
SHOWN = 70  # characters of a line of a page
NAMES = 12  # columns of the names of rows
MOST_RUNS = 60  # runs of lines with one decision that are shown
Row = tuple[str, str]  # the name of a row, which may be empty, and its text


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

    def write(self, head: ReportHead | None = None, lists: Sequence[ReadList] = ()) -> None:
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
    trial: Trial, task: Task, answers: dict[str, StoredPage], report: Path | None, explained: bool
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


def _explainer_of(task: Task, example: PageIn | None) -> Explainer:
    """Return the explainer of a task's pages, prepared like its trial."""
    try:
        if example is not None:
            return Explainer(Section(example.body, example.url, method=task.method), example)
    except UnusablePage:
        pass
    return Explainer(Section(None, method="density"))


# The short form


def explained_rows(page: ReportedPage, wording: Translator | None = None) -> list[str]:
    """Return the explanation of a page as lines. `wording`: None for English."""
    rows = _rows(page, wording or translator_of("en"))
    return [name + " " * (NAMES - columns_of(name)) + printable(text.replace("\n", " ")) for name, text in rows]


def _rows(page: ReportedPage, words: Translator) -> Iterator[Row]:
    explanation = page.explanation
    yield words.word("page"), page.name
    if explanation is None:
        yield words.word("missing"), words.text(page.error)
        return
    result, curves = explanation.result, explanation.curves
    found = f"method {result.method}, confidence {result.confidence:.2f}" if result else "no article"
    yield words.word("answer"), words.text(found)
    yield words.word("because"), words.text(result.reason)
    for number, ground in enumerate(explanation.grounds):
        name, value, meaning = (words.text(text) for text in (ground.name, ground.value, ground.meaning))
        yield "" if number else words.text("based on"), f"{name}: {value} ({meaning})"
    if curves.weights:
        turning = f"turning points: head at line {curves.head}, tail at {curves.tail} of {len(explanation.lines)}"
        yield words.word("text"), words.text(turning)
    yield from _lines(explanation, words)
    for number, answer in enumerate(page.methods):
        yield "" if number else words.word("methods"), f"{answer.f1:.2f}  {answer.name}"
    for field in explanation.fields:
        yield from _field(field, words)


def _lines(explanation: Explanation, words: Translator) -> Iterator[Row]:
    """Yield the runs of lines with one decision: numbers, decision and reason of the first, its text."""
    counts = Counter(line.decision for line in explanation.lines)
    numbers = ", ".join(f"{words.word(name)} {number}" for name, number in counts.most_common())
    yield words.word("lines"), f"{len(explanation.lines)}: {numbers}"
    runs = [list(run) for _, run in groupby(explanation.lines, key=lambda line: line.decision)]
    for run in runs[:MOST_RUNS]:
        yield _numbers(run), f"{words.word(run[0].decision)}: {words.text(run[0].reason)}"
        text = run[0].text
        yield "", f"  {text[:SHOWN]}{'…' * (len(text) > SHOWN)}"
    if len(runs) > MOST_RUNS:
        yield "", words.text(f"and {len(runs) - MOST_RUNS} further blocks of lines; --report FILE.html shows all")


def _numbers(run: Sequence[ExplainedLine]) -> str:
    first, last = run[0].number, run[-1].number
    return str(first) if first == last else f"{first}-{last}"


def _field(field: ExplainedField, words: Translator) -> Iterator[Row]:
    if not field.value:
        return
    yield field.name, field.value
    yield "", words.text(f"  from {field.place}")
    for name, state in (("agrees", "same"), ("lost", "lost")):
        others = [candidate for candidate in field.candidates if candidate.state == state]
        if others:
            values = "; ".join(f"{words.text(other.place)}: {other.value}" for other in others)
            yield "", f"  {words.word(name)}: {values}"
