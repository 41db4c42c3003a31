"""What becomes of a URL after each kind of answer."""

import pytest

from crawler.run.outcomes import is_login, of_answer

HTML = b"<html><p>text</p></html>"
BUSY = (304, 403, 408, 429, 500, 502, 503, 504, 599)
FILES = ("application/pdf", "image/png", "application/json", "text/css", "video/mp4")
PAGES = ("text/html; charset=gbk", "application/xhtml+xml", "", "TEXT/HTML")


@pytest.mark.parametrize(
    ("status", "content_type", "body", "kind", "reason"),
    [
        *((status, "text/html", HTML, "reject", f"http {status}") for status in (404, 410)),  # final after one look
        *((status, "text/html", HTML, "again", f"http {status}") for status in BUSY),
        *((status, "text/html", HTML, "fail", f"http {status}") for status in (300, 400, 451)),
        *((200, content_type, HTML, "page", "") for content_type in PAGES),
        *((200, content_type, b"x", "reject", f"not a page: {content_type}") for content_type in FILES),
        (200, "text/html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "reject", "not a page: binary data"),
        (200, "text/html", HTML.decode().encode("utf-16"), "page", ""),
        (200, "text/html", b"", "again", "empty answer"),
        (204, "text/html", b"", "again", "http 204 without a page"),
        (206, "text/html", HTML, "again", "http 206, only a part of the page"),
    ],
)
def test_an_answer_has_its_outcome(status, content_type, body, kind, reason):
    outcome = of_answer(status, content_type, body)
    assert (outcome.kind, outcome.reason) == (kind, reason)


@pytest.mark.parametrize("target", ["h/account/login", "passport.h/", "h/check?back=/a/1", "h/?u=%2Fa%2F1"])
def test_a_login_is_told_by_its_words_or_since_it_names_the_url_that_was_asked_for(target):
    assert is_login(f"http://{target}", "http://h/a/1")
    assert not is_login("http://h/blog/in?page=1", "http://h/a/1")
