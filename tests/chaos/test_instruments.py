"""The instruments by which faults are made do what they say, so that a history without violations means something."""

import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis

from tests.chaos.cluster import SHIM
from tests.chaos.history import _rows_of_files
from tests.proxy import Proxy


def in_shim(script, **environment):
    """What a Python process prints that has loaded the shim."""
    own = {**os.environ, "PYTHONPATH": str(SHIM), **environment}
    done = subprocess.run([sys.executable, "-c", script], env=own, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_lost_reply_is_of_a_command_that_was_executed(redis_url):
    proxy = Proxy(Path(redis_url.removeprefix("unix://")))
    with redis.Redis(port=proxy.port, retry=None) as node:
        node.delete("n")
        assert node.incr("n") == 1
        proxy.loss = 1.0
        with pytest.raises(redis.ConnectionError):
            node.incr("n")
        proxy.loss = 0.0
        assert (node.incr("n"), proxy.lost) == (3, 1)


def test_the_clock_of_a_process_is_off_and_can_be_set_right_while_it_runs(tmp_path):
    clock = tmp_path / "clock"
    clock.write_bytes(struct.pack("d", 3600.0))
    script = f"""
import time, datetime, struct, pathlib
print(time.time(), datetime.datetime.now(datetime.UTC).timestamp(), isinstance(datetime.datetime.now(), datetime.date))
pathlib.Path({str(clock)!r}).write_bytes(struct.pack("d", 0.0))
print(time.time())
"""
    (first, second, is_date), (third,) = (line.split() for line in in_shim(script, CHAOS_CLOCK=str(clock)).splitlines())
    assert (float(first) - time.time(), float(second) - time.time()) == (pytest.approx(3600, abs=5),) * 2
    assert (is_date, float(third) - time.time()) == ("True", pytest.approx(0, abs=5))


def test_only_a_file_that_was_moved_aside_may_end_within_a_line(tmp_path):
    row = b'{"task": "s", "url": "u", "version": 1, "title": "", "text": "", "parts": 1, "published": "", '
    row += b'"canonical_url": "u"}\n'
    for name, content in {"s.jsonl": row, "s.jsonl.1": row + row[:20], "s.jsonl.2": row[:20] + b"\n" + row}.items():
        (tmp_path / name).write_bytes(content)
    read = {path.name: _rows_of_files([path]) for path in tmp_path.iterdir()}
    assert {name: (len(rows), damaged) for name, (rows, damaged) in read.items()} == {
        "s.jsonl": (1, 0),
        "s.jsonl.1": (1, 0),
        "s.jsonl.2": (1, 1),
    }
    (tmp_path / "s.jsonl").write_bytes(row + row[:20])
    assert _rows_of_files([tmp_path / "s.jsonl"])[1] == 1
