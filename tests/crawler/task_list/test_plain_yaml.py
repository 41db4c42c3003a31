"""Usual YAML is read by libyaml: the values must be those that the other reader gives, and no mistake may be missed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.task_list.plain_yaml import plain_values
from crawler.task_list.yaml_source import Source, _compose, read_text

LIST = """\
# the sections
defaults: {every: 1h, output: 'out/{task}.jsonl'}
tasks:
  news:
    example: http://h/a/1.html  # an article
    pattern: /a/{id}.html
    keep: {keywords: [央行, 2024, "a: b"], since: 2024-01-01}
    headers: {X-Count: 010, X-Ratio: 1_000.5, X-Time: 12:30}
    start:
    - http://h/a/
    - /b/
  b: {example: 'http://h/2', pattern: "/{id}", limit: null, robots: no, paused: true, delay: .5}
settings:
  contact:
"""


def composed(text):
    source = Source("tasks.yaml")
    _compose(text, source)
    return source


def test_a_usual_list_is_read_without_places():
    source = read_text(LIST)
    assert source.text is not None
    assert (source.data, source.text) == (composed(LIST).data, LIST)


def test_a_place_is_found_when_it_is_needed():
    source = read_text(LIST)
    assert source.key_place(("tasks", "news", "pattern")) == (6, 5)
    assert source.value_place(("tasks", "b", "pattern"), 1) == (12, 41)
    assert source.text is None


UNUSUAL = (
    "a: &x 1\nb: *x\n",
    "a: !!str 1\n",
    "a: {<<: {b: 1}}\n",
    "a: |\n  b\n",
    'a: "b\\n"\n',
    "a: 'b\n  c'\n",
    "a:\tb\n",
    "--- {a: 1}\n",
    "a: 1\n---\nb: 2\n",
    "a: 1\na: 2\n",
    "? a\n: 1\n",
    "[a, b]\n",
    "a\n",
    "",
    "{[a]: 1}\n",
    "a: [1\n",
    "'': 1\n",
    "a: =\n",
)


@pytest.mark.parametrize("text", UNUSUAL)
def test_what_is_unusual_is_left_to_the_other_reader(text):
    assert plain_values(text) is None


ADDED = st.text(" \n:-[]{},'\"#&*!|>%@`?~0.a_<=é", max_size=2)


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, len(LIST)), st.integers(0, 2), ADDED), min_size=1, max_size=4))
def test_both_readers_give_the_same_values_and_no_mistake_is_missed(changes):
    text = LIST
    for at, deleted, added in changes:
        text = text[:at] + added + text[at + deleted :]
    values = plain_values(text)
    if values is not None:
        source = composed(text)
        assert not source.mistakes
        assert repr(values) == repr(source.data)
