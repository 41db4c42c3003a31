"""The index of the articles, and the pages that search it."""

import csv
import html
import io
import json
import os
import random
import sqlite3
from datetime import date
from pathlib import Path

import pytest

from console.web.api_types import ArticleQuery
from console.web.article_index import ArticleIndex
from console.web.article_sources import ArticleFile, article_files, file_at
from console.web.words import match_of, snippet, words_of
from crawler.task_list.file import loads
from tests.console.web.conftest import NAMES, ConsoleClient, MakeConsole, row_of

WORDS = ("harbour", "bridge", "市场", "港口新闻", "经济", "增长", "fish", "goal")


def file_of(path: Path, rows: list[dict[str, object]], mode: str = "w") -> ArticleFile:
    with path.open(mode, encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return file_at(path, "jsonl")


def test_chinese_text_becomes_pairs_and_a_query_a_phrase_of_pairs() -> None:
    assert words_of("自然语言 and More") == "自然 然语 语言 言 and more"
    assert match_of("语言") == '"语言"'
    assert match_of("自然语言") == '"自然 然语 语言"'
    assert match_of("言") == '"言" *'
    assert match_of("第7号文") == '"第 7 号文"'
    assert match_of('harbour "new bridge" -football') == '("harbour" AND "new bridge") NOT ("football")'


@pytest.mark.parametrize(
    "query", ["-only", "", "***", '"', "()", "AND", 'a" OR "b', "NEAR(a b)", "title:x", "港\0口", "^a", "a*"]
)
def test_any_query_is_valid(tmp_path: Path, query: str) -> None:
    ArticleIndex(tmp_path).search(ArticleQuery(text=query))


def test_a_search_finds_what_a_reader_finds(tmp_path: Path) -> None:
    dice = random.Random(5)
    rows = []
    for number in range(300):
        text = "".join(dice.choice(WORDS) + dice.choice((" ", "，", "。")) for _ in range(8))
        rows.append(
            row_of(number, text=text, title="", language=dice.choice(("en", "zh", "zh-Hant")), task=dice.choice(NAMES))
        )
    index = ArticleIndex(tmp_path)
    assert index.update([file_of(tmp_path / "a.jsonl", rows)]) == 300
    for query in (*WORDS, "港口", "口新", "新", "长", "nothing"):
        for task in ("", *NAMES):
            for language in ("", "zh", "zh-Hant"):
                expected = {
                    row["url"]
                    for row in rows
                    if query in str(row["text"])
                    and task in ("", row["task"])
                    and str(row["language"]).startswith(language)
                }
                found = index.search(ArticleQuery(text=query, task=task, language=language), 500)
                assert {article.url for article in found.articles} == expected, (query, task, language)
                assert found.count == len(expected)


def test_days_and_pages_of_a_search(tmp_path: Path) -> None:
    index = ArticleIndex(tmp_path)
    index.update([file_of(tmp_path / "a.jsonl", [row_of(number) for number in range(100)])])
    query = ArticleQuery(text="harbour", since=date(2026, 11, 3), until=date(2026, 11, 4))
    assert index.search(query).count == 10
    urls, before = [], None
    while True:
        page = index.search(ArticleQuery(text="harbour", before=before), 7)
        urls += [article.url for article in page.articles]
        if (before := page.after) is None:
            break
    assert len(urls) == len({*urls}) == 100
    times = [article.fetched_at for article in index.search(ArticleQuery(), 100).articles]
    assert times == sorted(times, reverse=True)


def test_only_new_lines_are_read_and_a_row_counts_once(tmp_path: Path) -> None:
    index, path = ArticleIndex(tmp_path / "state"), tmp_path / "a.jsonl"
    assert index.update([file_of(path, [row_of(1), row_of(2)])]) == 2
    assert index.update([file_of(path, [row_of(2), row_of(3), row_of(3, version=2)], "a")]) == 2
    moved = path.rename(tmp_path / "a.jsonl.1")
    assert index.update([file_at(moved, "jsonl"), file_of(path, [row_of(4)])]) == 1
    assert len(index.search(ArticleQuery(), 10).articles) == 4  # two versions are one article


def test_a_confidence_that_is_no_number_counts_as_none(tmp_path: Path) -> None:
    index, odd = ArticleIndex(tmp_path / "state"), [float("nan"), float("inf"), "high", [1], 10**400, None, 0.5]
    rows = [row_of(number, confidence=confidence) for number, confidence in enumerate(odd, 1)]
    assert index.update([file_of(tmp_path / "a.jsonl", rows)]) == len(odd)
    found = index.search(ArticleQuery(), 10).articles
    assert sorted(article.confidence for article in found) == [0.0] * 6 + [0.5]
    assert sum(map(len, index.rows(ArticleQuery()))) == len(odd)


def test_versions_are_one_article_and_all_are_exported(tmp_path: Path) -> None:
    index, of_day = ArticleIndex(tmp_path / "state"), "2026-11-{:02}T10:00:00+00:00"
    rows = [row_of(number, fetched_at=of_day.format(number)) for number in range(1, 8)]
    rows += [row_of(number, version=2, fetched_at=of_day.format(20 + number), text="bridge") for number in range(1, 4)]
    index.update([file_of(tmp_path / "a.jsonl", rows)])
    for query, number in (ArticleQuery(), 7), (ArticleQuery(text="bridge"), 3), (ArticleQuery(text="harbour"), 4):
        found = index.search(query, 50)
        assert found.count == len(found.articles) == number, query
    assert sum(map(len, index.rows(ArticleQuery()))) == 10


def test_a_line_that_is_being_written_waits_and_others_are_no_rows(tmp_path: Path) -> None:
    path, index = tmp_path / "a.jsonl", ArticleIndex(tmp_path / "state")
    file_of(path, [row_of(1)])
    with path.open("a") as out:
        out.write('[1]\nnothing\n{"task": "x"}\n' + json.dumps(row_of(2)))
    assert index.update([file_at(path, "jsonl")]) == 1
    with path.open("a") as out:
        out.write("\n")
    assert index.update([file_at(path, "jsonl")]) == 1


def test_a_file_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    path, index = tmp_path / "a.jsonl", ArticleIndex(tmp_path / "state")
    index.update([file_of(path, [row_of(number) for number in range(5)])])
    assert index.update([file_of(path, [row_of(9)])]) == 1
    assert [article.url for article in index.search(ArticleQuery(text="harbour")).articles] == [row_of(9)["url"]]


def test_a_row_in_the_place_of_another_one_is_not_shown_as_that(tmp_path: Path) -> None:
    path, index = tmp_path / "a.jsonl", ArticleIndex(tmp_path / "state")
    index.update([file_of(path, [row_of(1)])])
    file_of(path, [row_of(2)])
    assert index.search(ArticleQuery(text="harbour")).articles == ()


def test_a_damaged_index_is_built_again(tmp_path: Path) -> None:
    (tmp_path / "articles.db").write_bytes(os.urandom(5000))
    assert ArticleIndex(tmp_path).search(ArticleQuery(text="x")).count == 0


def test_rows_of_sqlite_outputs_are_found(tmp_path: Path) -> None:
    from workers.sinks import open_sink
    from workers.sinks.reading import complete

    row = complete(row_of(1, keywords=["harbour"]))
    sink = open_sink("a.db", NAMES[0], tmp_path)
    with sink.exclusive():
        sink.write([row])
    sink.close()
    task = f"tasks:\n  {NAMES[0]}:\n    example: https://a.example/1.html\n    pattern: https://a.example/{{id}}.html\n"
    tasks = loads(task + "    every: 1h\n    output: [a.db, b.csv, c.jsonl.gz]\n", folder=tmp_path)
    files = article_files(tasks)
    assert [(file.path.name, file.kind) for file in files] == [("a.db", "sqlite")]
    index = ArticleIndex(tmp_path / "state")
    assert index.update(files) == 1
    [found] = index.search(ArticleQuery(text="港口")).articles
    assert found.row["keywords"] == ["harbour"]
    assert sqlite3.connect(tmp_path / "a.db").execute("SELECT count(*) FROM articles").fetchone() == (1,)


def test_a_snippet_marks_the_words() -> None:
    assert snippet("The new harbour bridge", "harbour") == [("The new ", False), ("harbour", True), (" bridge", False)]
    assert snippet("港口新闻", "新闻") == [("港口", False), ("新闻", True), ("", False)]
    assert snippet("text", "") == [("text", False)]
    assert snippet("a" * 181, "") == [("a" * 180 + "…", False)]
    assert snippet("a" * 500 + " (b", "(b")[0] == ("…", False)


def test_the_page_searches_filters_and_exports(client: ConsoleClient) -> None:
    text = client.get("/articles?q=港口新闻第7号").text
    assert text.count("result-title") == 1
    assert "<mark>港口新闻第7号</mark>" in text
    assert "30 articles" in client.get(f"/articles?task={NAMES[0]}").text
    assert "No article matches" in client.get("/articles?language=fr").text
    exported = client.get("/articles/export?q=harbour&since=2026-11-10&until=2026-11-11")
    assert len([json.loads(line) for line in exported.text.splitlines()]) == 4
    as_csv = client.get("/articles/export?q=7th&format=csv").text
    assert as_csv.startswith("\ufefftask,url,")
    assert [row["title"] for row in csv.DictReader(io.StringIO(as_csv))] == ["Article 7"]


@pytest.mark.parametrize("path", ["/articles", "/articles/export", f"/tasks/{NAMES[0]}/articles", "/api/articles"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_an_invalid_day_of_a_search_is_refused_with_the_form_of_a_day(
    client: ConsoleClient, path: str, name: str
) -> None:
    answer = client.get(f"{path}?{name}=foo", headers={"accept-language": "en"})
    assert answer.status_code == 422
    assert f"{name}: 'foo' is not a day; write it as 2024-12-31" in html.unescape(answer.text)
    assert client.get(f"{path}?{name}=").status_code == 200
    assert client.get(f"{path}?{name}=9999-12-31").status_code == 200


def test_a_cell_that_a_spreadsheet_computes_is_text(published: Path, console: MakeConsole) -> None:
    titles = [f"{start}HYPERLINK(1)" for start in "=+-@\t\r\n＝＋－＠'"]
    rows = [row_of(number, title=title) for number, title in enumerate(titles, 99)]
    file_of(published.parent / "out" / f"{NAMES[0]}.jsonl", rows, "a")
    answer = console().get("/articles/export?q=HYPERLINK&format=csv").content.decode("utf-8-sig")
    read = csv.DictReader(io.StringIO(answer, newline=""))
    assert sorted(row["title"] for row in read) == sorted(f"'{title}" for title in titles)


def test_an_export_has_every_row(client: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("console.web.article_index.EXPORTED_AT_ONCE", 7)
    assert client.get("/articles/export").content.count(b"Article ") == 30


def test_an_article_is_shown_with_its_text(client: ConsoleClient) -> None:
    page = client.get("/articles").text
    number = page.partition('class="result-title" href="/articles/')[2].partition('"')[0]
    text = client.get(f"/articles/{number}").text
    assert "article of the harbour" in text
    assert "The page is not kept" in text
    assert client.get(f"/articles/{number}/page").status_code == 404
