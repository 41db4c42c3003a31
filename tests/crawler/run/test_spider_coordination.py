"""Which spiders work on a task, and which of them walks its lists."""

import subprocess
import sys
import time

import pytest

from crawler.run import spider_coordination as crew
from crawler.run.spider_coordination import Crew, disband


@pytest.fixture
def join(connection):
    def joined(walk=crew.WALK, **options):
        place = Crew(connection, "news", walk, **options)
        place.join()
        return place

    return joined


def test_the_first_one_walks(join):
    one, two, three = join(), join(), join()
    assert [each.walks for each in (one, two, three)] == [True, False, False]
    assert three.others == 2


def test_when_the_walker_leaves_in_mid_walk_one_of_the_others_walks(join):
    one, two, three = join(), join(), join()
    one.leave(walk_ended=False)
    two.renew()
    three.renew()
    assert (two.walks, three.walks) == (True, False)


def test_a_walk_that_came_to_its_end_is_not_begun_again_by_those_who_were_there(join):
    one, two = join(), join()
    one.leave(walk_ended=True)
    two.renew()
    assert (two.walks, two.walk_ended, two.others) == (False, True, 0)
    assert join().walks


def test_a_backfill_has_a_walk_of_its_own(join):
    assert (join().walks, join(crew.BACKFILL).walks) == (True, True)


def test_who_is_silent_too_long_is_out(join):
    one = join(silent=0.001)
    time.sleep(0.05)
    two = join()
    assert (two.others, two.walks) == (0, True)
    assert one.renew() is False
    assert one.walks is False


def test_a_spider_of_this_machine_whose_process_is_gone_is_out_at_once(join):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    join(process=f"{crew.HERE}:{gone.pid}")
    two = join()
    assert (two.others, two.walks) == (0, True)


def test_spiders_of_other_machines_are_believed_to_live(join):
    join(process="another-machine:1")
    assert join().walks is False


def test_who_knows_that_nobody_works_disbands(join, connection):
    join()
    disband(connection, "news")
    two = join()
    assert (two.others, two.walks) == (0, True)
