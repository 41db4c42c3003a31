"""Reports with injections in every field, in a real browser: nothing runs, and no request leaves.

The short form tries 500, the long form (`tests.samples`) 6,000.
"""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from console.report.document import MOST_LINKS, ReportHead, render_report
from console.report.gathering import ComparedMethod, ReportedPage
from crawler.discovery.links import PageLink
from crawler.scouting.trial import JudgedLink, ReadList
from extractors import Article, Section
from extractors.explanation.values import (
    DECISIONS,
    ExplainedField,
    ExplainedLine,
    Explanation,
    FieldCandidate,
    Ground,
    LineCurves,
)
from tests.console.web.injections import WATCH, injections
from tests.extractors.pages import BAKERY, news_page
from tests.samples import sample

TEXTS = injections(sample(500, 6000))
A_PAGE = 300  # texts in each field of a page: as many lines of each of many pages are shown


def reported_pages() -> list[ReportedPage]:
    """Pages all of whose texts are injections, each of which is in every field."""
    article = Section(None).extract(news_page("Tides", BAKERY).encode())
    assert isinstance(article, Article)
    chunks = [TEXTS[start : start + A_PAGE] for start in range(0, len(TEXTS), A_PAGE)]
    return [_reported(article, texts) for texts in chunks]


def _reported(article: Article, texts: list[str]) -> ReportedPage:
    decisions = [*DECISIONS]
    lines = tuple(
        ExplainedLine(number, text, text, decisions[number % len(decisions)], text, 9, 0.5, 1.0, 0.5, 0.5)
        for number, text in enumerate(texts)
    )
    states: tuple[Literal["taken", "same", "lost"], ...] = ("taken", "same", "lost")
    fields = tuple(
        ExplainedField(text, text, tuple(FieldCandidate(text, text, state) for state in states)) for text in texts
    )
    explanation = Explanation(
        replace(article, title=texts[2], reason=texts[3], method=texts[4], text="\n\n".join(texts), markup=None),
        lines,
        LineCurves((0.5,) * len(lines), (1.0,) * len(lines), 1, 9),
        texts[5],
        tuple(Ground(text, text, text) for text in texts),
        fields,
    )
    methods = tuple(ComparedMethod(text, frozenset({1}), 0.5, text) for text in texts)
    return ReportedPage(texts[6], "page", explanation, methods)


@pytest.mark.timeout(300)
def test_nothing_of_a_hostile_page_runs_or_is_requested(chromium: Browser, tmp_path: Path) -> None:
    pages = reported_pages() + [ReportedPage(text, error=text) for text in TEXTS]
    links = [
        JudgedLink(PageLink(text, text), taken=place // MOST_LINKS % 2 == 0, reason=text)
        for place, text in enumerate(TEXTS)
    ]
    parts = range(0, len(links), 2 * MOST_LINKS)
    lists = tuple(
        ReadList(text, text, tuple(links[start : start + 2 * MOST_LINKS]), text)
        for text, start in zip(TEXTS, parts, strict=False)
    )
    report = tmp_path / "why.html"
    head = ReportHead(TEXTS[0], TEXTS[1], tuple(TEXTS), tuple(TEXTS))
    report.write_text(render_report(head, pages, lists=lists), "utf-8", errors="replace")
    requested, complaints, dialogs = list[str](), list[str](), list[str]()
    tab = chromium.new_page()
    tab.set_default_timeout(200_000)  # the page has megabytes
    tab.add_init_script(WATCH)
    tab.on("request", lambda request: requested.append(request.url))
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("dialog", lambda dialog: dialogs.append(dialog.message))
    tab.goto(report.as_uri())
    every = sample(5, 1)  # what is not open is parsed, too; the layout of all takes half of the time
    tab.evaluate(f"[...document.querySelectorAll('.page')].forEach((one, n) => {{ one.open = n % {every} == 0 }})")
    for _ in range(5):
        tab.keyboard.press("Tab")
    found = tab.evaluate(
        """() => ({
            ran: [window.__runs, window.__violations.length],
            elements: document.querySelectorAll(
                'script, img, iframe, object, embed, link, base, form, input, foreignObject, video').length,
            styles: document.querySelectorAll('style').length,
            handlers: [...document.querySelectorAll('*')].filter(
                e => [...e.attributes].some(a => a.name.startsWith('on') || a.name === 'style')).length,
            links: [...document.links].filter(a => !/^https?:$/.test(a.protocol)).length,
        })"""
    )
    shown = tab.evaluate("document.body.textContent.split('ran').length")
    tab.close()
    assert found == {"ran": [0, 0], "elements": 0, "styles": 1, "handlers": 0, "links": 0}
    assert requested == [report.as_uri()]
    assert (complaints, dialogs) == ([], [])
    assert shown > 15 * len(TEXTS)  # they are there, as text
