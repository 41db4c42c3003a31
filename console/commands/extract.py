"""`exemplar extract`: extracts articles, or the entries of lists, from single pages, without tasks."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from console.extracted_files import form_of, result_text, target_of
from console.inputs import Missing, PageIn, is_one_page, pages
from console.options import check_explaining, check_file, examples, explaining_options
from console.site_rules import SiteRule, cut_down, read_rules
from console.terminal import print_json, say, show_data
from extractors import Article, NoArticle, Section, UnusablePage
from extractors.errors import BadModel, ExtraMissing
from extractors.html.urls import normalise
from extractors.render import Format
from extractors.visual.screenshot_type import file_name
from workers.errors import ExemplarError

BY_SCREENSHOT = "i-awce"  # the method that uses screenshots
FORMATS = ("text", "html", "markdown", "json")


@click.command(
    epilog=examples(
        "exemplar extract page.html",
        "exemplar extract --example known.html --format json saved-pages/ > articles.jsonl",
        "exemplar extract https://example.org/2026/11/some-article",
        "exemplar extract urls.txt --output texts/",
        "exemplar extract --method i-awce https://example.org/news/",
        "curl -s https://example.org/page | exemplar extract -",
        "exemplar extract page.html --method line-blocks --figure page.svg",
        "exemplar extract urls.txt --method line-blocks --rules rules/",
        "exemplar extract page.html --example known.html --report why.html",
    )
)
@click.argument("sources", nargs=-1, required=True, metavar="FILE|FOLDER|URL|URL-LIST|-...")
@click.option(
    "--example",
    "examples_",
    multiple=True,
    metavar="FILE|URL",
    help="An article of the same section; improves the result. Further ones vote as recent pages do; "
    "tag-paths learns its thresholds from all.",
)
@click.option("--method", default="auto", show_default=True, help="One of the methods in docs/methods.md.")
@click.option(
    "--article", "insist", is_flag=True, help="Extract every page as an article, even if it looks like a list."
)
@click.option("--format", "form", type=click.Choice(FORMATS), help="[default: by the suffix of --output, else text]")
@click.option(
    "--screenshots",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Screenshots (python -m evaluation.screenshots) by which i-awce distinguishes lists from articles. "
    "Needs the extra `vision`.",
)
@click.option(
    "--rules",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Rules for single sites: files such as example.org.yaml with `body: XPATH` and perhaps `remove: XPATH`. Of a "
    "page of that host the method reads only these elements.",
)
@click.option(
    "--output",
    metavar="FILE|FOLDER/",
    help="Write to this file; with a slash at the end, to a folder with one file per page.",
)
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE.svg|FILE.png",
    help="Also draw a figure of how the method decided on the page.",
)
@explaining_options
def command(
    sources: tuple[str, ...],
    examples_: tuple[str, ...],
    method: str,
    insist: bool,
    form: Format | None,
    screenshots: Path | None,
    rules: Path | None,
    output: str | None,
    figure: Path | None,
    report: Path | None,
    explained: bool,
) -> None:
    """Extract the article of each page: a file, a folder of HTML, a URL, a text file of URLs, or standard input (-).

    Text, HTML and Markdown contain title, date, keywords and body; with several pages, a line names each page. JSON is
    one object per line. Pages without an article are listed on standard error. --output overwrites existing files.

    With --method list-rank, and with i-awce on a list page, the result is the list's entries: one line for each with
    date, title and URL, separated by tabs; links in HTML and Markdown; `entries` in JSON.
    """

    if screenshots is not None and method != BY_SCREENSHOT:
        raise click.UsageError(f"--screenshots needs --method {BY_SCREENSHOT}")
    if figure is not None:
        _check_figure_options(sources, method, figure)
    several = not is_one_page(sources)
    form = form or form_of(output)
    check_explaining(report, explained, form == "json" and output is None)
    known_rules = read_rules(rules) if rules is not None else {}
    target = target_of(output, form, several)
    example_pages, to_extract = pages(sources, examples_)
    section = _section(example_pages, method)
    example_page = next(iter(example_pages), None)
    explanations = None
    if report or explained:
        from console.explaining import PageExplanations
        from console.report.gathering import Explainer

        explainer = Explainer(section, example_page, "never" if insist else "sure")
        explanations = PageExplanations(explainer, report, explained)
    failures = 0
    for given in to_extract:
        page = _by_rule(given, known_rules)
        if screenshots is not None and isinstance(page, PageIn):
            page = replace(page, screenshot=_screenshot(page, screenshots))
        result = page if isinstance(page, Missing) else _extract(section, page, insist)
        if not isinstance(result, Article):
            failures += 1
            say(f"{page.name}: {result.reason}")
            if form == "json" and output is None:
                print_json({"file": page.name, "text": "", "reason": result.reason})
        elif target is not None:
            target.add(page.name, result)
        else:
            text = result_text(page.name, result, form, several)
            (show_data if sys.stdout.isatty() else click.echo)(text)
        if figure is not None and not isinstance(page, Missing) and not isinstance(result, Missing):
            failures += not _draw_page(page, example_page, method, insist, figure)
        if explanations is not None:
            explanations.add(page)
    if target is not None:
        say(target.end())
    if explanations is not None:
        explanations.write()
    if failures:
        raise click.exceptions.Exit(1)


def _by_rule(page: PageIn | Missing, rules: Mapping[str, SiteRule]) -> PageIn | Missing:
    """Return a page as the rule of its host cuts it down; says where a rule selects nothing."""

    if not rules or isinstance(page, Missing):
        return page
    found, unfit = cut_down(page, rules)
    if unfit is not None:
        say(f"{page.name}: {unfit.file} selects nothing on this page; the method reads the whole page")
    return found


def _section(examples: Sequence[PageIn], method: str) -> Section:
    """Return the section of the first example; the further ones are recent pages of it."""

    page = examples[0] if examples else None
    try:
        section = Section(page.body if page else None, page.url if page else None, method=method)
        for page in examples[1:]:
            section.learn(page.body, page.url)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except UnusablePage as error:
        raise ExemplarError(f"example {page.name if page else ''}: {error}") from None
    return section


def _extract(section: Section, page: PageIn, insist: bool) -> Article | NoArticle | Missing:

    try:
        return section.extract(
            page.body,
            page.url,
            content_type=page.content_type,
            fetched_at=page.fetched_at,
            refuse="never" if insist else "notices",
            screenshot=page.screenshot,
        )
    except UnusablePage as error:
        return Missing(page.name, f"unusable page: {error}")
    except (ExtraMissing, BadModel) as error:
        raise click.UsageError(f"--screenshots: {error}") from None


def _screenshot(page: PageIn, folder: Path) -> bytes | None:
    """Return a page's screenshot, named by its URL (`file_name`) or NAME.png of NAME.html; or None."""

    url = page.name if page.url else None  # the requested URL, before redirects
    name = file_name(normalise(url)) if url else re.sub(r"\.\w+(\.gz)?$", "", Path(page.name).name) + ".png"
    file = folder / name
    return file.read_bytes() if file.is_file() else None


def _check_figure_options(sources: Sequence[str], method: str, figure: Path) -> None:
    """Raise `click.UsageError` if the options do not allow a figure, before any page is fetched."""
    from extractors.figures import check_figure, check_path

    if not is_one_page(sources):
        raise click.UsageError("--figure draws one page: give one file, one URL or -, not a folder or a list")
    try:
        check_figure(method)
        check_path(figure)
    except (ValueError, ExtraMissing) as error:
        raise click.UsageError(str(error)) from None
    check_file("--figure", figure)


def _draw_page(page: PageIn, example: PageIn | None, method: str, insist: bool, figure: Path) -> bool:
    """Draw a page's figure, or print why there is none. Return whether it was drawn."""
    from extractors.figures import NoFigure, draw, figure_data

    try:
        found = figure_data(
            page.body,
            page.url,
            method=method,
            example=example.body if example else None,
            content_type=page.content_type,
            fetched_at=page.fetched_at,
            refuse="never" if insist else "sure",
        )
        draw(found, figure)
    except NoFigure as error:
        say(f"{page.name}: no figure: {error}")
        return False
    except OSError as error:
        raise ExemplarError(f"{figure}: the figure cannot be written: {error.strerror or error}") from None
    return True
