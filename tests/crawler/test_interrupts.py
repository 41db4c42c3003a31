"""Ctrl-C while Twisted sets up a crawl: the set-up ends first, then the program is told."""

import os
import signal

import pytest

from crawler.fetching.scrapy_process import interrupts_held


def test_ctrl_c_waits_for_the_end_of_the_block() -> None:
    done = []
    before = signal.getsignal(signal.SIGINT)

    def work() -> None:
        with interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("the rest")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the rest"]
    assert signal.getsignal(signal.SIGINT) is before
