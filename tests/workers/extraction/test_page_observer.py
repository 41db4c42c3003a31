"""Observers of the pages of a job: what a defect of one does to the pages and to the others."""

import logging

import pytest
import redis

from workers.extraction.page_observer import PageObserver, PageObservers


class Counting(PageObserver):
    """Counts the ends it is told of, and raises an error if it has one."""

    def __init__(self, error: Exception | None = None) -> None:
        self.ends, self._error = 0, error

    def end(self) -> None:
        self.ends += 1
        if self._error is not None:
            raise self._error


def test_a_defect_of_an_observer_is_logged_and_the_others_are_told(caplog):
    broken, sound = Counting(ZeroDivisionError("boom")), Counting()
    with caplog.at_level(logging.ERROR):
        PageObservers("news", [broken, sound]).tell(lambda one: one.end())
    assert (broken.ends, sound.ends) == (1, 1)
    assert "task news: Counting failed" in caplog.text
    assert "boom" in caplog.text


@pytest.mark.parametrize("error", [redis.ConnectionError("gone"), MemoryError()])
def test_a_lost_redis_and_lack_of_memory_end_the_job(error):
    later = Counting()
    with pytest.raises(type(error)):
        PageObservers("news", [Counting(error), later]).tell(lambda one: one.end())
    assert later.ends == 0
