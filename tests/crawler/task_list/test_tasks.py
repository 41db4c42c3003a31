"""tasks.yaml: what it may say, and that every mistake in it is named with its place."""

import json
import re
from datetime import UTC, date, datetime
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.task_list.file import load, loads
from crawler.task_list.mistakes import TaskError, TaskFileError
from crawler.task_list.models import Task, TaskFile
from crawler.task_list.periods import Period
from crawler.task_list.schema import SCHEMA_FILE, sample, write_schema
from crawler.task_list.yaml_source import read_text
from docs.site.task_schema import json_schema
from tests import samples

REPOSITORY = Path(__file__).parents[3]

GOOD = """\
defaults:
  every: 1h
tasks:
  kuaibao:
    example: http://h/a/kuaibao/2012/0312/345.html
    pattern: http://h/a/kuaibao/{date:%Y/%m%d}/{id}.html
    start: http://h/a/kuaibao/
    follow: http://h/a/*/list_{id}.html
    output: out/{task}.jsonl
    keep: {keywords: [央行], since: 2012-01-01}
settings:
  contact: https://example.org/our-crawler
  allow_hosts: [127.0.0.1]
"""
MINIMAL = "tasks:\n  a: {example: 'http://h/1', pattern: '/{id}', every: 1h, output: a.db}\n"


def mistakes_of(text: str) -> list[str]:
    with pytest.raises(TaskFileError) as caught:
        loads(text)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("folder", "mistake"),
    [
        ("${P}/${A_LONG_NAME:-x}/{day}", ":3:43: settings.pages: unknown placeholder {day}; did you mean {task}?"),
        ("pages/{task", ":3:26: settings.pages: unknown placeholder {; did you mean {task}?"),
        ("s3://b/pages", ":3:19: settings.pages: is not a path; pages are kept in a folder; write pages/{task}"),
    ],
)
def test_pages_are_kept_in_a_folder_which_may_have_the_tasks_name(folder, mistake):
    assert loads(MINIMAL + "settings: {pages: '${P}/{task}'}\n").settings.pages == "${P}/{task}"
    assert mistakes_of(MINIMAL + f"settings: {{pages: '{folder}'}}\n") == ["tasks.yaml" + mistake]


def test_no_task_has_a_former_name_of_another():
    other = MINIMAL + MINIMAL.removeprefix("tasks:\n").replace("a: {", "b: {formerly: [c, a], ")
    assert mistakes_of(other) == ["tasks.yaml:3:17: tasks.b.formerly: has the name of task a; rename that task"]
    assert loads(other.replace("[c, a]", "[c, d]")).tasks["b"].formerly == ("c", "d")


def test_start_pages_are_written_out_newest_first():
    text = MINIMAL.replace("every:", "start: ['/{date:%Y-%m-%d}/', '/list_{n:1..2}.html'], every:")
    assert loads(text).tasks["a"].start_urls(date(2024, 1, 1), days=2) == [
        "http://h/2024-01-01/",
        "http://h/2023-12-31/",
        "http://h/list_1.html",
        "http://h/list_2.html",
    ]


def test_published_list_comes_back_equal_with_variables_unexpanded():
    found = loads(GOOD.replace("out/{task}.jsonl", "[a.db, '${PG_DSN}']"))
    settings, tasks = found.published_form()
    assert TaskFile.of_published(settings, tasks) == found
    assert "${PG_DSN}" in "".join(tasks.values())


def test_what_was_not_published_here_is_refused():
    for said, tasks in [("", {}), ("[]", {}), ("{}", {"a": ""}), ("{}", {"a": "[]"}), ("{}", {"a": "{}"})]:
        with pytest.raises(TaskError, match="not a published task list"):
            TaskFile.of_published(said, tasks)


# Mistakes. Each edit of GOOD is refused at line:column of the mistake, with these words.

EDITS = [
    # (text to replace, its replacement, line:column, key path from the task or the top, words of message and hint)
    ("pattern:", "patern:", "6:5", ".patern", "unknown key; did you mean 'pattern'?"),
    ("start:", "qqq:", "7:5", ".qqq", "unknown key; known: example, pattern, every"),
    ("defaults:\n  every: 1h\n", "every: 1h\n", "1:1", "every", "it belongs under a task or under 'defaults:'"),
    ("every: 1h", "every: 1hour", "2:10", "defaults.every", "units are s, m, h, d and w"),
    ("every: 1h", "every: 30", "2:10", "defaults.every", "30 has no unit; write 30s, 30m or 30h"),
    ("every: 1h", "every: 1s", "2:10", "defaults.every", "shorter than 10 seconds"),
    ("every: 1h", "every: auto 1d..15m", "2:10", "defaults.every", "write auto 15m..1d"),
    ("every: 1h", "every: 0 8 * * 1-5 Asia/Shangai", "2:22", "defaults.every", "did you mean Asia/Shanghai?"),
    ("defaults:\n  every: 1h", "defaults:", "3:3", "tasks.kuaibao", "'every' is missing here and in 'defaults:'"),
    ("    example: http://h/a/kuaibao/2012/0312/345.html\n", "", "4:3", "tasks.kuaibao", "'example' is missing"),
    ("example: http://h", "example: h.example", "5:14", ".example", "write http://h.example"),
    ("example: http://h/a", "example: http://h/ a", "5:23", ".example", "white space"),
    ("example: http://h/a/kuaibao/2012", "example: http://h/{id}", "5:23", ".example", "a pattern, not the URL"),
    ("example: http://h/a", "example: [http://h/a]", "5:26", "", "not YAML"),
    ("example: http://h/a/kuaibao/2012/0312/345.html", "example: [a, b]", "5:14", ".example", "write a single value"),
    ("example: http://h/a", 'example: "http://h/a', "5:14", "", "this quotation mark is not closed; close it"),
    ("{id}.html\n    start", "{id}.htm\n    start", "6:14", ".pattern", "the URL continues with 'l'"),
    ("pattern: http", "pattern: re:(http", "6:17", ".pattern", "missing )"),
    ("start: http://h/a/kuaibao/", "start: [http://h/, 'http://h/{id}']", "7:24", ".start[1]", "cannot be enumerated"),
    ("out/{task}.jsonl", "[a.db, gopher://h/d]", "9:20", ".output[1]", "an address that begins with "),
    ("out/{task}.jsonl", "[]", "9:13", ".output", "empty"),
    ("output:", "depth: 21\n    output:", "9:12", ".depth", "must be at most 20, not 21"),
    ("output:", "depth: '3'\n    output:", "9:12", ".depth", "must be a whole number"),
    ("output:", "method: densty\n    output:", "9:13", ".method", "did you mean 'density'?"),
    ("output:", "paused: 'no'\n    output:", "9:13", ".paused", "write true or false"),
    ("output:", "delay: .nan\n    output:", "9:12", ".delay", ""),
    ("output:", "headers: {A B: c}\n    output:", "9:20", ".headers.A B", "not a header name"),
    ("output:", "render: always\n    output:", "9:13", ".render", "neither true, false nor auto"),
    ("output:", "revisit: 1d\n    output:", "9:14", ".revisit", "does not give an interval and a duration"),
    ("output:", "keep_pages: 12h\n    output:", "9:17", ".keep_pages", "shorter than a day; write 30d"),
    ("output:", "pictures: keep\n    output:", "9:15", ".pictures", "add a Markdown output, such as"),
    ("output:", "cookies: {a: b;c}\n    output:", "9:18", ".cookies.a", "one line without ;"),
    ("output:", "auth: {user: a, password: 12345}\n    output:", "9:31", ".auth.password", "in quotes"),
    ("output:", "auth: bob\n    output:", "9:11", ".auth", "write {user: reader, password: ${READER_"),
    ("output:", "auth: {user: a}\n    output:", "9:11", ".auth", "'password' is missing; write {user: reader"),
    ("output:", "proxy: socks5://h:1\n    output:", "9:12", ".proxy", "write http://host:3128"),
    ("2012-01-01", "2012-02-30", "10:35", ".keep.since", "write it as 2024-12-31"),
    ("2012-01-01}", "2012-01-01, until: 2011-01-01}", "10:54", ".keep.until", "swap the two"),
    ("https://example.org/our-crawler", "me", "12:12", "settings.contact", "neither a URL nor an e-mail"),
    ("127.0.0.1", "10.0.0.0/99", "13:17", "settings.allow_hosts[0]", "10.0.0.0/8"),
    ("  kuaibao:", "  a/b:", "4:3", "tasks.a/b", "write a-b"),
    ("  kuaibao:", "  ? [a]\n  :", "4:5", "tasks", "a key must be text"),
    ("settings:", "  b:\nsettings:", "11:3", "tasks.b", "empty; a task needs example, pattern, every, output"),
    ("settings:", "settings: &a\n  delay: *a", "11:11", "settings.delay", "an alias of a value inside itself"),
    ("    example", "\texample", "5:1", "", "a tab in the indentation"),
    ("    example", "   example", "6:12", "", "check the indentation"),
    ("example: ", "example:", "5:13", "", "no space after the colon of this key"),
    ("follow: http://h/a/*/", "follow: */", "8:14", "", "quotes"),
    ("http://h/a/kuaibao/{date:%Y/%m%d}/{id}.html", '"/\\d+"', "6:16", "", "in single quotes"),
    ("127.0.0.1", "@home", "13:17", "", "quotes"),
    ("settings:", "---\nsettings:", "11:1", "", "write one task list in one file"),
    ("contact: https", "contact: !me https", "12:12", "settings.contact", "tags are not supported: !me"),
]


def test_a_mistake_in_a_login_or_a_proxy_shows_no_secret():
    wrong = ["auth: {user: a, password: 12345}", "auth: {user: a, pasword: abc12345}", "proxy: ftp://u:abc12345@h/"]
    for line in wrong:
        with pytest.raises(TaskFileError) as caught:
            loads(GOOD.replace("output:", f"{line}\n    output:"))
        assert "12345" not in str(caught.value)


@pytest.mark.parametrize(("old", "new", "place", "key_path", "says"), EDITS, ids=[f"{e[0]}->{e[1]}" for e in EDITS])
def test_mistake_is_named_with_its_place(old, new, place, key_path, says):
    assert GOOD.count(old) >= 1
    key_path = f"tasks.kuaibao{key_path}" if key_path.startswith(".") else key_path
    found = mistakes_of(GOOD.replace(old, new, 1))
    assert all(re.match(r"tasks\.yaml:[0-9]+:[0-9]+: ", line) for line in found)
    assert any(line.startswith(f"tasks.yaml:{place}") and key_path in line and says in line for line in found), found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "tasks.yaml:1:1: empty"),
        ("# nothing\n", "tasks.yaml:1:1: empty"),
        ("[1]", "tasks.yaml:1:1: must be a map, not a list"),
        ("tasks", "tasks.yaml:1:1: must be a map, not 'tasks'"),
        ("tasks:", "tasks.yaml:1:1: tasks: empty"),
        ("tasks: [a]", "tasks.yaml:1:1: tasks: must be a map of tasks by name"),
        ("settings: {}", "tasks.yaml:1:1: 'tasks' is missing"),
        ("tasks: {a: \x01}", "tasks.yaml:1:12: character 0x1 is not allowed in YAML"),
        ("[" * 5000, "tasks.yaml:1:42: not YAML: nested too deeply"),
        ("a: " + "[" * 60 + "]" * 60, "tasks.yaml:1:44: not YAML: nested too deeply"),
        ("{a: " * 5000, "nested too deeply"),
        ("- " * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_task_list_is_refused(text, says):
    assert says in "\n".join(mistakes_of(text))


def test_aliases_that_multiply_are_refused(monkeypatch):
    monkeypatch.setattr("crawler.task_list.yaml_source.MAX_REPEATED", 1000)
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert any("aliases repeat more than" in line for line in mistakes_of("\n".join(lines)))


def test_all_mistakes_come_at_once_in_the_order_of_the_file():
    text = GOOD.replace("1h", "1q").replace("pattern:", "patern:").replace("{task}", "{x}").replace("contact", "c")
    assert [line.split(":")[1] for line in mistakes_of(text)] == ["2", "6", "9", "12"]


def test_a_default_that_fits_one_task_only_is_told_at_the_other():
    defaults = "defaults: {pattern: '/a/{id}', every: 1h, output: a.db}\n"
    found = mistakes_of(defaults + "tasks:\n  x: {example: 'http://h/a/1'}\n  y: {example: 'http://h/b/1'}\n")
    assert len(found) == 1
    assert found[0].startswith("tasks.yaml:4:3: tasks.y: the pattern from 'defaults:' does not match the example; ")


def test_files_that_cannot_be_read_are_mistakes_too(tmp_path: Path):
    (tmp_path / "gbk.yaml").write_bytes("a: 1\nb: 新".encode("gb18030"))
    (tmp_path / "utf16.yaml").write_bytes("a: 1".encode("utf-16"))
    (tmp_path / "tasks.yml").write_text(MINIMAL)
    says = {
        "gbk.yaml": "gbk.yaml:2:4: byte 0xd0 is not UTF-8",
        "utf16.yaml": "byte 0xff is not UTF-8; save the file as UTF-8",
        "tasks.yaml": "no such file; did you mean",
        ".": "cannot be read: Is a directory",
        "tasks.yml/x": "cannot be read",
    }
    for name, words in says.items():
        with pytest.raises(TaskFileError) as caught:
            load(tmp_path / name)
        assert words in str(caught.value)


def places_of_mistakes(text: str) -> list[tuple[int, int]]:
    try:
        loads(text)
    except TaskFileError as error:
        return [(mistake.line, mistake.column) for mistake in error.mistakes] or [(0, 0)]
    return []


@settings(max_examples=samples.sample(40, 100))
@given(st.text() | st.text(alphabet=" \t\n:-[]{}#&*!|>'\"%@`taskdefu1,?<\x00\x85\ufeff"))
def test_any_text_is_a_task_list_or_a_task_file_error(text):
    assert all(line >= 1 and column >= 1 for line, column in places_of_mistakes(text))


@settings(max_examples=samples.sample(40, 100))
@given(st.integers(0, len(GOOD) - 1), st.sampled_from("\t :x{}[]'\"-#&*\n"))
def test_any_single_slip_is_a_task_list_or_a_task_file_error(at, char):
    for text in (GOOD[:at] + char + GOOD[at:], GOOD[:at] + char + GOOD[at + 1 :]):
        assert all(line >= 1 and column >= 1 for line, column in places_of_mistakes(text))


# Periods


@pytest.mark.parametrize(
    ("value", "text", "bounds"),
    [
        ("auto", "auto", (600, 86400)),
        ("auto 15m..12h", "auto 15m..12h", (900, 43200)),
        (" auto  15m .. 12h", "auto 15m..12h", (900, 43200)),
    ],
)
def test_auto_has_bounds(value, text, bounds):
    period = Period.parse(value)
    assert (str(period), period.bounds) == (text, bounds)
    assert Period.parse(str(period)) == period
    moment = datetime(2024, 1, 5, tzinfo=UTC)
    assert (period.next_after(moment) - moment).total_seconds() == bounds[1]


# Variables and secrets


def test_a_mistake_does_not_show_the_password_it_is_about():
    text = GOOD.replace("example: http://h", "example: ftp://me:s3cret@h")
    assert "s3cret" not in "".join(mistakes_of(text))


# Schema and sample


def test_shipped_schema_is_that_of_the_models(tmp_path):
    shipped = json.loads(SCHEMA_FILE.read_bytes())
    assert shipped == json_schema(), "run: make schema"
    jsonschema.Draft7Validator.check_schema(shipped)
    write_schema(tmp_path / "beside" / "tasks.schema.json")
    assert (tmp_path / "beside" / "tasks.schema.json").read_bytes() == SCHEMA_FILE.read_bytes()


def test_schema_describes_every_key_with_an_example():
    definitions = json_schema()["definitions"]
    for name in ("Task", "Settings", "Filter"):
        assert definitions[name]["additionalProperties"] is False
        for key, value in definitions[name]["properties"].items():
            assert value.get("description"), key
            assert value.get("examples"), key
    assert set(definitions["Task"]["properties"]) == set(Task.model_fields) - {"name"}


@pytest.mark.parametrize("text", [GOOD, MINIMAL, sample(), sample("a@example.org")])
def test_schema_takes_what_the_loader_takes(text):
    loads(text)
    jsonschema.Draft7Validator(json_schema()).validate(read_text(text).data)


@pytest.mark.parametrize("edit", [("pattern:", "patern:"), ("output:", "depth: 21\n    output:"), ("kuaibao:", "a/b:")])
def test_schema_refuses_what_an_editor_can_see(edit):
    data = read_text(GOOD.replace(*edit, 1)).data
    assert not jsonschema.Draft7Validator(json_schema()).is_valid(data)


def test_sample_has_the_modeline_and_one_paused_task():
    text = sample("https://example.org/bot")
    found = loads(text)
    assert text.startswith("# yaml-language-server: $schema=.exemplar/tasks.schema.json\n")
    assert [task.paused for task in found.tasks.values()] == [True]
    assert found.settings.contact == "https://example.org/bot"


def test_the_repository_has_the_sample_at_its_top():
    text = (REPOSITORY / "tasks.yaml").read_text("utf-8")
    modeline, _, rest = text.partition("\n")
    assert rest == sample().partition("\n")[2]
    assert (REPOSITORY / modeline.rpartition("=")[2]).samefile(SCHEMA_FILE)
