"""Articles and lists mixed."""

import pytest

from evaluation.reproduction.i_awce import main

from .. import layouts

STORY = "The harbour office opened its new tide station on Monday after two years of repairs and of waiting. " * 4


@pytest.fixture
def data(tmp_path):
    article = f"<h1>Tides</h1><div><p>{STORY}</p><p>{STORY}</p></div>"
    links = "".join(f'<li><a href="/a/{n}.html">Entry number {n} of the list</a> 2026-03-04</li>' for n in range(20))
    listing = f"<title>News</title><h1>News</h1><ul>{links}</ul>"
    body = f"{STORY.strip()}\n\n{STORY.strip()}"
    for name in ("tides", "ferries"):
        base = f"https://{name}.example/"
        pages = [
            (layouts.row("0", site=name, body=body, url=f"{base}2026/03/04/story-0.html"), article),
            (layouts.row("1", site=name, kind="list", url=f"{base}news/"), listing),
        ]
        layouts.write(tmp_path / "sets" / name, pages)
    return tmp_path


def test_command_prints_types_and_texts(data, capsys):
    assert main([str(data)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("## shipped")
    assert "right of these" in printed
    assert "article-deviation alone" in printed
