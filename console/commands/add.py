"""`exemplar add`: adds a section to tasks.yaml from one article's URL, or many from a spreadsheet."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from console.inputs import is_url, url_list
from console.options import check_value, examples, json_option, tasks_option
from console.terminal import counted, print_json, say, say_data, show_data
from crawler.task_list.mistakes import TaskError
from workers.redaction import redact

if TYPE_CHECKING:
    from crawler.scouting.survey import Scope, Survey


@dataclass(frozen=True, slots=True)
class _Choices:
    """The options of the command. `insist`: treat the URLs as articles even if they look like lists."""

    name: str | None
    every: str | None
    output: str | None
    scope: "Scope"
    insist: bool
    write: bool
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
@click.option(
    "--every", help="How often to run: 30m, 2h, 1d or a cron line.  [default: from `defaults:` of the file, else 1h]"
)
@click.option(
    "--output", help="Where rows are written.  [default: from `defaults:` of the file, else out/{task}.jsonl]"
)
@click.option("--section", "scope", flag_value="section", help="Only articles in the same folders as this one.")
@click.option("--site", "scope", flag_value="site", help="All articles of the site that share its template.")
@click.option(
    "--article",
    "insist",
    is_flag=True,
    help="Treat the page as an article, even if it looks like a list or has little text.",
)
@click.option("--dry-run", is_flag=True, help="Show the result; write nothing.")
@click.option("--yes", is_flag=True, hidden=True, expose_value=False)  # for scripts: it wrote without a question
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
    tasks: Path | None,
    as_json: bool,
) -> None:
    """Add a section to tasks.yaml from the URL of one of its articles; comments of the file are kept.

    Fetches a dozen pages of the site: the article, pages that may list it, and some similar articles. Shows the list
    pages and the pattern found, the links taken and left, and three extractions. Each of several URLs, or of a text
    file of URLs, adds a section; URLs that a task already covers are skipped. A page that looks like a list is refused,
    with the reasons, unless --article declares that it is one of the section's articles.

    From a CSV file: its rows. Columns are name, example, pattern, every, output, and any other key of a task; or 名称,
    示例, 规律, 周期, 输出. Nothing is written if any row has a mistake.

    Exit codes: 0 everything was added or already present, 1 some URLs could not be added, 2 wrong usage, or the only
    URL is already covered.
    """
    target = tasks or Path("tasks.yaml")
    urls = _urls(sources)
    if urls is None:
        _add_rows(target, Path(sources[0]), as_json)
        return
    if name and len(urls) > 1:
        raise click.UsageError("--name needs a single URL: each URL gives a task of its own")
    choices = _Choices(name, every, output, scope or "auto", insist, write=not dry_run, as_json=as_json)
    _add_urls(target, urls, choices)


def _urls(sources: Sequence[str]) -> list[str] | None:
    """Return the URLs of the sources, or None if the source is a spreadsheet. Raises `click.UsageError`."""
    urls: list[str] = []
    for source in sources:
        if is_url(source):
            urls.append(source)
        elif not source.strip():
            raise click.UsageError("an empty URL; give the URL of one article")
        elif not Path(source).exists():
            raise click.UsageError(f"{source}: no such file; a URL begins with https:// or http://")
        elif (listed := url_list(Path(source))) is not None:
            urls += listed
        elif len(sources) > 1:
            raise click.UsageError(f"{source}: give either one CSV file or URLs")
        else:
            return None
    return list(dict.fromkeys(urls))


def _add_rows(target: Path, csv: Path, as_json: bool) -> None:
    from crawler.task_list.edit import append_tasks
    from crawler.task_list.sections_csv import read_sections

    added = append_tasks(target, read_sections(csv), sheet=str(csv))
    if as_json:
        print_json({"file": str(target), "added": added})
    else:
        say(f"{target}: {counted(len(added), 'task')} added" + (f": {', '.join(added)}" if added else ""))


def _add_urls(target: Path, urls: Sequence[str], choices: _Choices) -> None:
    from console.survey_text import progress
    from crawler.fetching.single_pages import run_survey
    from crawler.scouting.new_task import task_by_defaults
    from crawler.scouting.sample_extractions import NoSection
    from crawler.scouting.survey import several
    from crawler.task_list.edit import existing_list
    from crawler.task_list.periods import Period
    from crawler.task_list.validators import check_output

    existing = existing_list(target)
    check_value("--every", choices.every or None, Period.parse)
    check_value("--output", choices.output or None, check_output)
    if not choices.name:
        urls = _without_known(existing.tasks, urls, choices.as_json)
        if not urls:
            return
    surveys = run_survey(
        lambda fetch: several(fetch, urls, choices.scope, choices.insist),
        existing.tasks.settings,
        task=task_by_defaults(existing.defaults, urls),
        on_page=progress(choices.as_json),
    )
    failed, patterns = 0, dict[str, str]()
    for url, result in surveys.items():
        try:
            if isinstance(result, NoSection):
                raise result
            if result.pattern in patterns:
                say(f"{url}: skipped; same section as {patterns[result.pattern]}")
                continue
            patterns[result.pattern] = url
            _add_section(target, result, choices)
        except (NoSection, TaskError) as error:
            failed += 1
            _print_failure(url, error, choices.as_json)
    if failed:
        if len(urls) > 1:
            say(f"{len(urls) - failed} of {counted(len(urls), 'URL')} done, {failed} could not be added")
        raise click.exceptions.Exit(1)


def _add_section(target: Path, survey: "Survey", choices: _Choices) -> None:
    """Show a survey's result and write the task if that is confirmed. Raises `TaskError` for a known section."""
    from console.survey_text import shown, shown_json
    from crawler.scouting.new_task import entry_of, refuse_known
    from crawler.task_list.edit import add_task, existing_list

    existing = existing_list(target)
    refuse_known(existing.tasks, survey)
    entry = entry_of(
        survey, existing.defaults, existing.tasks.tasks, name=choices.name, every=choices.every, output=choices.output
    )
    if not choices.as_json:
        show_data(shown(survey, entry))
        if choices.scope == "auto":
            other = "the example's own folders: --section" if survey.scope == "site" else "the whole site: --site"
            say(f"for the articles of {other}")
    if choices.write:
        add_task(target, entry)
    if choices.as_json:
        print_json(
            {"file": str(target), "added": [entry["name"]] if choices.write else [], **shown_json(survey, entry)}
        )
    elif choices.write:
        say(f"{target}: task {entry['name']} added. Next: exemplar try {entry['name']}; exemplar run --once")
    else:
        say("nothing was written")


def _without_known(tasks: Any, urls: Sequence[str], as_json: bool) -> list[str]:
    """Return the URLs that no task covers yet; print the skipped ones. Raises `TaskError` for a single known URL."""
    from crawler.scouting.new_task import known_as

    known = {url: task for url in urls if (task := known_as(tasks, url))}
    for url, task in known.items():
        if len(urls) == 1:
            raise TaskError(f"task {task} already covers {url}; use --name to add another task for it")
        if as_json:
            print_json({"url": url, "added": [], "known": task})
        else:
            say(f"{url}: skipped; task {task} covers it")
    return [url for url in urls if url not in known]


def _print_failure(url: str, error: Exception, as_json: bool) -> None:
    proposals = list(getattr(error, "proposals", ()))
    if as_json:
        is_overruled = getattr(error, "may_be_overruled", False)  # by --article; then without this advice
        facts: dict[str, Any] = {"error": redact(getattr(error, "why", "") if is_overruled else str(error))}
        facts |= {"may_be_overruled": is_overruled, "articles": [link for link, _ in proposals]}
        print_json({"url": redact(url), "added": [], **facts})
        return
    say(redact(f"error: {error}"))
    if proposals:
        say("Articles to which this page links:")
        for proposal, title in proposals:
            say_data(f"  {proposal}  {title}")
