"""The messages of the program, found in its source, which the catalogue has to translate.

In the console every text of several words is a message. In the other packages messages are the texts of expected
errors, reasons and reports: arguments of `raise` and of the calls in `CARRIERS`. Descriptions of the keys of tasks.yaml
and of the fields of a row are read from their schemas; the reference of both (`docs.site.reference`) is written with
them. Further messages are added to the catalogue by hand (`catalogues.BY_HAND`).
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
READ_WHOLE = (  # files and folders of other packages in which all texts are messages: reasons, doubts, states in words
    "crawler/discovery/walk.py", "crawler/gates", "crawler/guarding/guard.py", "crawler/patterns",
    "crawler/run/admission.py", "crawler/run/outcomes.py", "crawler/run/section_articles.py",
    "crawler/run/section_lists.py", "crawler/run/section_run.py", "crawler/scheduling/crawl_worker.py",
    "crawler/scouting", "crawler/spiders/section.py", "crawler/task_list/fields.py", "crawler/task_list/file.py",
    "crawler/task_list/mistakes.py", "crawler/task_list/outputs.py", "crawler/task_list/periods.py",
    "crawler/task_list/publication.py", "crawler/task_list/scrapy_settings.py", "crawler/task_list/validators.py",
    "crawler/task_list/yaml_source.py", "extractors/content/confidence/__init__.py", "extractors/content/trimming.py",
    "extractors/explanation", "extractors/methods/bp_network/extractor.py", "extractors/methods/density/extractor.py",
    "extractors/methods/example/extractor.py", "extractors/page_types/reasons.py", "workers/backpressure.py",
    "workers/extraction/block_pages.py", "workers/extraction/filters.py", "workers/health/alarms.py",
    "workers/health/state.py", "workers/processes.py", "workers/redesign/new_example.py",
    "workers/redis_access/connection.py", "workers/redis_access/embedded.py", "workers/redis_access/outage.py",
    "workers/redis_access/redis_address.py", "workers/reporting/present_problems.py", "workers/sinks/cloud_stores.py",
    "workers/sinks/http_client.py", "workers/sinks/paths.py", "workers/sinks/search.py", "workers/sinks/sftp_store.py",
    "workers/sinks/webhook.py", "workers/unproposed.py", "workers/variables.py",
    "workers/worker_processes/supervisor.py", "workers/writing/delivery.py",
)  # fmt: skip
# Calls whose arguments are messages: mistakes of a task list, problems, remarks and reasons
CARRIERS = frozenset(
    {"BadValueError", "BodyLines", "ExampleDoubt", "Fail", "NoArticle", "NoSection", "Outcome", "Postpone", "Reject"}
    | {"Mistake", "OutputError", "SinkUnavailable", "TaskError", "add", "no_body", "problem", "report_example"}
)
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


def messages() -> list[str]:
    """Return the messages with numbered placeholders, each once, in the order of the source; then descriptions."""
    found: dict[str, None] = {}
    for path in _files(CONSOLE):
        found |= dict.fromkeys(_of_console(ast.parse(path.read_text("utf-8"))))
    for template in TEMPLATES:
        texts = _of_template((ROOT / template).read_text("utf-8"))
        found |= dict.fromkeys(f"{REPORT}{CONTEXT}{text}" for text in texts)
    for room in ROOMS:
        for path in _files(room):
            tree = ast.parse(path.read_text("utf-8"))
            is_whole = any(path.is_relative_to(ROOT / place) for place in READ_WHOLE)
            found |= dict.fromkeys(_texts(tree, _annotations_and_docstrings(tree)) if is_whole else _carried(tree))
    described = dict.fromkeys(_descriptions([json_schema()["definitions"], CHOICES]))
    descriptions = (f"{DESCRIPTION}{CONTEXT}{text}" for text in described)
    return [*found, *descriptions]


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
