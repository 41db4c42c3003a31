"""Present problems: one record each, of which a listener hears when they begin and when they are over."""

import pytest

from workers.reporting.presence import Presence
from workers.reporting.present_problems import CALM, ProblemBook, present_problems


@pytest.fixture
def changes():
    return []


@pytest.fixture
def book(connection, clock, changes):
    presence = Presence(connection, "extract")
    presence.show()
    return ProblemBook(presence, lambda problem, is_over: changes.append((problem.text, is_over)), clock=clock)


def shown(connection, clock):
    return [(problem.text, problem.count) for problem in present_problems(connection)]


def test_two_outputs_of_one_task_are_two_problems(connection, clock, book, changes):
    for text in ("a is away", "b is away", "a is away"):
        book.note(text, about="news")
    book.flush()
    assert sorted(shown(connection, clock)) == [("a is away", 2), ("b is away", 1)]
    book.works("news")
    clock.forward(CALM + 1)
    book.presence.show()
    book.flush()
    assert shown(connection, clock) == []
    assert changes == [("a is away", False), ("b is away", False), ("a is away", True), ("b is away", True)]


def test_one_output_of_two_tasks_is_one_problem(connection, clock, book, changes):
    book.note("a is away", about="news")
    book.note("a is away", about="sport")
    book.flush()
    assert shown(connection, clock) == [("a is away", 2)]
    book.works("news")
    clock.forward(CALM + 1)
    book.flush()
    assert changes == [("a is away", False)]
    book.works("sport")
    book.flush()
    assert changes == [("a is away", False), ("a is away", True)]
