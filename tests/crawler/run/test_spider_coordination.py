"""Who works on a task, and who of them walks its lists."""

import os
import subprocess
import sys
import time

import pytest

from crawler.run import spider_coordination as crew
from crawler.run.spider_coordination import Crew, disband


@pytest.fixture
def join(connection):
    def joined(walk=crew.WALK):
        found = Crew(connection, "news", walk)
        found.join()
        return found

    return joined


def test_the_first_one_walks(join):
    one, two, three = join(), join(), join()
    assert [each.walks for each in (one, two, three)] == [True, False, False]
    assert three.others == 2


def test_when_the_walker_leaves_in_mid_walk_one_of_the_others_walks(join):
    one, two, three = join(), join(), join()
    one.leave(walk_ended=False)
    two.live()
    three.live()
    assert (two.walks, three.walks) == (True, False)


def test_a_walk_that_came_to_its_end_is_not_begun_again_by_those_who_were_there(join):
    one, two = join(), join()
    one.leave(walk_ended=True)
    two.live()
    assert (two.walks, two.walk_ended, two.others) == (False, True, 0)
    assert join().walks


def test_a_backfill_has_a_walk_of_its_own(join):
    assert (join().walks, join(crew.BACKFILL).walks) == (True, True)


def test_who_is_silent_too_long_is_out(join, monkeypatch):
    monkeypatch.setattr(crew, "SILENT_SECONDS", 0.001)
    one = join()
    monkeypatch.setattr(crew, "SILENT_SECONDS", 15.0)
    time.sleep(0.05)
    two = join()
    assert (two.others, two.walks) == (0, True)
    assert one.live() is False
    assert one.walks is False


def test_a_sign_of_life_keeps_the_place(join):
    one = join()
    assert one.live()
    assert one.walks


def test_a_spider_of_this_machine_whose_process_is_gone_is_out_at_once(join, monkeypatch):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    monkeypatch.setattr(os, "getpid", lambda: gone.pid)
    join()
    monkeypatch.undo()
    two = join()
    assert (two.others, two.walks) == (0, True)


def test_spiders_of_other_machines_are_believed_to_live(join, monkeypatch):
    monkeypatch.setattr(crew, "HERE", "another-machine")
    join()
    monkeypatch.undo()
    assert join().walks is False


def test_who_knows_that_nobody_works_disbands(join, connection):
    join()
    disband(connection, "news")
    two = join()
    assert (two.others, two.walks) == (0, True)
