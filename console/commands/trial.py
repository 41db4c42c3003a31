"""`exemplar try TASK`: what a task would do, without writing anything."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.options import examples, json_option, print_json, say, show, tasks_option

if TYPE_CHECKING:
    from crawler.discovery.walk import JudgedLink
    from crawler.scouting.trial import ReadList, Trial

SHOWN = 5  # links of a kind


@click.command(
    "try", epilog=examples("exemplar try harbour-news", "exemplar try harbour-news --tasks news/tasks.yaml --json")
)
@click.argument("task")
@tasks_option
@json_option
def command(task: str, tasks: Path | None, as_json: bool) -> None:
    """Try TASK: read some of its list pages, extract ten articles, write nothing.

    Shows the links taken and left with the reasons, what robots.txt forbids, and each extraction with its confidence.
    Needs no Redis. Exit code 1 if the task has a problem.
    """
    from datetime import UTC, datetime

    from crawler.fetching.single_pages import run_survey
    from crawler.scouting.trial import trial
    from crawler.task_list.file import load

    listed = load(tasks or Path("tasks.yaml"))
    chosen = listed[task]
    today = datetime.now(UTC).date()
    found = run_survey(lambda fetch: trial(fetch, chosen, today), listed.settings, task=chosen)
    if as_json:
        print_json(_json(found))
    else:
        _show(found)
    if not found.ok:
        raise click.exceptions.Exit(1)


def _show(found: "Trial") -> None:
    from console.survey_text import cut_lines

    show(f"{found.task}: {found.pattern}")
    for page in found.lists:
        show(f"list      {page.url}  ({_about(page)})")
        for each in [one for one in page.judged if one.taken][:SHOWN]:
            show(f"  taken   {each.link.url}  {each.link.text[:60]}")
        for each in _some_left(page):
            show(f"  left    {each.link.url}  {each.reason}")
    for cut in (found.example, *found.cuts):
        for place, line in enumerate(cut_lines(cut)):
            show(f"{('example' if cut is found.example else 'article') if place == 0 else '':10}{line}")
    show(
        f"{found.found} articles on {len(found.lists)} lists; of {len(found.cuts)} looked at {_told(found)}; "
        f"robots.txt forbids {len(found.forbidden)}. Nothing was written."
    )
    for warning in found.warnings:
        say(f"note: {warning}")
    for problem in found.problems:
        say(f"problem: {problem}")


def _told(found: "Trial") -> str:
    cut = [each for each in found.cuts if each.characters]
    fallback = sum(not each.by_example for each in cut)
    return f"{len(cut)} are articles" + (f", {fallback} of them without the example" if fallback else "")


def _about(page: "ReadList") -> str:
    return page.reason or f"{page.kind}: {page.taken} links taken, {len(page.judged) - page.taken} left"


def _some_left(page: "ReadList") -> list["JudgedLink"]:
    from console.survey_text import kind_of

    left = [each for each in page.judged if not each.taken]
    kinds = Counter(kind_of(each.reason) for each in left)
    first = {kind: next(each for each in left if kind_of(each.reason) == kind) for kind in kinds}
    return [*first.values()][:SHOWN]


def _json(found: "Trial") -> dict[str, object]:
    from console.survey_text import cut_json

    return {
        "task": found.task,
        "ok": found.ok,
        "pattern": found.pattern,
        "example": cut_json(found.example),
        "lists": [
            {
                "url": page.url,
                "kind": page.kind,
                "reason": page.reason or None,
                "taken": [each.link.url for each in page.judged if each.taken],
                "left": [{"url": each.link.url, "reason": each.reason} for each in page.judged if not each.taken],
            }
            for page in found.lists
        ],
        "found": found.found,
        "articles": [cut_json(cut) for cut in found.cuts],
        "forbidden": list(found.forbidden),
        "problems": list(found.problems),
        "warnings": list(found.warnings),
    }
