"""`exemplar add`: adds a section to tasks.yaml from one article's URL, or many from a spreadsheet."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from console.options import counted, examples, json_option, print_json, say, show, tasks_option

if TYPE_CHECKING:
    from crawler.scouting.survey import Scope, Survey


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a person asked for besides the URLs. `insist`: the URLs are articles, whatever they look like."""

    name: str | None
    every: str | None
    output: str | None
    scope: "Scope"
    insist: bool
    write: bool
    ask: bool
    as_json: bool


@click.command(
    epilog=examples(
        "exemplar add https://news.example/harbour/2026/1103/1042.html",
        "exemplar add https://news.example/harbour/2026/1103/1042.html --every 30m --dry-run",
        "exemplar add https://news.example/notices/2026/88.html --article",
        "exemplar add urls.txt --tasks news/tasks.yaml",
        "exemplar add sections.csv",
    )
)
@click.argument("sources", nargs=-1, required=True, metavar="URL|URL-LIST|SECTIONS.CSV...")
@click.option("--name", help="The task's name.  [default: from host and section]")
@click.option("--every", help="How often to run: 30m, 2h, 1d or a cron line.  [default: defaults: of the file, or 1h]")
@click.option("--output", help="Where rows are written.  [default: defaults: of the file, or out/{task}.jsonl]")
@click.option("--section", "scope", flag_value="section", help="Only the folders that the article is in.")
@click.option("--site", "scope", flag_value="site", help="All articles of the site that share its template.")
@click.option(
    "--article", "insist", is_flag=True, help="It is an article, even if it looks like a list or has little text."
)
@click.option("--dry-run", is_flag=True, help="Show what was found; write nothing.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@tasks_option
@json_option
def command(
    sources: tuple[str, ...],
    name: str | None,
    every: str | None,
    output: str | None,
    scope: "Scope | None",
    insist: bool,
    dry_run: bool,
    yes: bool,
    tasks: Path | None,
    as_json: bool,
) -> None:
    """Add a section to tasks.yaml from the URL of one of its articles; comments of the file are kept.

    Fetches a dozen pages of the site: the article, pages that may list it, and some similar articles. Shows the list
    pages and the pattern found, links that it takes and leaves, and three extractions. On a terminal it asks before it
    writes. Several URLs, or a text file of URLs, add a section each. A page that looks like a list is refused, with the
    reasons, unless --article declares that it is one of the section's articles.

    From a CSV file: its rows. Columns are name, example, pattern, every, output, and any other key of a task; or 名称,
    示例, 规律, 周期, 输出. Nothing is written if any row has a mistake.
    """
    target = tasks or Path("tasks.yaml")
    urls = _urls(sources)
    if urls is None:
        _add_rows(target, Path(sources[0]), as_json)
        return
    if name and len(urls) > 1:
        raise click.UsageError("--name is for one URL: several URLs make several tasks")
    asked = _Asked(name, every, output, scope or "auto", insist, write=not dry_run, ask=not yes, as_json=as_json)
    _add_urls(target, urls, asked)


def _urls(sources: Sequence[str]) -> list[str] | None:
    """The URLs that are named, or None if it is a spreadsheet."""
    from console.inputs import is_url, url_list

    urls: list[str] = []
    for source in sources:
        if is_url(source):
            urls.append(source)
        elif not Path(source).exists() and ("/" in source or source.startswith("www.")) and "." in source:
            raise click.UsageError(f"{source}: no such file; a URL begins with https:// or http://")
        elif Path(source).exists() and (listed := url_list(Path(source))) is not None:
            urls += listed
        elif len(sources) > 1:
            raise click.UsageError(f"{source}: give either one CSV file or URLs")
        else:
            return None
    return list(dict.fromkeys(urls))


def _add_rows(target: Path, csv: Path, as_json: bool) -> None:
    from crawler.task_list.edit import append_tasks
    from crawler.task_list.sections_csv import read_sections

    added = append_tasks(target, read_sections(csv))
    if as_json:
        print_json({"file": str(target), "added": added})
    else:
        say(f"{target}: {counted(len(added), 'task')} added" + (f": {', '.join(added)}" if added else ""))


def _add_urls(target: Path, urls: Sequence[str], asked: _Asked) -> None:
    from crawler.fetching.single_pages import run_survey
    from crawler.redaction import redact
    from crawler.scouting.sample_extractions import NoSection
    from crawler.scouting.survey import several
    from crawler.task_list.edit import standing
    from crawler.task_list.mistakes import TaskError

    there = standing(target)
    if asked.every:
        _check_period(asked.every)
    if asked.output:
        _check_output(asked.output)
    if not asked.name:
        _refuse_taken(there.tasks, urls)
    on_page = (lambda url, answer: say(redact(f"read {url}"))) if sys.stderr.isatty() else (lambda url, answer: None)
    surveys = run_survey(lambda fetch: several(fetch, urls, asked.scope, asked.insist), there.settings, on_page=on_page)
    failed, patterns = 0, dict[str, str]()
    for url, found in surveys.items():
        try:
            if isinstance(found, NoSection):
                raise found
            if found.pattern in patterns:
                say(f"{url}: of the same section as {patterns[found.pattern]}")
                continue
            patterns[found.pattern] = url
            _add_section(target, found, asked)
        except (NoSection, TaskError) as error:
            failed += 1
            _say_why(url, error, asked.as_json)
    if failed:
        raise click.exceptions.Exit(1)


def _add_section(target: Path, found: "Survey", asked: _Asked) -> None:
    """Show what was found, and write it unless the person does not want that. Raises `TaskError` if it is there."""
    from console.survey_text import shown, shown_json
    from crawler.scouting.new_task import entry_of, refuse_known
    from crawler.task_list.edit import standing

    there = standing(target)
    refuse_known(there.tasks, found)
    names = there.tasks.tasks if there.tasks else ()
    entry = entry_of(found, there.defaults, names, name=asked.name, every=asked.every, output=asked.output)
    if not asked.as_json:
        show(shown(found, entry))
    wanted = asked.write and (not asked.ask or asked.as_json or _agreed(target))
    if wanted:
        _write(target, entry)
    if asked.as_json:
        print_json({"file": str(target), "added": [entry["name"]] if wanted else [], **shown_json(found, entry)})
    elif wanted:
        say(f"{target}: task {entry['name']} added. Next: exemplar try {entry['name']}; exemplar run --once")
    else:
        say("nothing was written")


def _check_output(output: str) -> None:
    from crawler.task_list.mistakes import BadValueError
    from crawler.task_list.validators import check_output

    try:
        check_output(output)
    except BadValueError as error:
        raise click.UsageError(f"--output: {error}") from None


def _check_period(every: str) -> None:
    """Before anything is fetched. Raises `click.UsageError`."""
    from crawler.task_list.mistakes import BadValueError
    from crawler.task_list.periods import Period

    try:
        Period.parse(every)
    except BadValueError as error:
        raise click.UsageError(f"--every: {error}") from None


def _refuse_taken(tasks: Any, urls: Sequence[str]) -> None:
    from crawler.scouting.new_task import known_as
    from crawler.task_list.mistakes import TaskError

    for url in urls:
        if known := known_as(tasks, url):
            raise TaskError(f"task {known} takes {url} already; to add another task for it, give a --name")


def _agreed(target: Path) -> bool:
    """Ask on a terminal; a script has said what it wants."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    return click.confirm(f"Write this task into {target}?", default=True, err=True)


def _write(target: Path, entry: dict[str, Any]) -> None:
    import os

    from crawler.session import CONTACT
    from crawler.task_list.edit import append_tasks, create

    is_new = not target.exists()
    if is_new:
        create(target, os.environ.get(CONTACT, ""))
    try:
        append_tasks(target, [entry])
    except BaseException:
        if is_new:
            target.unlink(missing_ok=True)
        raise


def _say_why(url: str, error: Exception, as_json: bool) -> None:
    from crawler.redaction import redact

    proposals = list(getattr(error, "proposals", ()))
    if as_json:
        print_json(
            {"url": redact(url), "added": [], "error": redact(str(error)), "articles": [each for each, _ in proposals]}
        )
        return
    say(redact(f"error: {error}"))
    if proposals:
        say("Articles that it links to:")
        for proposal, title in proposals:
            say(f"  {proposal}  {title}")
