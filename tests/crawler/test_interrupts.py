"""Ctrl-C while Twisted sets up a crawl: the set-up ends first, then the program is told."""

import os
import signal

import pytest

from crawler.spider_process import interrupts_held


def _interrupted(done: list[str]) -> None:
    with interrupts_held():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("the rest")


def test_ctrl_c_waits_for_the_end_of_the_block() -> None:
    done: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(done)
    assert done == ["the rest"]
    assert signal.getsignal(signal.SIGINT) is before


def test_without_ctrl_c_nothing_happens() -> None:
    with interrupts_held():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
