"""What one answer may cost: real servers that misbehave, and what is said of each."""

import gzip
import socketserver
import time
import zlib
from contextlib import suppress

import brotli
import pytest
import zstandard

from tests.crawler.servers import Server, attempt
from tests.http_site import Serving
from workers.ledger import REASON_BYTES

pytestmark = pytest.mark.timeout(120)

MIB = 2**20
PAGE = b"<html><p>" + b"The harbour was quiet. " * 40
BOMB = bytes(20 * MIB)
TIMEOUT = 20.0  # seconds: enough for 32 MiB on a busy machine


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKED = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": zstandard.compress,
}


def packed(name, data):
    return {"Content-Encoding": name.removeprefix("raw ")}, PACKED[name](data)


def answers():
    """Path → status, headers, body."""
    said = {"/good": (200, {}, PAGE)}
    for name in PACKED:
        said[f"/packed/{name.replace(' ', '-')}"] = (200, *packed(name, PAGE))
        said[f"/bomb/{name.replace(' ', '-')}"] = (200, *packed(name, BOMB))
    twice = gzip.compress(gzip.compress(BOMB))
    dense = PAGE * 800  # 750 KB that pack 300 times over, and are no danger
    said |= {
        "/dense": (200, *packed("gzip", dense)),
        "/nested": (200, {"Content-Encoding": "gzip, gzip"}, twice),
        "/nested/page": (200, {"Content-Encoding": "gzip, deflate"}, zlib.compress(gzip.compress(PAGE))),
        "/layers": (200, {"Content-Encoding": "gzip, gzip, gzip, gzip"}, twice),
        "/torn": (200, {"Content-Encoding": "gzip"}, b"<html>not packed at all</html>"),
        "/announced": (200, {"Content-Length": str(40 * MIB), "Connection": "close"}, b"x"),
        "/reset-content": (205, {}, b""),
        "/nowhere": (302, {}, b""),
        "/login": (401, {"WWW-Authenticate": "Basic"}, b""),
        "/circle": (302, {"Location": "/circle"}, b""),
        "/checks": (302, {"Location": "/checks", "Set-Cookie": "seen=1"}, b""),
        "/reload": (200, {}, b'<meta http-equiv="refresh" content="0; url=/reload">'),
        "/broken-location": (302, {"Location": "http://[broken/"}, b""),
        "/hop/6": (200, {}, PAGE),
        "/robots.txt": (404, {}, b""),
    }
    return said | {f"/hop/{number}": (302, {"Location": f"/hop/{number + 1}"}, b"") for number in range(6)}


class Misbehaving(socketserver.BaseRequestHandler):
    """Says whatever a path names, without HTTP's manners."""

    def handle(self):
        path = self.request.recv(65536).split(b" ")[1].decode()
        ok = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
        with suppress(OSError):
            if path == "/robots.txt":
                self.request.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            elif path == "/endless-chunks":
                self.request.sendall(ok + b"Transfer-Encoding: chunked\r\n\r\n")
                self.endlessly(b"100000\r\n" + bytes(MIB) + b"\r\n")
            elif path == "/endless-headers":
                self.request.sendall(ok)
                self.endlessly(b"X-Padding: " + b"x" * 8000 + b"\r\n")
            elif path == "/endless-line":
                self.request.sendall(ok + b"X-Padding: ")
                self.endlessly(b"x" * 8000)
            elif path == "/endless-interim":
                self.endlessly(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100)
            elif path == "/long-headers":
                headers = b"Connection: close\r\n" + (b"X-Some: " + b"y" * 900 + b"\r\n") * 100
                self.request.sendall(ok + headers + b"\r\n" + PAGE)
            elif path == "/drip":
                self.request.sendall(ok + b"Content-Length: 100000\r\n\r\n")
                self.endlessly(b"x", pause=0.2)
            elif path == "/drip-headers":
                self.endlessly(b"H", pause=0.2)
            elif path == "/silent":
                time.sleep(3 * TIMEOUT)
            elif path == "/half":
                self.request.sendall(ok + b"Content-Length: 9000\r\n\r\nhalf")

    def endlessly(self, data, pause=0.0):
        end = time.monotonic() + 3 * TIMEOUT
        while time.monotonic() < end:
            self.request.sendall(data)
            time.sleep(pause)


RUDE = ["/endless-chunks", "/endless-headers", "/endless-line", "/endless-interim", "/long-headers",
        "/drip", "/drip-headers", "/silent", "/half"]  # fmt: skip


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What is said of each path."""
    known = answers()
    with (
        Server("127.0.0.1", lambda handler: known[handler.path]) as site,
        Serving(("127.0.0.1", 0), Misbehaving) as rude,
    ):
        urls = {path: f"http://127.0.0.1:{site.port}{path}" for path in known}
        urls |= {path: f"http://127.0.0.1:{rude.port}{path}" for path in RUDE}
        found, _ = attempt(tmp_path_factory.mktemp("said"), [*urls.values()], {}, "127.0.0.1", TIMEOUT)
        return {path: found[url] for path, url in urls.items()}


def test_pages_are_unpacked_however_they_are_packed(said):
    paths = ["/good", "/dense", "/nested/page", *(path for path in said if path.startswith("/packed/"))]
    assert len(paths) == 3 + len(PACKED)
    assert {said[path] for path in paths} == {"fetched"}


@pytest.mark.parametrize("path", [*(f"/bomb/{name.replace(' ', '-')}" for name in PACKED), "/nested"])
def test_a_bomb_is_refused_by_its_ratio(said, path):
    assert said[path] == "over 100 times its compressed size"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/layers", "4 layers of compression"),
        ("/torn", "the response cannot be decompressed"),
        ("/announced", "the page is larger than 32 MiB"),
        ("/endless-chunks", "the page is larger than 32 MiB"),
        ("/endless-headers", "the page is larger than 32 MiB"),
        ("/endless-line", "the response broke off"),  # of more than 16 KiB, at which Twisted ends the connection
        ("/endless-interim", "its headers take too long to read"),
        ("/drip", "the response took too long"),
        ("/drip-headers", "no answer in time"),
        ("/silent", "no answer in time"),
        ("/half", "the response broke off"),
        ("/circle", "redirects in a loop"),
        ("/checks", "redirects in a loop; set the key cookies"),
        ("/reload", "redirects in a loop"),
        ("/hop/0", "more than 5 redirects"),
        ("/broken-location", "redirects to an invalid URL"),
        ("/nowhere", "http 302, redirect not followed"),
        ("/reset-content", "http 205 without a page"),
        ("/login", "http 401: authentication required (auth)"),
    ],
)
def test_each_limit_has_its_own_reason_that_fits_into_the_ledger(said, path, reason):
    assert said[path] == reason
    assert len(reason.encode()) <= REASON_BYTES


def test_as_many_redirects_as_are_allowed_are_followed(said):
    assert said["/hop/1"] == "fetched"


def test_large_but_honest_headers_are_read(said):
    assert said["/long-headers"] == "fetched"
