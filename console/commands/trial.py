"""`exemplar try TASK`: shows what a task would do, without writing anything."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.locale import in_language, word
from console.options import check_explaining, examples, explaining_options, json_option, task_argument, tasks_option
from console.terminal import counted, heading, print_json, say, show, show_data

if TYPE_CHECKING:
    from crawler.scouting.trial import JudgedLink, ReadList, Trial
    from workers.inbox import StoredPage

SHOWN = 5  # links of a kind that are shown


@click.command(
    "try",
    epilog=examples(
        "exemplar try harbour-news",
        "exemplar try harbour-news --report why.html",
        "exemplar try harbour-news --tasks news/tasks.yaml --json",
    ),
)
@task_argument
@tasks_option
@json_option
@explaining_options
def command(task: str, tasks: Path | None, as_json: bool, report: Path | None, explained: bool) -> None:
    """Try TASK: read some of its list pages, extract ten articles, write nothing.

    Shows the links taken and left with the reasons, what robots.txt forbids, and each extraction with its confidence.
    Needs no Redis. Exit code 1 if the task has a problem.
    """
    from console.survey_text import progress
    from crawler.fetching.single_pages import run_survey
    from crawler.scouting.trial import trial
    from crawler.task_list.file import load

    check_explaining(report, explained, as_json)
    answers: dict[str, StoredPage] = {}
    tell = progress(as_json)

    def keep(url: str, answer: "StoredPage | str") -> None:
        tell(url, answer)
        if (report is not None or explained) and not isinstance(answer, str):
            answers[url] = answer

    listed = load(tasks or Path("tasks.yaml"))
    chosen = listed[task]
    today = chosen.day_at(datetime.now(UTC))
    result = run_survey(lambda fetch: trial(fetch, chosen, today), listed.settings, task=chosen, on_page=keep)
    if as_json:
        print_json(_json(result))
    else:
        _show(result)
    if report is not None or explained:
        from console.explaining import explain_trial

        explain_trial(result, chosen, answers, report, explained)
    if not result.ok:
        raise click.exceptions.Exit(1)


def _show(result: "Trial") -> None:
    from console.survey_text import extraction_lines

    show(f"{result.task}: {result.pattern}")
    for page in result.lists:
        show_data(f"{heading('list')}{page.url}  ({in_language(_about(page))})")
        for judged in [link for link in page.judged if link.taken][:SHOWN]:
            show_data(f"  {heading('taken', 8)}{judged.link.url}  {judged.link.text[:60]}")
        for judged in some_left(page):
            show_data(f"  {heading('left', 8)}{judged.link.url}  {word(in_language(judged.reason))}")
    for sample in (result.example, *result.samples):
        for place, line in enumerate(extraction_lines(sample)):
            title = "example" if sample is result.example else "article"
            show_data((heading(title) if place == 0 else " " * 10) + line)
    show(
        f"{counted(result.found, 'article')} on {counted(len(result.lists), 'list page')}; {_articles_of(result)}; "
        f"robots.txt forbids {len(result.forbidden)}. Nothing was written."
    )
    for warning in result.warnings:
        say(f"note: {warning}")
    for problem in result.problems:
        say(f"problem: {problem}")


def _articles_of(result: "Trial") -> str:
    articles = [sample for sample in result.samples if sample.characters]
    fallback = sum(not sample.by_example for sample in articles)
    return f"{len(articles)} of {len(result.samples)} pages are articles" + (
        f", {fallback} of them extracted without the example" if fallback else ""
    )


def _about(page: "ReadList") -> str:
    return page.reason or f"{page.kind}: {counted(page.taken, 'link')} taken, {len(page.judged) - page.taken} left"


def some_left(page: "ReadList") -> list["JudgedLink"]:
    """Return the first link of each kind of reason, one with a title if there is one."""
    from console.survey_text import kind_of
    from crawler.discovery.links import is_short

    first: dict[str, JudgedLink] = {}
    for judged in sorted(page.judged, key=lambda judged: is_short(judged.link.text)):
        if not judged.taken:
            first.setdefault(kind_of(judged.reason), judged)
    return [*first.values()][:SHOWN]


def _json(result: "Trial") -> dict[str, object]:
    from console.survey_text import extraction_json

    return {
        "task": result.task,
        "ok": result.ok,
        "pattern": result.pattern,
        "example": extraction_json(result.example),
        "lists": [
            {
                "url": page.url,
                "kind": page.kind,
                "reason": page.reason or None,
                "taken": [judged.link.url for judged in page.judged if judged.taken],
                "left": [
                    {"url": judged.link.url, "reason": judged.reason} for judged in page.judged if not judged.taken
                ],
            }
            for page in result.lists
        ],
        "found": result.found,
        "articles": [extraction_json(sample) for sample in result.samples],
        "forbidden": list(result.forbidden),
        "problems": list(result.problems),
        "warnings": list(result.warnings),
    }
