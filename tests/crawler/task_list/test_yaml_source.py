"""Values are those of YAML 1.2, as ruamel.yaml reads them, and what it refuses is a mistake."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from crawler.task_list.yaml_source import read_text
from tests.samples import sample

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


def by_ruamel(text):
    """The values by another parser; dates are text."""
    yaml = YAML(typ="safe", pure=True)
    yaml.constructor.add_constructor("tag:yaml.org,2002:timestamp", lambda _, node: node.value)
    return yaml.load(text)


def has_only_text_as_keys(value):
    if isinstance(value, list):
        return all(map(has_only_text_as_keys, value))
    return not isinstance(value, dict) or all(isinstance(k, str) and has_only_text_as_keys(v) for k, v in value.items())


def test_values_and_places():
    source = read_text(LIST)
    assert source.data == by_ruamel(LIST)
    assert source.data["tasks"]["b"]["robots"] == "no"
    assert source.key_place(("tasks", "news", "pattern")) == (6, 5)
    assert source.value_place(("tasks", "news", "keep", "keywords", 1)) == (7, 27)
    assert source.value_place(("tasks", "b", "pattern"), 1) == (12, 41)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",
        "a: |\n  b\n",
        'a: "b\\n"\n',
        "a: 'b\n  c'\n",
        "--- {a: 1}\n",
        "%YAML 1.2\n---\na: 1\n",
        "? a\n: 1\n",
        "a: 0o17\nb: 0x1F\nc: 017\nd: +1\n",
        "a: 1e3\nb: .inf\nc: -.5\nd: 1.\ne: .\nf: 1_0\n",
        "a: ~\nb: NULL\nc: ''\nd: 'null'\ne:\n",
        "a: yes\nb: True\nc: tRue\n",
    ],
)
def test_forms_of_yaml(text):
    source = read_text(text)
    assert source.mistakes == []
    assert source.data == by_ruamel(text)


ADDED = st.text(" \n:-[]{},'\"#&*!|>%@`?~0.a_<=é", max_size=2)


@settings(max_examples=sample(60, 300))
@given(st.lists(st.tuples(st.integers(0, len(LIST)), st.integers(0, 2), ADDED), min_size=1, max_size=4))
def test_another_parser_gives_the_same_values(changes):
    text = LIST
    for at, deleted, added in changes:
        text = text[:at] + added + text[at + deleted :]
    source = read_text(text)
    if source.mistakes or "<<" in text:  # ruamel.yaml merges keys, as YAML 1.1 does
        return
    try:
        other = by_ruamel(text)
    except (YAMLError, ValueError):
        return
    if has_only_text_as_keys(other):
        assert repr(source.data) == repr(other)
