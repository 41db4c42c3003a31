"""What comes from outside is escaped where a person reads it on a terminal."""

import json
from pathlib import Path

import pytest

from console.terminal import print_json, say, show
from crawler.logs import printable
from tests.console.conftest import Exemplar

CLIPBOARD = "\x1b]52;c;eA==\x07"
PAGE = f"<html><head><title>Tide{CLIPBOARD}s</title></head><body><h1>Tide{CLIPBOARD}s</h1>" + "".join(
    f"<p>The harbour was closed on day {n}{CLIPBOARD}\x9b2J\u202e, because the tide was high and the wind blew.</p>"
    for n in range(6)
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tab\tand\nline", "tab\tand\nline"),
        (CLIPBOARD, r"\x1b]52;c;eA==\x07"),
        ("\x9b2J\x7f\r", r"\x9b2J\x7f\r"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("\ud800", r"\ud800"),
        ("é中\u200f", "é中\u200f"),
    ],
)
def test_commands_of_a_terminal_are_escaped(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printable(text) == shown
    say(text)
    show(text)
    assert capsys.readouterr() == (shown + "\n", shown + "\n")


def test_json_holds_the_same_and_shows_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"title": f"a{CLIPBOARD}\x9b\x7f\u202e"}
    print_json(value)
    text = capsys.readouterr().out
    assert json.loads(text) == value
    assert text.strip().isprintable()


def test_extract_prints_no_command_of_a_page_or_of_its_name(tmp_path: Path, in_process: Exemplar) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / f"a{CLIPBOARD.replace('/', '')}.html").write_text(PAGE, "utf-8")
    (folder / f"b{CLIPBOARD}.html").write_text("<p>no article", "utf-8")
    done = in_process("extract", str(folder))
    assert "harbour was closed" in done.out
    assert "no article" not in done.out
    assert not {"\x1b", "\x07", "\x9b"} & {*done.out, *done.err}
    assert r"\x1b]52" in done.out
    assert r"\x1b]52" in done.err
