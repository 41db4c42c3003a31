"""Articles and lists mixed, and the constants of the articles' half."""

import json

import pytest

from evaluation.reproduction.deviation import DESCENT, SHIPPED
from evaluation.reproduction.deviation import main as deviation
from evaluation.reproduction.i_awce import JudgedPage, main, texts, types
from evaluation.scores import Score

STORY = "The harbour office opened its new tide station on Monday after two years of repairs and of waiting. " * 4


def write(folder, pages):
    folder.mkdir(parents=True)
    rows = []
    for number, (kind, html, body) in enumerate(pages):
        (folder / f"{number}.html").write_text(html, "utf-8")
        url = f"https://{folder.name}.example/{'news/' if kind == 'list' else f'2026/03/04/story-{number}.html'}"
        rows.append({"id": f"{folder.name}:{number}", "file": f"{number}.html", "site": folder.name, "section": "a",
                     "kind": kind, "url": url, "body": body})  # fmt: skip
    (folder / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "groups.json").write_text("[]", "utf-8")


@pytest.fixture
def data(tmp_path):
    article = f"<html><body><h1>Tides</h1><div><p>{STORY}</p><p>{STORY}</p></div></body></html>"
    links = "".join(f'<li><a href="/a/{n}.html">Entry number {n} of the list</a> 2026-03-04</li>' for n in range(20))
    listing = f"<html><head><title>News</title></head><body><h1>News</h1><ul>{links}</ul></body></html>"
    body = f"{STORY.strip()}\n\n{STORY.strip()}"
    for name in ("tides", "ferries"):
        write(tmp_path / "sets" / name, [("article", article, body), ("list", listing, None)])
    return tmp_path


def test_command_prints_types_and_texts(data, capsys):
    assert main([str(data)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("## shipped")
    assert "right of these" in printed
    assert "article-deviation alone" in printed


def test_types_count_what_is_answered_and_what_of_it_is_right():
    pages = [JudgedPage("a", True, "article", None, None), JudgedPage("a", True, "", None, None)]
    pages += [JudgedPage("a", False, "list", None, None), JudgedPage("a", False, "article", None, None)]
    last = types(pages).splitlines()[-1].split()
    assert last == ["all", "2", "2", "75.0%", "66.7%", "50.0%", "100.0%", "100.0%", "50.0%"]


def test_texts_stand_beside_the_method_alone():
    pages = [JudgedPage("a", True, "article", Score(1.0, 1.0), Score(0.5, 0.5))]
    assert texts(pages).splitlines()[-1].split() == ["mean", "–", "1.000", "0.500"]


def test_constants_command_prints_a_row_a_set(data, capsys):
    assert deviation([str(data)]) == 0
    printed = capsys.readouterr().out
    assert "ferries" in printed
    assert printed.split()[-3:][0] == "mean"
    assert SHIPPED in DESCENT.choosable()


@pytest.mark.parametrize("command", [main, deviation])
def test_a_folder_without_data_is_a_clear_error(command, tmp_path, capsys):
    with pytest.raises(SystemExit) as error:
        command([str(tmp_path / "none")])
    assert error.value.code == 2
    assert "is not a folder" in capsys.readouterr().err


def test_models_that_are_not_there_are_named(data, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(data), "--left-out", str(tmp_path / "none")])
    assert "python -m evaluation.left_out DATA" in capsys.readouterr().err
