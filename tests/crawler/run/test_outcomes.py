"""What becomes of a URL after each kind of answer."""

import pytest

from crawler.run.outcomes import of_answer

HTML = b"<html><p>text</p></html>"


@pytest.mark.parametrize("status", [404, 410])
def test_a_dead_link_is_final_after_one_look(status):
    assert of_answer(status, "text/html", HTML).kind == "reject"


@pytest.mark.parametrize("status", [403, 408, 429, 500, 502, 503, 504, 599])
def test_what_a_busy_server_says_is_tried_again(status):
    assert of_answer(status, "text/html", HTML).kind == "again"


@pytest.mark.parametrize("status", [300, 304, 400, 451])
def test_other_refusals_fail_without_another_try(status):
    verdict = of_answer(status, "text/html", HTML)
    assert (verdict.kind, verdict.reason) == ("fail", f"http {status}")


@pytest.mark.parametrize("content_type", ["text/html; charset=gbk", "application/xhtml+xml", "", "TEXT/HTML"])
def test_html_is_a_page_also_where_no_type_is_given(content_type):
    assert of_answer(200, content_type, HTML).kind == "page"


@pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "application/json", "text/css", "video/mp4"])
def test_other_files_are_no_articles(content_type):
    verdict = of_answer(200, content_type, b"x")
    assert (verdict.kind, verdict.reason) == ("reject", f"not a page: {content_type}")


def test_binary_data_under_the_name_of_html_is_no_page():
    assert of_answer(200, "text/html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").kind == "reject"


def test_utf_16_is_not_binary():
    assert of_answer(200, "text/html", HTML.decode().encode("utf-16")).kind == "page"


@pytest.mark.parametrize("status", [200, 204, 206])
def test_an_empty_answer_is_tried_again(status):
    assert of_answer(status, "text/html", b"").kind == "again"
