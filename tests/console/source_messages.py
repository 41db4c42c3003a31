"""The messages of the program, found in its source, which the catalogue has to translate.

In the console every text of several words is a message. In the other packages messages are the texts of expected
errors, reasons and reports: arguments of `raise` and of the calls in `CARRIERS`. Descriptions of the keys of tasks.yaml
and of the fields of a row are read from their schemas; the reference of both (`docs.site.reference`) is written with
them.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import cast

from console.locale.translator import CONTEXT, DESCRIPTION, REPORT
from docs.site.task_schema import json_schema
from workers.sinks.row_schema import CHOICES

ROOT = Path(__file__).parents[2]
CONSOLE = "console"
ROOMS = ("crawler", "workers", "extractors")
LEFT_OUT = ("console/sample_site", "console/locale", "console/metrics.py")  # not searched: metrics are for programs
OF_PAGES = frozenset(  # files of the pages with messages besides those of templates
    {"actions", "app", "changes", "context", "reports", "snapshot", "surveys"}
)
TEMPLATES = ("console/report/templates/report.html",)  # templates whose texts are arguments of `_`
READ_WHOLE = frozenset(  # files of other packages in which all texts are messages: reasons, doubts, states in words
    {
        "crawler/discovery/walk.py",
        "crawler/gates/errors.py", "crawler/gates/connections.py",
        "crawler/gates/guard_gates.py", "crawler/task_list/scrapy_settings.py",
        "crawler/guarding/guard.py", "crawler/patterns/pattern.py",
        "crawler/patterns/syntax.py", "crawler/gates/host_rules.py",
        "crawler/gates/pace_gate.py", "crawler/run/admission.py", "crawler/run/outcomes.py",
        "crawler/run/section_articles.py", "crawler/run/section_lists.py",
        "crawler/run/section_run.py", "crawler/scheduling/crawl_worker.py",
        "crawler/scouting/doubts.py", "crawler/scouting/inference.py", "crawler/scouting/sample_extractions.py",
        "crawler/scouting/section_pages.py", "crawler/scouting/survey.py", "crawler/scouting/trial.py",
        "crawler/spiders/section.py", "crawler/task_list/periods.py", "crawler/task_list/fields.py",
        "crawler/task_list/file.py", "crawler/task_list/mistakes.py", "crawler/task_list/outputs.py",
        "crawler/task_list/publication.py",
        "crawler/task_list/validators.py", "crawler/task_list/yaml_source.py",
        "extractors/content/confidence/__init__.py",
        "extractors/content/trimming.py", "extractors/explanation/__init__.py", "extractors/explanation/fields.py",
        "extractors/explanation/line_decisions.py", "extractors/explanation/values.py",
        "extractors/methods/bp_network/extractor.py", "extractors/methods/density/extractor.py",
        "extractors/methods/example/extractor.py",
        "extractors/page_types/reasons.py", "workers/backpressure.py", "workers/extraction/block_pages.py",
        "workers/extraction/filters.py",
        "workers/health/alarms.py", "workers/health/state.py", "workers/processes.py",
        "workers/redesign/new_example.py", "workers/unproposed.py", "workers/redis_access/connection.py",
        "workers/redis_access/embedded.py", "workers/redis_access/outage.py",
        "workers/redis_access/redis_address.py", "workers/reporting/present_problems.py",
        "workers/sinks/cloud_stores.py", "workers/sinks/http_client.py",
        "workers/sinks/paths.py", "workers/sinks/search.py", "workers/sinks/sftp_store.py",
        "workers/sinks/webhook.py",
        "workers/variables.py",
        "workers/worker_processes/supervisor.py", "workers/writing/delivery.py",
    }
)  # fmt: skip
# Calls whose arguments are messages: mistakes of a task list, problems, remarks and reasons
CARRIERS = frozenset(
    {"BadValueError", "BodyLines", "ExampleDoubt", "Fail", "NoArticle", "NoSection", "Outcome", "Postpone", "Reject"}
    | {"Mistake", "OutputError", "SinkUnavailable", "TaskError", "add", "no_body", "problem", "report_example"}
)
FURTHER = (  # messages in files that also have many other texts
    "the page did not load in time", "the page redirects by a form", "the page crashed its tab", "it does not answer",
    "its text may need JavaScript", "treated as an article, as requested", "the page is blank",
    "the page requires JavaScript", "the page is an error page",
    "the site denies access or shows a check", "too little memory", "unusable page", "extractor error",
    "took longer than {0} seconds", "its process ended: {0}", "a page of it is missing", "dropped by a person",
    "no answer within {0} s", "look at the server's load and at the network", "not storable: {0}",
    "line before the body", "line after the body", "lines before the body", "lines after the body",
    "lines around the body", "JSON-LD of the page", "meta elements", "{0} pages of this shape: {1} articles, {2} lists",
    "{0} by structure ({1})", "{0} by structure and screenshot", "a map", "a list",
    "on another site", "on another host", "the console is at {0}; press Ctrl-C to stop",
    "a year 1900–2099", "a month 01–12 (%-m: 1–12)", "a day 01–31 (%-d: 1–31)", "a month 1–12", "a day 1–31",
    "its pages have another template, and this example is proposed: {0}",
    "the proposed example is adopted: {0}",
    "blocked (since {0} UTC{1}): {2}", "failures (since {0} UTC{1}): {2}", "{0}: recovered (since {1} UTC)",
    "block page: {0} URLs have the same one: {1}",
    "blocked: recovered (since {0} UTC)", "failures: recovered (since {0} UTC)", "surrounding match", "text length",
    "links to articles on lists", "new articles of a visit",
    "share of failures of a visit", "silence between new articles",
    "table {0} has no unique key ({1}): it was made by another program and is not changed; name another",
    "column {0} is NOT NULL without a default, and no row has a value for it; give it a default",
    "column {0} has type {1}, which cannot store {2}; change its type",
    "use an address that begins with {0}, or a path that ends in {1}", "character {0}",
    "kept pages", "pages off the template and recent pages", "The page is not kept.",
    "Too many wrong passwords. Wait a minute.", "There is no such article, or its output no longer has it.",
    "host {0}: closed until {1} ({2})", "host {0}: slowed down, {1} s between two requests",
)  # fmt: skip
REASON = "reason"  # variables and arguments of this name contain messages, too
NOT_READ = frozenset({"cast", "examples", "compile", "match", "search"})  # calls whose arguments are not messages
APPENDED = frozenset({"problems", "remarks", "warnings", "notes"})  # lists of messages
EXPECTED = (ValueError, OSError)  # Python's exceptions for invalid input; others are defects and are not translated
SEVERAL_WORDS = re.compile(r"[A-Za-z`-]{2,}[^A-Za-z{]{0,3} [A-Za-z(`{-]|\} [a-z]{2,}")
# Too short to be distinguished from a title of a page
TOO_SHORT = frozenset({"{0} ms", "{0} of {1}", "{0} on {1}", "and {0}", "it is {0}"})
OF_OTHERS = frozenset(  # texts of other programs, to which errors are compared, headers, arguments, and defects
    {"READONLY You can't write", "HELLO must be called", "Authentication required", "certificate verify failed"}
    | {'<a rel="noopener noreferrer nofollow" href="', '<span class="picture" title="{0}">{1}</span>'}
    | {"quoted scalar", "end of stream", "another document", "undefined alias"}
    | {"paused: true", "job {0}", "Accept-Language, Cookie", "frame-ancestors 'none'; sandbox allow-same-origin"}
    | {"Not Found", "Method Not Allowed"}
    | {"-p {0} {1}", "`begin` was called", "`exemplar console`", "TLS: {0}"}
)
EXAMPLE = re.compile(
    r"(exemplar|curl|REDIS_URL=\S+|scrapy) [\w<>-]|\w+\[[\w, \[\]|.]+\]$|[a-z]+\.[a-z]+$|<[^<>]+>$"
    r"|(meta|JSON-LD) \S+$"
)
WORDS = (  # words of tables, headings and states, translated where they are printed
    "task", "state", "next run", "next", "every", "seen", "waiting", "fetched", "written", "duplicate", "dup.",
    "rejected", "rej.", "failed", "run", "running", "due", "idle", "paused", "removed", "finished", "stopped", "killed",
    "unreachable", "redis", "pages", "kept", "last", "reason", "rows", "output", "published", "title", "author",
    "characters", "method", "number", "forgotten", "not run", "(no title)", "example", "lists", "scope", "pattern",
    "taken", "left", "extracted", "note", "list", "article", "articles", "Examples", "pagination",
    "breadcrumb", "feed", "sitemap",
    # words of explanations
    "caption", "head", "tail", "outside", "template", "noise", "box", "link", "words", "model", "refused",
    "other", "heading", "code", "quote", "table", "embed", "summary",
    "page", "missing", "answer", "because", "text", "blocks", "methods",
    "agrees", "lost", "Votes", "Method", "Probability", "Teasers", "lines",
    "uncertain", "thread", "documentation", "product", "service", "collection",
    "compiled", "read", "navigation", "since", "fits", "proposed", "adopted", "dismissed", "crawl", "extract",
    "schedule", "delivery", "console", ", ",
)  # fmt: skip
NOUNS = (
    "task", "output", "row", "page", "URL", "reason", "file", "further page", "further task", "refused row",
    "visit", "same", "changed", "lost", "gained", "without an article", "refused", "failed",
    "crawl worker", "extraction worker", "list page", "link", "article", "new article",
)  # fmt: skip
OF_CLICK = (
    "Usage:", "Options", "Commands", "Arguments", "default: {default}", "required", "Show this message and exit.",
    "Try '{command} {option}' for help.", "Error: {message}", "Missing argument", "Missing option",
    "No such option {name!r}.", "Option {name!r} does not take a value.", "file", "path", "directory",
    "{name} {filename!r} does not exist.", "{name} {filename!r} is a directory.", "{name} {filename!r} is a file.",
    "Did you mean {possibility}?", "Invalid value for {param_hint}: {message}", "Invalid value: {message}",
    "No such command {name!r}.", "Missing command.", "Got unexpected extra argument ({0})",
    "Got unexpected extra arguments ({0})", "Option {name!r} requires an argument.",
    "{value!r} is not a valid {number_type}.", "{value} is not in the range {range}.",
    "{value!r} does not match the format {format}.",
    "{0} is not one of {1}.", "{0} does not match the formats {1}.", "{value!r} is not {choice}.",
    "Error: invalid input", "Aborted!",
    "Choose from:\n\t{choices}",
)  # fmt: skip


def messages() -> list[str]:
    """Return all messages with numbered placeholders, each once, in the order of the source; then others."""
    found: dict[str, None] = {}
    for path in _files(CONSOLE):
        found |= dict.fromkeys(_of_console(ast.parse(path.read_text("utf-8"))))
    for template in TEMPLATES:
        texts = _of_template((ROOT / template).read_text("utf-8"))
        found |= dict.fromkeys(f"{REPORT}{CONTEXT}{text}" for text in texts)
    for room in ROOMS:
        for path in _files(room):
            tree = ast.parse(path.read_text("utf-8"))
            is_whole = path.relative_to(ROOT).as_posix() in READ_WHOLE
            found |= dict.fromkeys(_texts(tree, _annotations_and_docstrings(tree)) if is_whole else _carried(tree))
    described = dict.fromkeys(_descriptions([json_schema()["definitions"], CHOICES]))
    descriptions = (f"{DESCRIPTION}{CONTEXT}{text}" for text in described)
    words = (f"word{CONTEXT}{word}" for word in WORDS)
    nouns = (f"noun{CONTEXT}{noun}" for noun in NOUNS)
    return [*dict.fromkeys([*found, *FURTHER]), *descriptions, *words, *nouns, *OF_CLICK]


def _descriptions(schema: object) -> Iterator[str]:
    """Yield the descriptions in a schema, at any depth, paragraph by paragraph."""
    if isinstance(schema, Mapping):
        description = schema.get("description")
        if isinstance(description, str):
            yield from (" ".join(paragraph.split()) for paragraph in description.split("\n\n"))
        for inner in schema.values():
            yield from _descriptions(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _descriptions(inner)


def _files(room: str) -> list[Path]:
    left_out = [ROOT / folder for folder in LEFT_OUT]
    files = sorted((ROOT / room).rglob("*.py"))
    files = [file for file in files if not any(file.is_relative_to(folder) for folder in left_out)]
    return [file for file in files if file.parent != ROOT / "console/web" or file.stem in OF_PAGES]


def _of_console(tree: ast.Module) -> Iterator[str]:
    hidden = _annotations_and_docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and _is_command(node):
            for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                yield from _message(" ".join(paragraph.split()))
    yield from _texts(tree, hidden)


def _of_template(source: str) -> Iterator[str]:
    """Yield the first arguments of the calls of `_` in a template."""
    from jinja2 import Environment, nodes

    for call in Environment(autoescape=True).parse(source).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "_" and isinstance(call.args[0], nodes.Const):
            yield call.args[0].value


def _is_command(node: ast.FunctionDef) -> bool:
    called = (decorator for decorator in node.decorator_list if isinstance(decorator, ast.Call))
    return any(isinstance(call.func, ast.Attribute) and call.func.attr in ("command", "group") for call in called)


def _carried(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of raised errors, those of `CARRIERS`, and reasons."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _is_expected(_name(node.exc)):
            yield from _texts(node.exc, set())
        elif isinstance(node, ast.Call) and (_name(node) in CARRIERS or _is_appended(node)):
            yield from _texts(node, set())
        elif _is_reason(node):
            yield from _texts(cast(ast.Assign | ast.keyword, node).value, set())


def _is_reason(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg == REASON
    return isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == REASON for to in node.targets)


def _is_expected(exception: str) -> bool:
    """Whether an exception is one of this program, or one of Python's that input may cause."""
    own = getattr(builtins, exception, None)
    return own is None or (isinstance(own, type) and issubclass(own, EXPECTED))


def _is_appended(call: ast.Call) -> bool:
    function = call.func
    if not (isinstance(function, ast.Attribute) and function.attr == "append"):
        return False
    return isinstance(function.value, ast.Attribute | ast.Name) and _last(function.value) in APPENDED


def _is_logged(call: ast.Call) -> bool:
    function = call.func
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "log"


def _name(call: ast.Call) -> str:
    return _last(call.func) if isinstance(call.func, ast.Attribute | ast.Name) else ""


def _last(node: ast.Attribute | ast.Name) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id


def _annotations_and_docstrings(tree: ast.Module) -> set[int]:
    """Return the ids of nodes whose texts are not messages."""
    hidden: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.append(node)  # a docstring, or the text below a key, which is read from the schemas
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            hidden.append(node.returns)
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            hidden.append(node.annotation)
        if isinstance(node, ast.Call) and (_name(node) in NOT_READ or _is_logged(node)):
            hidden.append(node)
        if isinstance(node, ast.keyword) and node.arg == DESCRIPTION:
            hidden.append(node)  # read from the schemas
    return {id(inner) for node in hidden for inner in ast.walk(node)}


def _texts(node: ast.AST, hidden: set[int]) -> Iterator[str]:
    """Yield the messages in an expression or module; the text of a formatted string is one with its values."""
    parts = {id(part) for joined in ast.walk(node) if isinstance(joined, ast.JoinedStr) for part in joined.values}
    for inner in ast.walk(node):
        if id(inner) in hidden or (isinstance(inner, ast.Constant) and id(inner) in parts):
            continue
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            for line in inner.value.split("\n"):
                yield from _message(line)
        elif isinstance(inner, ast.JoinedStr):
            yield from _message(_template(inner.values))


def _template(values: Sequence[ast.expr]) -> str:
    text, number = "", 0
    for value in values:
        if isinstance(value, ast.Constant):
            text += str(value.value)
        else:
            text += f"{{{number}}}"
            number += 1
    return text


def _message(text: str) -> Iterator[str]:
    """Yield a text in the form of the catalogue: without the signs that separate it from other texts."""
    numbers = count()
    text = re.sub(r"\{\}", lambda _: f"{{{next(numbers)}}}", text)  # for `str.format`
    plain = text.strip(" ;,:\n").rpartition("   ")[2].strip()
    if plain.startswith("(") and plain.endswith(")") and plain.count("(") == 1:
        plain = plain[1:-1]
    if plain not in TOO_SHORT | OF_OTHERS and SEVERAL_WORDS.search(plain) and not EXAMPLE.match(plain):
        yield plain
