"""Words of templates: the search by words that every line of a kind contains finds what the expressions find."""

import re

import pytest
from hypothesis import given, settings
from hypothesis.strategies import from_regex

from extractors.html.phrases import _END, _TABLE, SHORT, ends_among, is_heading_of, lines_of
from tests.samples import sample

ALTERNATIVES = [
    (kind, words) for kind, table in _TABLE.items() for words in re.split(r"\s+\|\s+", table.strip())
]  # the same separators as in the table
OTHERS = ["A line", "Another line that is not short " * 4]


@pytest.mark.parametrize(
    "line",
    [
        "3 Comments", "12 responses to this", "2 replies", "One thought", "5 thoughts", "Leave a reply", "Feedback",
        "Join the discussion", "JOIN THE CONVERSATION", "Post a comment", "网友评论", "我要评论", "最新留言",
        "跟帖 12 条", "发表回复", "共 3 条评论", "Kommentare (3)", "Commentaires", "Comentários", "Комментарии 4",
        "D\u0131scuss\u0131on", "Re\u017fponses", "Nothing",
    ],
)  # fmt: skip
def test_headings_of_comments_are_found_by_their_words(line):
    expected = [1] if is_heading_of("comments", line) else []
    assert lines_of("comments", [OTHERS[0], line, OTHERS[1]], range(3)) == expected


@pytest.mark.parametrize(("kind", "words"), ALTERNATIVES[:: sample(8, 1)], ids=lambda part: str(part)[:30])
def test_each_line_of_the_table_is_found_by_its_words(kind, words):
    @settings(max_examples=sample(3, 30), derandomize=True, deadline=None, database=None)
    @given(from_regex(re.compile(words, re.IGNORECASE), fullmatch=True))
    def check(line):
        if len(line.splitlines()) == 1:
            assert lines_of(kind, [line, *OTHERS], range(3)) == ([0] if is_heading_of(kind, line) else [])

    check()


@settings(max_examples=sample(50, 200), derandomize=True, deadline=None, database=None)
@given(from_regex(re.compile(_END.pattern), fullmatch=True))
def test_lines_that_name_the_editor_are_found_by_their_words(line):
    if len(line.splitlines()) == 1:
        assert ends_among([*OTHERS, line], range(3)) == ([2] if len(line) <= SHORT else [])
