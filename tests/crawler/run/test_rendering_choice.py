"""Which pages of a task are rendered: what the task says, what its example shows, what is remembered."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from crawler.patterns.pattern import Pattern
from crawler.rendering.visit import SCRIPT_MOST, SCRIPTS_MOST, ScriptCache, may_be_kept
from crawler.run.rendering_choice import Rendering
from crawler.task_list.file import loads
from workers.extraction_config import keep_example
from workers.inbox import StoredPage

EXAMPLE = "http://h/a/1.html"
PLAIN = b"<h1>Ferry</h1><p>" + b"The ferry leaves at nine and comes back at noon. " * 9 + b"<script src=/t.js></script>"
SHELL = b"<div id=app></div><script src=/app.js></script>"
HTML = "text/html; charset=utf-8"
LIST = "http://h/a/"
PATTERNS = [Pattern.parse("/a/{id}.html", "http://h")]


def task(render="auto"):
    text = f"{{example: '{EXAMPLE}', pattern: '/a/{{id}}.html', every: 1h, output: a.db, render: {render}}}"
    return loads(f"tasks:\n  a: {text}\n").tasks["a"]


def page(body):
    return StoredPage(EXAMPLE, body, HTML, datetime.now(UTC))


def kept(connection, body, *, rendered=False):
    keep_example(connection, "a", page(body), EXAMPLE, rendered=rendered)


def test_an_empty_shell_is_fetched_again_in_a_browser_and_the_answer_is_kept(connection):
    rendering = Rendering(connection, task())
    assert rendering.learn(page(SHELL)) is True
    assert rendering.on is True
    assert rendering.learn(page(SHELL)) is False
    kept(connection, PLAIN, rendered=True)
    later = Rendering(connection, task())
    assert (later.on, later.fits_example) == (True, True)


def test_a_list_without_links_of_the_task_is_rendered_from_then_on(connection):
    rendering = Rendering(connection, task("true"))
    assert not rendering.renders_list(LIST)
    assert rendering.note_list_shell(LIST, page(SHELL), PATTERNS)
    assert Rendering(connection, task("true")).renders_list(LIST)
    assert not Rendering(connection, task("false")).renders_list(LIST)


@pytest.mark.parametrize(
    ("render", "body", "kind"),
    [
        ("true", SHELL + b"<a href=/a/2.html>x</a>", HTML),
        ("true", b"<p>No news today.", HTML),
        ("true", b"<rss><script/></rss>", "application/rss+xml"),
        ("false", SHELL, HTML),
    ],
    ids=["it has links", "no scripts", "a feed", "the task renders nothing"],
)
def test_other_lists_are_not(connection, render, body, kind):
    assert not Rendering(connection, task(render)).note_list_shell(
        LIST, replace(page(body), content_type=kind), PATTERNS
    )


# Scripts that are kept from page to page


@pytest.mark.parametrize(
    ("headers", "is_kept"),
    [
        ({"cache-control": "public, max-age=60"}, True),
        ({"cache-control": "max-age=0", "last-modified": "Mon, 02 Nov 2026 10:00:00 GMT"}, False),
        ({"last-modified": "Mon, 02 Nov 2026 10:00:00 GMT", "cache-control": "no-cache"}, False),
        ({"cache-control": "max-age=60", "vary": "*"}, False),
        ({}, False),
    ],
)
def test_a_script_is_kept_if_its_headers_allow_it(headers, is_kept):
    assert may_be_kept(headers) == is_kept


def test_scripts_take_no_more_than_their_share_of_memory():
    cache, headers = ScriptCache(), {"content-encoding": "gzip", "etag": "1"}
    cache.put("huge", headers, bytes(SCRIPT_MOST + 1))
    assert cache.get("huge") is None
    most = SCRIPTS_MOST // SCRIPT_MOST
    for number in range(most + 1):
        cache.put(str(number), headers, bytes(SCRIPT_MOST))
    assert cache.get("1") == ({"etag": "1"}, bytes(SCRIPT_MOST))
    assert [number for number in range(most + 1) if cache.get(str(number)) is None] == [0]
