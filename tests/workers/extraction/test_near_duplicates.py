"""Almost the same article a second time, as the workers look for it."""

import random

import pytest

from workers.extraction import near_duplicates as module
from workers.extraction.near_duplicates import NearDuplicates

A, B, C = (f"http://a.example/{letter}" for letter in "abc")


def story(seed, changed=""):
    random_ = random.Random(seed)
    words = ["".join(random_.choices("etaoinshrdlu", k=random_.randint(2, 9))) for _ in range(270)]
    return " ".join([*words, changed])


@pytest.fixture
def near(connection):
    return NearDuplicates(connection, "news")


def test_a_reprint_names_the_first(near):
    near.first_like(story(1), A)
    assert near.first_like(story(1, "Editor: Wang."), B) == A
    assert near.first_like(story(1, "Source: the Gazette."), C) == A


def test_short_texts_are_not_compared(near):
    near.first_like("The ferry is late.", A)
    assert near.first_like("The ferry is late.", B) is None


def test_what_joined_meanwhile_is_compared_too(near, connection, monkeypatch):
    other, asked = NearDuplicates(connection, "news"), near.redis.get
    once = iter([lambda: other.first_like(story(1), A)])

    def get(key):
        found = asked(key)
        next(once, lambda: None)()
        return found

    monkeypatch.setattr(near.redis, "get", get)
    assert near.first_like(story(1, "Editor: Wang."), B) == A


def test_only_the_last_articles_are_remembered(connection, monkeypatch):
    monkeypatch.setattr(module, "KEPT", 3)
    near = NearDuplicates(connection, "news")
    for number in range(9):
        near.first_like(story(number), f"http://a.example/{number}")
    assert connection.llen(near._keys[1]) * module.ENTRY.itemsize == connection.strlen(near._keys[0])
    assert 3 <= connection.llen(near._keys[1]) < 6
    assert near.first_like(story(8), A) == "http://a.example/8"
    assert near.first_like(story(0), B) is None
