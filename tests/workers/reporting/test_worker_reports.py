import json
import os
import select
from contextlib import suppress

import pytest

from workers.reporting.worker_reports import Watch, messages


@pytest.fixture
def pipe():
    read, write = os.pipe()
    yield read, write
    for file in (read, write):
        with suppress(OSError):
            os.close(file)


def test_messages_come_in_order(pipe):
    read, write = pipe
    watch = Watch(write)
    watch.job("news", ["a", "b"])
    watch.begin("news", "a", 20.0)
    watch.end()
    watch.writing("news", ["a"], 10.0)
    watch.problem("disk full", "news")
    watch.wrote("news")
    watch.wrote("news")
    assert list(messages(read, bytearray())) == [
        {"job": ["a", "b"], "task": "news"},
        {"begin": "a", "task": "news", "seconds": 20.0},
        {"end": True},
        {"writing": ["a"], "task": "news", "seconds": 10.0},
        {"problem": "disk full", "about": "news"},
        {"wrote": "news"},
    ]


def test_a_torn_line_is_kept_for_later(pipe):
    read, write = pipe
    buffer = bytearray()
    line = json.dumps({"job": ["a"], "task": "t"}).encode() + b"\n"
    os.write(write, line + line[:7])
    assert len(list(messages(read, buffer))) == 1
    os.write(write, line[7:])
    assert list(messages(read, buffer)) == [{"job": ["a"], "task": "t"}]


def test_the_longest_trouble_goes_through_a_pipe_in_one_piece(pipe):
    read, write = pipe
    Watch(write).problem("\U0001f5de" * 10_000, "news")
    line = os.read(read, 1 << 20)
    assert len(line) <= select.PIPE_BUF
    assert json.loads(line)["problem"].startswith("\U0001f5de" * 100)
