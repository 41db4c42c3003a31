"""Expressions that are compiled when they are first used."""

import re

import pytest

from extractors.expressions import expression


def test_it_has_what_the_compiled_form_has():
    form = expression(r"(?P<word>[a-z]+)\d", re.IGNORECASE)
    compiled = re.compile(r"(?P<word>[a-z]+)\d", re.IGNORECASE)
    assert form.pattern == compiled.pattern
    assert form.flags == compiled.flags
    for _ in range(2):
        assert form.search("1 Ab2")["word"] == compiled.search("1 Ab2")["word"] == "Ab"
        assert form.sub("", "Ab2c3d") == compiled.sub("", "Ab2c3d") == "d"
        assert form.search("Ab2", 2) is None


def test_it_is_compiled_when_it_is_used():
    wrong = expression("(")
    with pytest.raises(re.error):
        wrong.search("")
