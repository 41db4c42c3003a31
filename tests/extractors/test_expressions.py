"""Expressions that are compiled when they are first used."""

import re

import pytest

from extractors.expressions import expression


def test_it_is_compiled_when_it_is_used():
    wrong = expression("(")
    with pytest.raises(re.error):
        wrong.search("")
