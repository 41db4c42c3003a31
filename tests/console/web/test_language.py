"""Chinese and English: every text is translated, and each request gets its language."""

import re

import pytest
from starlette.requests import Request

from console.web.texts import COOKIE, language_of
from tests.console.catalogues import PAGES, present
from tests.console.web.conftest import ConsoleClient

PLACES = re.compile(r"%\((\w+)\)s")


def test_translations_have_the_values_of_their_texts() -> None:
    for message in present(PAGES):
        ids = [message.id] if isinstance(message.id, str) else [*message.id]
        strings = [message.string] if isinstance(message.string, str) else [*message.string]
        assert {*PLACES.findall(ids[-1])} == {*PLACES.findall(strings[0])}, ids


@pytest.mark.parametrize(
    ("header", "cookie", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "", "zh"),
        ("de, en;q=0.7, zh;q=0.3", "", "en"),
        ("fr", "", "en"),
        ("", "", "en"),
        (";;q=x,zh;q=y", "", "zh"),
        ("zh", "en", "en"),
        ("en", "zh", "zh"),
        ("en", "xx", "en"),
    ],
)
def test_the_language_is_the_chosen_one_else_the_browsers(header: str, cookie: str, language: str) -> None:
    headers = [(b"accept-language", header.encode()), (b"cookie", f"{COOKIE}={cookie}".encode())]
    assert language_of(Request({"type": "http", "headers": headers})) == language


def test_the_choice_is_kept(client: ConsoleClient) -> None:
    answer = client.get("/language/zh?next=%2Fschedule")
    assert (answer.status_code, answer.headers["location"]) == (303, "/schedule")
    assert "调度" in client.get("/schedule").text
    assert client.get("/language/zh?next=//evil.example").headers["location"] == "/"
