"""The proxy that stands between a browser and the network, against a real HTTP server."""

import asyncio
import base64
import http.client
import socket
from urllib.parse import urlsplit

import pytest

from crawler.guarding.browser_proxy import GuardedProxy, Refused, destination
from crawler.guarding.guard import Guard
from evaluation.sample_site import truth
from tests.crawler.proxies import Proxy

ARTICLE = truth("en")[0].path


def asked(proxy, url, *, method="GET"):
    """Status and body of a plain request through the proxy."""
    connection = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=10)
    connection.request(method, url)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def connected(proxy, place):
    """The answer to CONNECT, and what the far side says after a request in the tunnel."""
    with socket.create_connection(("127.0.0.1", urlsplit(proxy.url).port), timeout=10) as tunnel:
        tunnel.sendall(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
        status = tunnel.recv(4096)
        tunnel.sendall(f"GET {ARTICLE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return status, tunnel.recv(4096) if b" 200 " in status else b""


def test_a_listed_address_is_reached(site):
    with GuardedProxy(Guard(["127.0.0.1"])) as proxy:
        status, body = asked(proxy, site.url + ARTICLE)
        assert (status, body) == (200, site._pages[ARTICLE].body)
        head, answer = connected(proxy, urlsplit(site.url).netloc)
        assert head.startswith(b"HTTP/1.1 200")
        assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_no_spelling_of_loopback_is_reached(site, host):
    port = urlsplit(site.url).port
    with GuardedProxy(Guard()) as proxy:
        assert asked(proxy, f"http://{host}:{port}{ARTICLE}")[0] in (403, 502)
        assert b" 200 " not in connected(proxy, f"{host}:{port}")[0]
    assert site.requests == []


def test_what_is_refused_is_named(site):
    with GuardedProxy(Guard()) as proxy:
        assert asyncio.run(proxy.refused_address("127.0.0.1", urlsplit(site.url).port)) == "127.0.0.1"


def test_listed_only_refuses_public_hosts_without_looking_them_up(site, monkeypatch):
    looked_up, look_up = [], socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: looked_up.append(a[0]) or look_up(*a, **k))
    with GuardedProxy(Guard(["127.0.0.1"]), listed_only=True) as proxy:
        assert asked(proxy, "http://news.example/")[0] == 403
        assert asked(proxy, site.url + ARTICLE)[0] == 200
    assert set(looked_up) == {"127.0.0.1"}


def test_a_host_out_of_reach_is_a_bad_gateway():
    with GuardedProxy(Guard(["127.0.0.1"])) as proxy:
        assert asked(proxy, "http://127.0.0.1:1/")[0] == 502


def test_each_request_gets_a_connection_of_its_own():
    host, port, head = destination(
        b"GET http://news.example:8080/a?b=c HTTP/1.1\r\nHost: news.example:8080\r\nProxy-Connection: close\r\n\r\n"
    )
    assert (host, port) == ("news.example", 8080)
    assert head == b"GET /a?b=c HTTP/1.1\r\nHost: news.example:8080\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    "line",
    ["GET / HTTP/1.1", "GET ftp://h.example/ HTTP/1.1", "nonsense", "CONNECT h:port HTTP/1.1", "GET http://h/ X"],
)
def test_what_is_no_request_to_a_proxy_is_refused(line):
    with pytest.raises(Refused, match="400"):
        destination(line.encode() + b"\r\n\r\n")


# Behind a task's own proxy


@pytest.fixture
def other():
    with Proxy() as proxy:
        yield proxy


def test_a_tasks_own_proxy_comes_after_this_one(site, other):
    url = f"http://reader:secret@127.0.0.1:{other.port}"
    with GuardedProxy(Guard(["127.0.0.1"]), upstream=url) as proxy:
        assert asked(proxy, site.url + ARTICLE) == (200, site._pages[ARTICLE].body)
        assert connected(proxy, urlsplit(site.url).netloc)[1].startswith(b"HTTP/1.1 200")
    place, login = urlsplit(site.url).netloc, "Basic " + base64.b64encode(b"reader:secret").decode()
    assert other.targets == [("GET", place, login), ("CONNECT", place, login)]


def test_what_may_not_be_contacted_is_not_asked_of_it_either(site, other):
    place, allow = urlsplit(site.url).netloc, [f"127.0.0.1:{other.port}"]
    with GuardedProxy(Guard(allow), upstream=f"http://127.0.0.1:{other.port}") as proxy:
        assert asked(proxy, site.url + ARTICLE)[0] == 403
        assert b" 403 " in connected(proxy, place)[0]
        assert asked(proxy, f"http://2130706433:{urlsplit(site.url).port}/")[0] == 403
    assert (other.targets, site.requests) == ([], [])


def test_a_private_proxy_has_to_be_listed(site, other):
    with GuardedProxy(Guard([urlsplit(site.url).netloc]), upstream=f"http://127.0.0.1:{other.port}") as proxy:
        assert asked(proxy, site.url + ARTICLE)[0] == 403
    assert (other.targets, site.requests) == ([], [])
