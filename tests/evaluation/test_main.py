import json

import pytest

from evaluation.__main__ import main
from evaluation.peers import PEERS, Peer

from . import layouts


@pytest.fixture(autouse=True)
def loud():
    """The evaluation silences logging and warnings of the whole process; later tests want them."""
    import logging
    import warnings

    with warnings.catch_warnings():
        yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def data(tmp_path):
    return str(layouts.normalised(tmp_path / "data"))


def run_json(capsys, *words):
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_every_method_finds_the_stories(data, capsys):
    code, report = run_json(capsys, data)
    assert code == 0
    found = {(one["set"], one["method"]): one for one in report["results"]}
    for name in ("density", "example", "example+memory4", "auto", "auto+example"):
        assert found["gazette", name]["f1"] > 0.95, name
    assert found["gazette", "density"]["pages"] == 3
    assert found["gazette", "example"]["pages"] == 6
    assert found["gazette", "density"]["lists"] == {"right": 1, "of": 1}
    assert found["gazette", "density"]["titles"] == {"right": 3, "of": 3}
    assert found["gazette", "density"]["days"] == {"right": 3, "of": 3}
    _, report = run_json(capsys, data, "--perturb", "names,short", "--methods", "density")
    assert [one["set"] for one in report["results"]] == ["gazette", "gazette+names", "gazette+short"]


def test_crash_of_a_peer_counts_as_empty_text(data, capsys, monkeypatch):
    def load():
        def crash(text):
            raise ValueError("no")

        return crash

    monkeypatch.setitem(PEERS, "boilerpy3", Peer("boilerpy3", "lxml", "lxml", load))
    code, report = run_json(capsys, data, "--methods", "density", "--peers", "boilerpy3")
    peer = next(one for one in report["results"] if one["method"] == "boilerpy3")
    assert code == 0
    assert (peer["crashes"], peer["pages"], peer["f1"]) == (3, 3, 0.0)


def test_floors_hold_and_fail(data, tmp_path, capsys):
    file = tmp_path / "floors.json"
    words = [data, "--methods", "density", "--floors", str(file)]
    assert main([*words, "--update-floors"]) == 0
    assert main(words) == 0
    stored = json.loads(file.read_text())
    reached = stored["sets"]["gazette"]["f1"]["density"]
    stored["sets"]["gazette"]["f1"]["density"] = 1.5
    file.write_text(json.dumps(stored))
    capsys.readouterr()
    assert main([*words, "--update-floors"]) == 1
    assert "its floor is 1.500" in capsys.readouterr().err
    assert json.loads(file.read_text())["sets"]["gazette"]["f1"]["density"] == 1.5
    assert main([*words, "--lower-floors"]) == 0
    assert json.loads(file.read_text())["sets"]["gazette"]["f1"]["density"] == reached


def test_floors_bring_their_settings_and_refuse_others(data, tmp_path, capsys):
    file = str(tmp_path / "floors.json")
    assert main([data, "--methods", "example", "--sample", "2", "--floors", file, "--update-floors"]) == 0
    capsys.readouterr()
    _, report = run_json(capsys, data, "--methods", "example", "--floors", file)
    assert report["results"][0]["pages"] == 2
    error = layouts.mistake(main, [data, "--methods", "example", "--sample", "3", "--floors", file], capsys)
    assert "the floors were measured with sample 2" in error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sets", "gazete"], "unknown set 'gazete': did you mean 'gazette'? Known: gazette"),
        (["--methods", "densty"], "unknown method 'densty': did you mean 'density'?"),
        (["--floors", "nowhere.json"], "nowhere.json has no floors"),
        (["--sample", "-1"], "'-1' is not a number"),
    ],
)
def test_mistakes_end_with_code_2_and_say_what_was_meant(data, capsys, options, message):
    assert message in layouts.mistake(main, [data, *options], capsys)
