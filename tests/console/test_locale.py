"""Chinese where the locale is Chinese, English everywhere else, and a catalogue that is complete."""

import json
import re
import string
from pathlib import Path

import pytest

from console.locale import is_chinese
from console.locale.translator import CONTEXT, PLACEHOLDER, Translator, read_mo
from tests.console.catalogues import COMMAND_LINE, present, translations
from tests.console.conftest import Exemplar

CHINESE = {"LC_ALL": "zh_CN.UTF-8"}


@pytest.fixture(scope="module")
def translated() -> dict[str, str]:
    return translations(present(COMMAND_LINE))


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator(read_mo(COMMAND_LINE.with_suffix(".mo").read_bytes()))


# -- the catalogue


def test_a_translation_names_no_value_that_its_message_does_not_have(translated: dict[str, str]) -> None:
    for key, text in translated.items():
        if key.startswith(("noun", "word")):
            continue
        named = {name for _, name, _, _ in string.Formatter().parse(key)} if "{name" in key else set()
        assert set(PLACEHOLDER.findall(text)) <= set(PLACEHOLDER.findall(key)), key
        assert not named or named == {name for _, name, _, _ in string.Formatter().parse(text)}, key


def test_translations_are_in_chinese(translated: dict[str, str]) -> None:
    latin = [key for key, text in translated.items() if not re.search("[一-鿿（]", text)]
    same = re.compile(
        r"(failures|work) \w+$|--\w+:? |redis: |REDIS_URL|skip: |http |auto|\{0\}: exemplar|\{0\} of \{1\} MB"
    )
    names = (f"word{CONTEXT}redis", f"word{CONTEXT}feed", f"word{CONTEXT}, ")
    assert [key for key in latin if not same.match(key.rpartition(CONTEXT)[2]) and key not in names] == []


# -- finding a translation


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("https://a.example/1: skipped; task news covers it", "https://a.example/1：跳过；任务 news 已包含它"),
        (
            "error: tasks.yaml:3:5: tasks.a.exampel: unknown key; did you mean 'example'?",
            "错误：tasks.yaml:3:5：tasks.a.exampel：未知的键；是不是想写 'example'？",
        ),
        (
            (
                "problem: example http://h/: the site is unreachable: connection refused; "
                "if that persists, choose another one"
            ),
            "问题：示例 http://h/：网站无法访问：连接被拒绝；如果一直如此，请另指定一篇",
        ),
        (
            "error: http://h/ cannot be the example: it is a list page, not an article (no date); nothing was written",
            "错误：http://h/ 不能作示例：它是列表页，不是文章（无日期）；没有写入任何内容",
        ),
        ("Articles to which this page links:", "这个页面链接到的文章："),
        (
            (
                "task a: blocked (since 2026-11-29 16:31 UTC): 6 of the last 12 pages are block pages, or have the "
                "same title and length, 615 characters (articles usually 616, with titles of their own)"
            ),
            (
                "任务 a：遭到拦截（自 2026-11-29 16:31 UTC 起）：最近 12 个页面中有 6 个是拦截页，"
                "或者标题和长度相同，615 字（文章通常 616 字，标题各不相同）"
            ),
        ),
        (
            "write \\{ for the character itself; not a page: text/plain",
            "要表示该字符本身请写 \\{；不是页面：text/plain",
        ),
        ("check the address (a.jsonl cannot be read: no disk)", "请检查地址（无法读取 a.jsonl：no disk）"),
        ("9 of the old pages", "9 of the old pages"),
        ("  note: 3 things that nobody translated", "  注意：3 things that nobody translated"),
        ("Lights on Bridge Street", "Lights on Bridge Street"),
        ("渡口重新开放", "渡口重新开放"),
        ("", ""),
    ],
)
def test_a_text_is_translated_with_its_values(english: str, chinese: str, translator: Translator) -> None:
    assert translator.translate(english) == chinese


def test_each_message_is_found_whatever_its_values_are(translated: dict[str, str], translator: Translator) -> None:
    for key, text in translated.items():
        if CONTEXT in key or not PLACEHOLDER.search(key) or re.search(r"\}\s*\{", key):
            continue  # of two values side by side nobody can tell where the first ends
        values = {found: f"v{number}" for number, found in enumerate(PLACEHOLDER.findall(key))}
        english = PLACEHOLDER.sub(lambda found, known=values: known[found[0]], key)
        spaced = re.sub(r"(?<=[一-鿿])(?=\{\d+\})|(?<=\d\})(?=[一-鿿])", " ", text)
        wanted = PLACEHOLDER.sub(lambda found, known=values: known[found[0]], spaced)
        assert translator.translate(english) == wanted, key


# -- the program


def test_help_and_errors_are_in_chinese_where_the_locale_is(exemplar: Exemplar) -> None:
    said = ("用法：", "选项:", "显示本说明并退出。", "试运行 TASK", "示例：")
    exemplar("try", "--help", **CHINESE).succeeded(*said)
    unknown = exemplar("try", "--bad", **CHINESE)
    assert (unknown.code, unknown.err.splitlines()[-1]) == (2, "错误：没有选项 '--bad'。")


@pytest.mark.parametrize(
    ("all_", "lang", "chinese"), [("", "zh_TW.UTF-8", True), ("en_US.UTF-8", "zh_CN.UTF-8", False), ("", "", False)]
)
def test_the_first_variable_that_is_set_decides(
    all_: str, lang: str, chinese: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("LC_ALL", all_), ("LC_MESSAGES", ""), ("LANG", lang)):
        monkeypatch.setenv(name, value)
    assert is_chinese.__wrapped__() is chinese


def test_json_stays_english(tmp_path: Path, exemplar: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text("tasks:\n  a:\n    exampel: 1\n", "utf-8")
    assert exemplar("check", "--json", **CHINESE).out == exemplar("check", "--json").out
    assert "未知的键" in exemplar("check", **CHINESE).err


def test_titles_of_pages_are_not_translated(tmp_path: Path, exemplar: Exemplar) -> None:
    text = "<title>note: no such file</title><h1>note: no such file</h1><p>" + "It was late again. " * 40
    (tmp_path / "page.html").write_text(text, "utf-8")
    assert exemplar("extract", "page.html", **CHINESE).out == exemplar("extract", "page.html").out


@pytest.mark.usefixtures("crawled")
def test_a_run_in_chinese(exemplar: Exemplar) -> None:
    said = ("zh-news 立即开始", "抓取已完成", "任务", "已写入")
    exemplar("run", "zh-news", "--once", **CHINESE).succeeded(*said)
    assert json.loads(exemplar("status", "--json", **CHINESE).out)["tasks"][0]["state"]
    assert "下次运行" in exemplar("status", **CHINESE).out
