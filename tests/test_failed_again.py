"""A failure counts unless the test passes alone."""

import json
import subprocess
import sys

import pytest

from tests.failed_again import MOST, main

SECOND_TIME = """
def test_second_time(tmp_path_factory):
    from pathlib import Path
    mark = Path(__file__).with_name("mark")
    seen = mark.exists()
    mark.touch()
    assert seen
"""


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the runs of pytest within these tests start faster


def first_run(root, text):
    (root / "test_a.py").write_text(text)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "--rootdir", root], cwd=root, capture_output=True)


def test_a_test_that_passes_alone_is_named(tmp_path, capfd):
    first_run(tmp_path, SECOND_TIME + "\ndef test_other(): pass\n")
    assert main(tmp_path) == 0
    said = capfd.readouterr().out
    assert "passed alone:\n  test_a.py::test_second_time" in said
    assert "test_other" not in said


def test_a_test_that_fails_again_is_a_failure(tmp_path, capfd):
    first_run(tmp_path, SECOND_TIME + "\ndef test_wrong(): assert False\n")
    assert main(tmp_path) == 1
    assert "passed alone" not in capfd.readouterr().out


@pytest.mark.parametrize("count", [0, MOST + 1])
def test_many_failures_are_not_repeated(tmp_path, capfd, count):
    failed = tmp_path / ".pytest_cache/v/cache/lastfailed"
    failed.parent.mkdir(parents=True)
    if count:  # pytest keeps no file of no failures
        failed.write_text(json.dumps({f"test_a.py::test_{number}": True for number in range(count)}))
    assert main(tmp_path) == 1
    assert capfd.readouterr().out == ""
