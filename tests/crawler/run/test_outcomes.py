"""What becomes of a URL after each kind of answer."""

import pytest

from crawler.run.outcomes import Outcome, of_answer, of_failure

HTML = b"<html><p>text</p></html>"


def error(name, text=""):
    return type(name, (Exception,), {})(text)


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


def test_the_guards_refusal_names_the_address_and_the_remedy():
    verdict = of_failure(error("CannotResolveHostError"), refused="127.0.0.1")
    assert verdict.kind == "fail"
    assert "127.0.0.1" in verdict.reason
    assert "allow_hosts" in verdict.reason


def test_robots_txt_is_a_final_no():
    assert of_failure(error("IgnoreRequest", "Forbidden by robots.txt")).kind == "reject"


def test_a_robots_txt_that_cannot_be_had_is_no_final_no():
    verdict = of_failure(error("RobotsUnreachable", "http 503"))
    assert (verdict.kind, verdict.reason) == ("again", "robots.txt can't be had: http 503")


def test_other_refused_requests_fail_with_their_reason():
    verdict = of_failure(error("IgnoreRequest", "max redirections reached"))
    assert (verdict.kind, verdict.reason) == ("fail", "max redirections reached")


@pytest.mark.parametrize("name", ["DownloadTimeoutError", "DownloadConnectionRefusedError", "ResponseDataLossError"])
def test_a_site_that_is_away_is_tried_again_and_said_in_words(name):
    verdict = of_failure(error(name, "[Failure instance: …]"))
    assert verdict.kind == "again"
    assert "Failure" not in verdict.reason


def test_an_answer_that_is_too_large_fails():
    assert of_failure(error("DownloadCancelledError")).reason == "the page is larger than 32 MiB"


def test_an_error_nobody_foresaw_is_tried_again_under_its_name():
    verdict = of_failure(error("StrangeError", "x" * 500))
    assert verdict.kind == "again"
    assert verdict.reason.startswith("StrangeError: xxx")
    assert len(verdict.reason) == 100


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        (
            "Could not open CONNECT tunnel with proxy h:1 [{'status': 407, 'reason': b'x'}]",
            "fail",
            "http 407: the proxy",
        ),
        ("Could not open CONNECT tunnel with proxy h:1 [{'status': 403, 'reason': b'x'}]", "again", "proxy: http 403"),
        ("Could not open CONNECT tunnel with proxy h:1 [b'nonsense']", "again", "no way through the proxy"),
    ],
)
def test_what_a_proxy_says_against_a_tunnel_is_said(text, kind, reason):
    verdict = of_failure(error("TunnelError", text))
    assert (verdict.kind, reason in verdict.reason) == (kind, True)


def test_a_proxy_that_is_away_is_said_and_tried_again():
    assert of_failure(error("ProxyTrouble", "proxy not found")) == Outcome("again", "proxy not found")
