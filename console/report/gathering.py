"""Pages → their data for a report: the explained extraction, and the results of other methods."""

from dataclasses import dataclass, field
from typing import Any

from console.inputs import PageIn
from extractors import NoArticle, Section, UnusablePage
from extractors.explanation import comparable_methods, explain
from extractors.explanation.line_decisions import lines_in
from extractors.explanation.values import Explanation
from workers.redesign.backtest import shingle_f1

MOST_COMPARED = 5_000  # lines of a page; a longer one is not extracted by the other methods, which would take a minute


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """The result of another method for comparison.

    `f1`: of its text against that of the method in use, 0 to 1; `kept`: the page's lines in its text.
    """

    name: str
    kept: frozenset[int]
    f1: float
    reason: str


@dataclass(frozen=True, slots=True)
class ReportedPage:
    """The data of a page for a report. `error`: why the page is unavailable; there is then no explanation."""

    name: str
    role: str = "page"
    explanation: Explanation | None = None
    methods: tuple[ComparedMethod, ...] = ()
    error: str = ""


@dataclass(slots=True)
class Explainer:
    """Explains pages of one section. `example`: its example page, if it has one."""

    section: Section
    example: PageIn | None = None
    refuse: Any = "sure"
    _compared: dict[str, Section] | None = field(default=None, init=False)

    def page(self, page: PageIn) -> ReportedPage:
        """Return the data of a page for the report."""

        explanation = explain(
            self.section,
            page.body,
            page.url,
            content_type=page.content_type,
            fetched_at=page.fetched_at,
            refuse=self.refuse,
            screenshot=page.screenshot,
        )
        return ReportedPage(page.name, page.role, explanation, tuple(self._answers(page, explanation)))

    def _answers(self, page: PageIn, explanation: Explanation) -> list[ComparedMethod]:

        answers, text, lines = [], explanation.result.text, [line.text for line in explanation.lines]
        for method, section in self._sections().items() if len(lines) <= MOST_COMPARED else ():
            try:
                result = section.extract(page.body, page.url)
            except UnusablePage as error:
                result = NoArticle(f"unusable page: {error}", page.url)
            kept = frozenset(lines_in(lines, result.text))
            answers.append(ComparedMethod(method, kept, shingle_f1(result.text, text), result.reason))
        return sorted(answers, key=lambda answer: -answer.f1)

    def _sections(self) -> dict[str, Section]:
        """Return the methods to compare, each prepared once with the example."""

        if self._compared is None:
            self._compared = {}
            for method in comparable_methods(self.example is not None):
                body, url = (self.example.body, self.example.url) if self.example else (None, None)
                try:
                    self._compared[method] = Section(body, url, method=method)
                except UnusablePage:
                    continue
        return self._compared
