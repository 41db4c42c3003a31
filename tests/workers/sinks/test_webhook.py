"""The webhook: signed requests, at least once with the same ids, and a receiver of every kind of bad manners."""

import base64
import hashlib
import hmac
import json
import re
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest

from tests.certificates import own_authority
from tests.workers import http_receiver
from tests.workers.batch_sink_suite import RefusedRows, batch
from tests.workers.http_receiver import IMPATIENT, LIMITS, Receiver, answering, reply, sending, stalling
from tests.workers.sink_suite import row
from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.rows import key_of
from workers.sinks.kinds import Target
from workers.sinks.options import OutputOptions
from workers.sinks.webhook import WebhookSink, row_id

OUTPUTS = Path(__file__).parents[3] / "docs" / "outputs.md"
PASSWORD, TOKEN = "ge/heim+pass", "Xa9bTq82LmNop31QrsTu"
KEY = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SECRET = f"whsec_{KEY}"
NOT_HTTP = "it closed the connection, or its answer is not HTTP"


def open_sink(receiver, query="", *, login="", path="/hook", limits=LIMITS, options=None, **more):
    address = f"http://{login}127.0.0.1:{receiver.port}{path}{query}"
    target = Target(address, address, "t", Path("/nowhere"), options=options or OutputOptions())
    return WebhookSink(target, limits=limits, **more)


def rows_of(request):
    return json.loads(request.body)["rows"]


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


class Place:
    """A receiver that keeps rows, checks the login and refuses requests with certain rows."""

    def __init__(self, receiver):
        self.receiver, self.rows, self.refused = receiver, [], set()
        receiver.answer = self.answer

    def answer(self, request, connection):
        login = base64.b64encode(f"anna:{PASSWORD}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {login}":
            return connection.sendall(reply(401, f"wrong: {request.headers} {request.path}".encode()))
        if request.method == "HEAD":
            return connection.sendall(b"HTTP/1.1 405 x\r\n\r\n")
        rows = rows_of(request)
        refused = [one for one in rows if (one["task"], one["canonical_url"], one["version"]) in self.refused]
        if refused:
            return connection.sendall(reply(422, f"bad row, {request.headers} {request.path}".encode()))
        self.rows += rows
        return connection.sendall(reply(204))


class TestWebhook(RefusedRows):
    once_only = False

    @pytest.fixture
    def place(self, receiver):
        return Place(receiver)

    def open(self, place, password=PASSWORD):
        login = f"anna:{quote(password, safe='')}@"
        return open_sink(place.receiver, f"?secret={SECRET}", login=login, path=f"/hooks/{TOKEN}")

    def read(self, place):
        """The rows; a message that came again had the same body."""
        bodies = {}
        for request in place.receiver.requests:
            if request.method == "POST":
                assert bodies.setdefault(request.headers["webhook-id"], request.body) == request.body
        return place.rows

    def take_away(self, place):
        place.receiver.stop()

    def bring_back(self, place):
        place.receiver.start()

    def refuse(self, place, refused):
        place.refused |= set(map(key_of, refused))

    def secrets(self, place):
        return PASSWORD, quote(PASSWORD, safe=""), TOKEN, SECRET, KEY

    def failing(self, place):
        yield self.open(place, password=f"{PASSWORD}x")


def test_a_request_is_signed_as_standard_webhooks_are(receiver):
    sink = open_sink(receiver, f"?a=1&secret={SECRET}&%73ecret=2&secret=plain", clock=lambda: 1674087231.9)
    sink.write(batch(7, row(1), row(2)))
    [request] = receiver.requests
    assert (request.method, request.path) == ("POST", "/hook?a=1&%73ecret=2")
    assert request.headers["webhook-id"] == f"{7:032x}"
    assert request.headers["webhook-timestamp"] == "1674087231"
    signed = f"{7:032x}.1674087231.".encode() + request.body
    expected = [
        base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        for key in (base64.b64decode(KEY), b"plain")
    ]
    assert request.headers["webhook-signature"] == " ".join(f"v1,{text}" for text in expected)
    assert request.headers["content-type"] == "application/json"
    body = json.loads(request.body)
    assert (body["id"], body["task"]) == (f"{7:032x}", "t")
    assert body["rows"] == [{"id": row_id(key_of(one)), **one} for one in (row(1), row(2))]


def test_the_verification_in_the_documents_accepts_requests_and_no_others(receiver):
    sink = open_sink(receiver, f"?secret={SECRET}")
    sink.write(batch(1, row(1)))
    [request] = receiver.requests
    [verification] = re.findall(r"```python\n(def is_genuine.*?)```", OUTPUTS.read_text("utf-8"), re.DOTALL)
    names = {"base64": base64, "hashlib": hashlib, "hmac": hmac, "time": time}
    exec(verification, names)
    is_genuine = names["is_genuine"]
    assert is_genuine(request.headers, request.body, SECRET)
    assert not is_genuine(request.headers, request.body + b" ", SECRET)
    assert not is_genuine({**request.headers, "webhook-id": "other"}, request.body, SECRET)
    old = str(int(request.headers["webhook-timestamp"]) - 301)
    assert not is_genuine({**request.headers, "webhook-timestamp": old}, request.body, SECRET)


def test_fields_have_their_chosen_names_and_a_token_is_sent(receiver):
    options = OutputOptions(fields=(("headline", "title"), ("id", "version")))
    open_sink(receiver, "?bearer=abc", options=options).write(batch(1, row(1), row(2, title="\ud800\n")))
    [request] = receiver.requests
    assert request.headers["authorization"] == "Bearer abc"
    assert "webhook-signature" not in request.headers
    assert rows_of(request) == [{"id": 1, "headline": "题 1"}, {"id": 1, "headline": "?\n"}]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (301, "301, a redirect, is not followed; check the address"),
        (401, "401 no; check the user, password or token"),
        (404, "404 no; check the address"),
        (410, "410 no; it accepts no more rows; remove the output"),
        (429, "429 no"),
        (500, "500 no"),
    ],
)
def test_a_status_that_says_nothing_of_the_rows(receiver, status, words):
    receiver.answer = answering(status, b"no", Location="http://elsewhere.example/?token=x")
    with pytest.raises(SinkUnavailable) as unavailable:
        open_sink(receiver).write(batch(1, row(1), row(2)))
    assert f"the receiver answered {words}" in str(unavailable.value)
    assert "elsewhere" not in str(unavailable.value)
    assert len(receiver.requests) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (stalling, "no answer within 0.4 seconds"),
        (sending(b""), NOT_HTTP),
        (sending(b"\x00\x01 what?\r\n\r\n"), NOT_HTTP),
        (sending(b"HTTP/1.1 2"), NOT_HTTP),
        (sending(b"HTTP/1.1 200 x\r\n" + b"a: b\r\n" * 200 + b"\r\n"), NOT_HTTP),
    ],
)
def test_bad_manners(receiver, answer, words):
    receiver.answer = answer
    sink = open_sink(receiver, limits=IMPATIENT if "within" in words else LIMITS)
    started = time.monotonic()
    with pytest.raises(SinkUnavailable) as unavailable:
        sink.write(batch(1, row(1)))
    assert time.monotonic() - started < 3
    assert str(unavailable.value) == f"output unavailable: {sink.name}: {words}"
    receiver.answer = answering(200)
    open_sink(receiver).write(batch(1, row(1), again=True))
    assert {request.headers["webhook-id"] for request in receiver.requests} == {f"{1:032x}"}
    assert len({request.body for request in receiver.requests}) == 1


@pytest.mark.parametrize(
    "answer",
    [
        sending(b"HTTP/1.1 200 x\r\nContent-Length: 1000\r\n\r\nabc"),
        sending(b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\nzzz"),
        sending(b"HTTP/1.1 200 x\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
        sending(b"HTTP/1.1 200 x\r\n\r\n" + b"x" * 5_000_000),
        http_receiver.trickling_body,
    ],
)
def test_a_status_2xx_is_enough(receiver, answer):
    receiver.answer = answer
    started = time.monotonic()
    open_sink(receiver, limits=IMPATIENT).write(batch(1, row(1)))
    assert time.monotonic() - started < 3


def test_the_second_answer_of_a_receiver_that_answers_twice_counts_for_nothing(receiver):
    receiver.answer = sending(reply(200) + reply(200))
    sink = open_sink(receiver)
    sink.write(batch(1, row(1)))
    receiver.answer = answering(503)
    with pytest.raises(SinkUnavailable):
        sink.write(batch(2, row(2)))


def test_words_of_the_receiver_are_printable_short_and_without_secrets(receiver):
    body = b"\x1b[31mbad\x1b[0m\x07 \xff\n" + SECRET.encode() + b" " + KEY.encode() + b" x" * 500
    receiver.answer = answering(400, body)
    with pytest.raises(RowsRefused) as refused:
        open_sink(receiver, f"?secret={SECRET}").write(batch(1, row(1)))
    [words] = refused.value.reasons.values()
    assert words.startswith("400 bad \ufffd whsec_*** *** ")
    assert words.isprintable()
    assert KEY not in words
    assert len(words) <= 204


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("7", 7),
        ("999999999999", 3600),
        *((other, 0) for other in ("", "soon", "-1", "٣", "Wed, 21 Oct 2015 07:28:00 GMT", "x" * 5000)),
    ],
)
def test_a_wait_that_the_receiver_asks_for_is_limited_and_other_waits_are_none(receiver, value, wait):
    receiver.answer = lambda request, connection: connection.sendall(
        f"HTTP/1.1 503 x\r\nRetry-After: {value}\r\nContent-Length: 0\r\n\r\n".encode()
    )
    with pytest.raises(SinkUnavailable) as unavailable:
        open_sink(receiver).write(batch(1, row(1)))
    assert unavailable.value.wait == wait


def test_a_port_without_tls_is_named_with_the_remedy(tmp_path):
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        Thread(target=server.handle_request, daemon=True).start()
        address = f"https://127.0.0.1:{server.server_port}/hook"
        with pytest.raises(SinkUnavailable, match="does not use TLS at this port; check the port, or write http:"):
            WebhookSink(Target(address, address, "t", tmp_path), limits=LIMITS).check()


def test_certificates_are_checked(tmp_path):
    authority, tls = own_authority(tmp_path)
    with Receiver(tls=tls) as receiver:
        address = f"https://127.0.0.1:{receiver.port}/hook"
        with pytest.raises(SinkUnavailable, match="its certificate is not accepted"):
            WebhookSink(Target(address, address, "t", tmp_path), limits=LIMITS).write(batch(1, row(1)))
        assert receiver.requests == []
        sink = WebhookSink(Target(f"{address}?ca=ca.pem", address, "t", tmp_path), limits=LIMITS)
        sink.check()
        sink.write(batch(1, row(1)))
        assert [request.method for request in receiver.requests] == ["HEAD", "POST"]
        assert authority.exists()
        other = f"https://localhost:{receiver.port}/hook?ca=ca.pem"
        with pytest.raises(SinkUnavailable, match="its certificate is not accepted"):
            WebhookSink(Target(other, other, "t", tmp_path), limits=LIMITS).check()


def test_a_proxy_of_the_environment_is_used_unless_the_host_is_excepted(receiver, monkeypatch):
    monkeypatch.setenv("http_proxy", f"http://anna:{PASSWORD.replace('/', '%2F')}@127.0.0.1:{receiver.port}")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    address = "http://hooks.invalid/x?a=1"
    sink = WebhookSink(Target(address, address, "t", Path("/nowhere")), limits=LIMITS)
    sink.write(batch(1, row(1)))
    open_sink(receiver).write(batch(2, row(1)))
    assert [request.path for request in receiver.requests] == [address, "/hook"]
    login = base64.b64encode(f"anna:{PASSWORD}".encode()).decode()
    assert receiver.requests[0].headers["proxy-authorization"] == f"Basic {login}"
    receiver.stop()
    with pytest.raises(SinkUnavailable, match="the proxy: connection refused") as unavailable:
        sink.write(batch(1, row(1)))
    assert "heim" not in str(unavailable.value)


@pytest.mark.parametrize(
    "address",
    [
        "https://", "https://:443/x", "https://a.example:99999/", "https://a.example:port/", "https://a b.example/",
        "https://anna:ge/heim@a.example/x", "https://a.example/x#part", "https://a.example/?secret=",
        "https://a.example/?secret=whsec_%21", "https://a.example/?bearer=%0a",
        "https://a.example/?ca=none.pem", "https://[::1/x",
    ],
)  # fmt: skip
def test_an_invalid_address_is_named_without_its_secrets(address):
    with pytest.raises(OutputError) as error:
        WebhookSink(Target(address, address, "news", Path("/nowhere")))
    assert "task news: output " in str(error.value)
    assert "heim" not in str(error.value)
