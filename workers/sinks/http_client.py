"""HTTP requests to the targets of outputs: time limits, size limits, TLS, proxies, and messages without secrets.

Each request has a connection of its own, so that a superfluous response of a target is not taken for the response to
the next request. Redirects are not followed. Proxies of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) are
used.
"""

import base64
import logging
import re
import socket
import ssl
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from http.client import BadStatusLine, RemoteDisconnected
from io import BytesIO
from pathlib import Path
from urllib.parse import quote, unquote
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)
from urllib3.util import Timeout, create_urllib3_context, make_headers

from workers.addresses import shown
from workers.errors import OutputError, SinkUnavailable
from workers.redaction import concealed, remember

from .kinds import Target

MOST_WAIT = 3600.0  # seconds; a longer Retry-After counts as this
MOST_WORDS = 200  # characters of a response that are shown
_AUTHORITY = re.compile(r"(?:[a-z]+\+)?(https?)://([^/?#]*)([^#]*)(#.*)?", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]\s]+)(?::(\d{1,5}))?")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")

# urllib3 logs the path and query of each request at level DEBUG, and they may contain a token
logging.getLogger("urllib3.connectionpool").addFilter(lambda record: record.levelno > logging.DEBUG)


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Time limits in seconds: to connect, between bytes of a response, for a request, for all requests of a call."""

    connect: float = 5.0
    read: float = 20.0
    request: float = 25.0
    call: float = 30.0


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """The parts of an address. `options`: the parameters for this program, in order; `path` does not contain them."""

    scheme: str
    host: str = field(repr=False)
    port: int | None = field(repr=False)
    path: str = field(repr=False)  # with the query that the target gets
    login: str | None = field(repr=False)  # user:password, percent-decoded
    options: Sequence[tuple[str, str]] = field(repr=False)

    def option(self, name: str, default: str = "") -> str:
        """Return the value of an option; if it is given several times, the last one."""
        return dict(self.options).get(name, default)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A status, as much of the body as was requested and received, and the target's Retry-After in seconds."""

    status: int
    body: bytes
    wait: float


def parse_address(target: Target, own: Collection[str]) -> HttpAddress:
    """Return the parts of a target's address. `own`: names of parameters that are options of this program.

    A parameter whose name is percent-encoded (`%73ecret`) is not such an option. Raises `OutputError`.
    """
    match = _AUTHORITY.fullmatch(target.address)
    login, _, place = match[2].rpartition("@") if match else ("", "", "")
    host = _HOST.fullmatch(place)
    if match is None or host is None or int(host[2] or 0) > 65535:
        raise _invalid(target, "write it as https://host:port/path; in a user or password write / ? # @ : % as %2F …")
    if match[4]:
        raise _invalid(target, "remove the part after #, which is never sent to a server")
    path, _, query = match[3].partition("?")
    options, sent = [], []
    for parameter in filter(None, query.split("&")):
        name, _, value = parameter.partition("=")
        if name in own:
            options.append((name, unquote(value)))
        else:
            sent.append(parameter)
    path = quote((path or "/") + ("?" + "&".join(sent) if sent else ""), safe="/?&=%:;,+@!$'()*~-._[]")
    port = int(host[2]) if host[2] else None
    return HttpAddress(match[1].lower(), host[1], port, path, unquote(login) if login else None, options)


def _invalid(target: Target, advice: str) -> OutputError:
    return OutputError(f"task {target.task}: output {shown(target.label)} is an invalid address: {advice}")


class HttpClient:
    """Sends requests to one target. Its messages name the target by the output in tasks.yaml."""

    def __init__(
        self,
        target: Target,
        own: Collection[str],
        *,
        token: str,
        scheme: str,
        called: str,
        limits: HttpLimits | None = None,
    ):
        """`own`: names of parameters of the address that are options of this program, as for `parse_address`.

        `token`: the option whose value is sent in header Authorization, after a `scheme`; in messages it is `called`
        so. Without it the login of the address is sent. Raises `OutputError`.
        """
        self.address = address = parse_address(target, own)
        remember(*(value.removeprefix("whsec_") for name, value in address.options if name == "secret"))
        self.name = shown(target.label)
        self.limits = limits or HttpLimits()
        self._headers = {"user-agent": "exemplar", "connection": "close"}
        authorization = f"{scheme} {address.option(token)}" if address.option(token) else ""
        if not _HEADER_VALUE.fullmatch(authorization):
            raise OutputError(f"task {target.task}: output {self.name}: its {called} has a character outside ASCII")
        if not authorization and address.login is not None:
            authorization = "Basic " + base64.b64encode(address.login.encode()).decode()
        if authorization:
            remember(authorization.partition(" ")[2])
            self._headers["authorization"] = authorization
        self._target = target
        self._socket: socket.socket | None = None  # of the request under way
        self._manager: urllib3.PoolManager | None = self._new_manager()
        self._end = float("inf")
        port = f":{address.port}" if address.port else ""
        self._base = f"{address.scheme}://{address.host}{port}"

    def begin(self) -> None:
        """Begin a call of the sink: from now on all of its requests together have `limits.call` seconds."""
        self._end = time.monotonic() + self.limits.call

    def request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None, *, most: int = 4096
    ) -> HttpAnswer:
        """Send a request and return the response with any status. `most`: bytes of its body to read.

        Raises `SinkUnavailable` if there is no response in time.
        """
        limit = min(self.limits.request, self._end - time.monotonic())
        if limit <= 0:
            raise self.unavailable(f"its answers took more than {self.limits.call:g} seconds")
        results: list[HttpAnswer | Exception] = []

        def exchange() -> None:
            try:
                results.append(self._exchange(method, path, body, headers or {}, most))
            except Exception as error:  # passed to the thread that waits
                results.append(error)

        thread = threading.Thread(target=exchange, daemon=True)  # name resolution and slow responses have no time limit
        thread.start()
        thread.join(limit)
        if not results:
            if self._socket is not None:
                with suppress(OSError):  # the thread, which waits for the socket, continues with an error
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            raise self.unavailable(f"no complete answer within {limit:.3g} seconds")
        result = results[0]
        if isinstance(result, HttpAnswer):
            return result
        if isinstance(result, (HTTPError, OSError, ValueError)):
            raise self.unavailable(_why(result, self.limits))
        raise result

    def unavailable(self, why: str, wait: float = 0.0) -> SinkUnavailable:
        """Return the error with the reason why the target accepts no rows now."""
        return SinkUnavailable(f"output unavailable: {self.name}: {why}", wait=wait)

    def advised(self, status: int, words: str, advice: Mapping[int, str]) -> str:
        """Return the words of a response with what a person should do about its status."""
        if 300 <= status < 400:
            return f"{status}, a redirect, is not followed; check the address"
        return f"{words}; {advice[status]}" if status in advice else words

    def words(self, answer: HttpAnswer) -> str:
        """Return status and first words of a response: printable characters on one line, without secrets."""
        text = self.printable(answer.body.decode("utf-8", "replace"))
        return f"{answer.status} {text}".strip()

    def printable(self, text: str) -> str:
        """Return the first printable characters of a text from the target, on one line, without secrets."""
        text = concealed(text[: 20 * MOST_WORDS])
        text = re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", text)
        return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:MOST_WORDS]

    def _exchange(self, method: str, path: str, body: bytes, headers: Mapping[str, str], most: int) -> HttpAnswer:
        self._manager = manager = self._manager or self._new_manager()
        response = manager.urlopen(
            method,
            self._base + path,
            body=BytesIO(body) if body else None,  # sent in pieces, so that the time limit is for each piece
            headers={**self._headers, **headers, "content-length": str(len(body))},
            retries=False,
            redirect=False,
            timeout=Timeout(connect=self.limits.connect, read=self.limits.read),
            preload_content=False,
            decode_content=False,
        )
        received = b""
        try:
            received = response.read(most) or b""
        except (HTTPError, OSError):
            pass  # a status counts as a response, even if the rest is missing
        finally:
            response.close()
            manager.clear()  # the connection is not used again
        return HttpAnswer(response.status, received, _wait(response.headers.get("Retry-After", "")))

    def _new_manager(self) -> urllib3.PoolManager:
        """Return the manager that opens connections, through the proxy of the environment if the host has one."""
        tls = _tls_context(self._target, self.address.option("ca"))
        proxies = getproxies()
        proxy = None if proxy_bypass(self.address.host, proxies) else proxies.get(self.address.scheme)
        manager: urllib3.PoolManager
        if proxy is None:
            manager = urllib3.PoolManager(maxsize=1, ssl_context=tls)
        else:
            place, login = _proxy_parts(self._target, proxy)
            headers = make_headers(proxy_basic_auth=login) if login else None
            manager = urllib3.ProxyManager(place, maxsize=1, ssl_context=tls, proxy_headers=headers)
        client = self

        class WatchedHttp(HTTPConnection):
            def connect(self) -> None:
                super().connect()
                client._socket = self.sock

        class WatchedHttps(HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                client._socket = self.sock

        class HttpPool(urllib3.HTTPConnectionPool):
            ConnectionCls = WatchedHttp

        class HttpsPool(urllib3.HTTPSConnectionPool):
            ConnectionCls = WatchedHttps

        manager.pool_classes_by_scheme = {"http": HttpPool, "https": HttpsPool}
        return manager

    def close(self) -> None:
        """Close connections; the next request reads the file of option `ca` again."""
        if self._manager is not None:
            self._manager.clear()
            self._manager = None


def _wait(retry_after: str) -> float:
    """Return the seconds of a header Retry-After; 0 if it is invalid or missing."""
    with suppress(HTTPError, ValueError, OverflowError):
        return min(urllib3.Retry().parse_retry_after(retry_after), MOST_WAIT)
    return 0.0


def _proxy_parts(target: Target, proxy: str) -> tuple[str, str]:
    """Return a proxy's URL without its login, and the login, percent-decoded."""
    match = _AUTHORITY.fullmatch(proxy if "://" in proxy else f"http://{proxy}")
    if match is None:
        raise OutputError(
            f"task {target.task}: output {shown(target.label)}: the proxy in the environment has an unknown form; "
            "use http://host:port or name the host in NO_PROXY"
        )
    login, _, place = match[2].rpartition("@")
    return f"{match[1]}://{place}", unquote(login)


def _tls_context(target: Target, authority: str) -> ssl.SSLContext:
    """Return the checks of certificates: by the system's authorities, or by those of a file."""
    if not authority:
        return _system_tls()
    context = create_urllib3_context()
    try:
        context.load_verify_locations(target.folder / Path(authority).expanduser())
    except OSError as error:
        reason = "it holds no certificates" if isinstance(error, ssl.SSLError) else error.strerror
        raise OutputError(
            f"task {target.task}: output {shown(target.label)}: the file of option ca cannot be used: {reason}"
        ) from None
    return context


@cache
def _system_tls() -> ssl.SSLContext:
    """Return the context of all outputs that trust the system's authorities, of which loading takes long."""
    context = create_urllib3_context()
    context.load_default_certs()
    return context


def _why(error: Exception, limits: HttpLimits) -> str:
    """Return a description of an error in our own words: the texts of libraries quote addresses."""
    cause = error.args[-1] if error.args and isinstance(error.args[-1], Exception) else error.__cause__
    if isinstance(error, ProxyError):
        return f"the proxy: {_why(cause, limits) if isinstance(cause, Exception) else 'no connection'}"
    if isinstance(error, NameResolutionError):
        return "its host name is unknown"
    if isinstance(error, NewConnectionError):
        return _system_words(cause) or "no connection"
    if isinstance(error, ConnectTimeoutError):
        return f"no connection within {limits.connect:g} seconds"
    if isinstance(error, (ReadTimeoutError, TimeoutError)):
        return f"no answer within {limits.read:g} seconds"
    if isinstance(error, SSLError):
        return f"TLS: {_tls_words(cause)}"
    if isinstance(error, ProtocolError):
        return _protocol_words(cause)
    return _system_words(error) or _system_words(cause) or "the request cannot be sent"


def _system_words(error: BaseException | None) -> str:
    return error.strerror.lower() if isinstance(error, OSError) and error.strerror else ""


def _tls_words(error: BaseException | None) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted ({error.verify_message}); option ca=FILE names another authority"
    reason = (error.reason if isinstance(error, ssl.SSLError) else None) or "no secure connection"
    if reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST"):
        return "the server does not use TLS at this port; check the port, or write http: in place of https:"
    return reason.replace("_", " ").lower()


def _protocol_words(error: BaseException | None) -> str:
    if isinstance(error, RemoteDisconnected):
        return "it closed the connection without an answer"
    if isinstance(error, BadStatusLine):
        return "its answer is not HTTP"
    return _system_words(error) or "its answer is not understood"
