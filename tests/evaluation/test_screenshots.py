"""Screenshots as a user takes them: the command, a real Chromium, a real HTTP server."""

from collections.abc import Iterator

import pytest

from evaluation.sample_site import DEAD_LINKS, truth
from evaluation.screenshots import SCALE, SCREEN, read_index
from tests.crawler.spiders import environment, run
from tests.site.server import SiteServer

pytestmark = pytest.mark.timeout(110)

ARTICLE, OTHER = (article.path for article in truth("zh")[:2])
HTML = {"Content-Type": "text/html; charset=utf-8"}
EMPTIED = (
    b"<!doctype html><title>x</title><p>Some text that a script takes away.<script>document.body.remove()</script>"
)
EMPTY = b"<!doctype html><title>nothing</title>"


@pytest.fixture
def site() -> Iterator[SiteServer]:
    with SiteServer() as server:
        yield server


def taken(folder, port, *urls):
    """Exit code, the index by URL, and standard error."""
    environ = environment(EXEMPLAR_ALLOW_HOSTS=f"127.0.0.1:{port}", EXEMPLAR_CONTACT="a@example.org")
    ran = run("evaluation.screenshots", [*urls, "--out", "shots", "--delay", "0"], folder, environ)
    return ran.code, read_index(folder / "shots"), ran.said


def test_pages_get_a_small_screenshot_once_or_the_reason_why_not(browser, site, tmp_path):
    """The guard holds for the browser, and for what it follows and loads."""
    from PIL import Image

    with SiteServer() as inside:
        site.override("/emptied", status=200, headers=HTML, body=EMPTIED)
        site.override("/empty", status=200, headers=HTML, body=EMPTY)
        picture = f"<!doctype html><p>A page with a picture.<img src='{inside.url}/river.png'>".encode()
        site.override("/picture", status=200, headers=HTML, body=picture)
        site.override("/away", status=302, headers={"Location": inside.url + ARTICLE}, body=b"")
        paths = ARTICLE, DEAD_LINKS["zh"], "/emptied", "/empty", "/private/subscribers.html", "/picture", "/away"
        urls = good, dead, emptied, empty, private, pictured, away = [site.url + path for path in paths]
        (tmp_path / "urls.txt").write_text(f"{good}\n\n", "utf-8")
        port = site.url.rpartition(":")[2]
        code, shots, said = taken(tmp_path, port, "urls.txt", *urls[1:], inside.url + OTHER)
        assert inside.requests == []
    assert "Traceback" not in said
    assert code == 1
    assert (shots[good].reason, shots[good].scripts) == ("", True)
    with Image.open(tmp_path / shots[good].file) as screenshot:
        assert screenshot.size == (round(SCREEN * SCALE), round(SCREEN * SCALE))
    assert (shots[emptied].reason, shots[emptied].scripts) == ("", False)
    assert shots[empty].reason == "the page is blank"
    assert shots[dead].reason == "http 404"
    assert shots[private].reason == "robots.txt forbids it"
    assert shots[pictured].reason == ""
    assert all("127.0.0.1 is not public" in shots[page].reason for page in (away, inside.url + OTHER))
    asked = len(site.requests)
    code, again, _ = taken(tmp_path, port, "urls.txt")
    assert (code, again[good], len(site.requests)) == (0, shots[good], asked), "what is known is not fetched again"
