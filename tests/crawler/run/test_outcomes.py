"""What becomes of a URL after each kind of answer."""

import pytest

from crawler.run.outcomes import of_answer

HTML = b"<html><p>text</p></html>"
BUSY = (403, 408, 429, 500, 502, 503, 504, 599)
FILES = ("application/pdf", "image/png", "application/json", "text/css", "video/mp4")
PAGES = ("text/html; charset=gbk", "application/xhtml+xml", "", "TEXT/HTML")


@pytest.mark.parametrize(
    ("status", "content_type", "body", "kind", "reason"),
    [
        *((status, "text/html", HTML, "reject", f"http {status}") for status in (404, 410)),  # final after one look
        *((status, "text/html", HTML, "again", f"http {status}") for status in BUSY),
        *((status, "text/html", HTML, "fail", f"http {status}") for status in (300, 304, 400, 451)),
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
