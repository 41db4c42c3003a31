"""HTTP requests to the targets of outputs: time limits, size limits, TLS, proxies, and messages without secrets.

Each request has a connection of its own, so that a superfluous response of a target is not taken for the response to
the next request. Redirects are not followed. Proxies of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) are
used. Name resolution, and a response whose head never ends, have only the limit of the delivery process.
"""

import logging
import re
import ssl
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    SSLError,
    TimeoutError,
)
from urllib3.util import Timeout, create_urllib3_context, make_headers, parse_url

from workers.addresses import shown
from workers.errors import OutputError, SinkUnavailable
from workers.redaction import concealed, remember

from .kinds import Target

MOST_WAIT = 3600.0  # seconds; a longer Retry-After counts as this
MOST_WORDS = 200  # characters of a response that are shown
_PRODUCT = re.compile(r"[a-z]+\+(?=https?://)", re.IGNORECASE)  # before the scheme
_SCHEMES = {"bearer": "Bearer", "api_key": "ApiKey"}  # of header Authorization, by the option that has the token
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")

# urllib3 logs the path and query of each request at level DEBUG, and they may contain a token
logging.getLogger("urllib3.connectionpool").addFilter(lambda record: record.levelno > logging.DEBUG)


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Time limits in seconds: to connect, between bytes of a response, for the body of a response."""

    connect: float = 5.0
    read: float = 20.0
    body: float = 30.0


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A status, as much of the body as was requested and received, and the target's Retry-After in seconds."""

    status: int
    body: bytes
    wait: float


class HttpClient:
    """Sends requests to one target. Its messages name the target by the output in tasks.yaml.

    `path`: with the query that the target gets. `options`: the parameters of the address for this program, in order.
    """

    def __init__(self, target: Target, own: Collection[str], token: str, limits: HttpLimits | None = None):
        """`own`: names of parameters of the address that are options of this program; one whose name is
        percent-encoded (`%73ecret`) is not.

        `token`: the option whose value is sent in header Authorization; without it the login of the address is sent.
        Raises `OutputError`.
        """
        self.name, self._target = shown(target.label), target
        self.limits = limits or HttpLimits()
        url = _parsed(target)
        parameters = [parameter.partition("=") for parameter in (url.query or "").split("&") if parameter]
        self.options = [(name, unquote(value)) for name, _, value in parameters if name in own]
        sent = "&".join("".join(parameter) for parameter in parameters if parameter[0] not in own)
        self.path = (url.path or "/") + (f"?{sent}" if sent else "")
        self._scheme, self._host = str(url.scheme), str(url.host)
        self._base = f"{self._scheme}://{self._host}" + (f":{url.port}" if url.port else "")
        remember(*(value.removeprefix("whsec_") for name, value in self.options if name == "secret"))
        self._headers = {"user-agent": "exemplar", "connection": "close"}
        authorization = f"{_SCHEMES[token]} {self.option(token)}" if self.option(token) else ""
        if not _HEADER_VALUE.fullmatch(authorization):
            raise OutputError(f"task {target.task}: output {self.name}: its {token} has a character outside ASCII")
        if not authorization and url.auth is not None:
            login = unquote(url.auth).encode().decode("latin-1")  # `make_headers` encodes it as Latin-1
            authorization = make_headers(basic_auth=login)["authorization"]
        if authorization:
            remember(authorization.partition(" ")[2])
            self._headers["authorization"] = authorization
        self._manager = self._new_manager()

    def option(self, name: str, default: str = "") -> str:
        """Return the value of an option; if it is given several times, the last one."""
        return dict(self.options).get(name, default)

    def request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None, *, most: int = 4096
    ) -> HttpAnswer:
        """Send a request and return the response with any status. `most`: bytes of its body to read.

        Raises `SinkUnavailable` if there is no response in time.
        """
        try:
            return self._exchange(method, path, body, headers or {}, most)
        except (HTTPError, OSError, ValueError) as error:
            raise self.unavailable(_why(error, self.limits)) from None

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
        response = self._manager.urlopen(
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
        received, end = b"", time.monotonic() + self.limits.body
        try:
            while len(received) < most and (part := response.read1(most - len(received))):
                received += part
                if time.monotonic() > end:
                    break
        except (HTTPError, OSError):
            pass  # a status counts as a response, even if the rest is missing
        finally:
            response.close()
            self._manager.clear()  # the connection is not used again
        return HttpAnswer(response.status, received, _wait(response.headers.get("Retry-After", "")))

    def _new_manager(self) -> urllib3.PoolManager:
        """Return the manager that opens connections, through the proxy of the environment if the host has one."""
        tls = _tls_context(self._target, self.option("ca"))
        proxies = getproxies()
        proxy = None if proxy_bypass(self._host, proxies) else proxies.get(self._scheme)
        if proxy is None:
            return urllib3.PoolManager(ssl_context=tls)
        try:
            url = parse_url(proxy)
            headers = make_headers(proxy_basic_auth=unquote(url.auth)) if url.auth else None
            return urllib3.ProxyManager(url._replace(auth=None).url, ssl_context=tls, proxy_headers=headers)
        except (HTTPError, ValueError):
            raise OutputError(
                f"task {self._target.task}: output {self.name}: the proxy in the environment has an unknown form; "
                "use http://host:port or name the host in NO_PROXY"
            ) from None


def _parsed(target: Target) -> urllib3.util.Url:
    """Return the parts of a target's address. Raises `OutputError`."""
    try:
        url = parse_url(_PRODUCT.sub("", target.address))
        problem = "" if url.host else "the host is missing"
    except (HTTPError, ValueError):
        url, problem = urllib3.util.Url(), "write it as https://host:port/path; in a password write / ? # @ : as %2F …"
    if url.fragment is not None:
        problem = "remove the part after #, which is never sent to a server"
    if problem:
        raise OutputError(f"task {target.task}: output {shown(target.label)} is an invalid address: {problem}")
    return url


def _wait(retry_after: str) -> float:
    """Return the seconds of a header Retry-After; 0 if it is invalid or missing."""
    with suppress(HTTPError, ValueError, OverflowError):
        return min(urllib3.Retry().parse_retry_after(retry_after), MOST_WAIT)
    return 0.0


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


def _why(error: BaseException | None, limits: HttpLimits) -> str:
    """Return a description of an error in our own words: the texts of libraries quote addresses."""
    if error is None:
        return "no connection"
    cause = error.args[-1] if error.args and isinstance(error.args[-1], Exception) else error.__cause__
    match error:
        case ProxyError():
            return f"the proxy: {_why(cause, limits)}"
        case NameResolutionError():
            return "its host name is unknown"
        case NewConnectionError():
            return _why(cause, limits)
        case ConnectTimeoutError():
            return f"no connection within {limits.connect:g} seconds"
        case TimeoutError():
            return f"no answer within {limits.read:g} seconds"
        case SSLError():
            return f"TLS: {_tls_words(cause)}"
        case ProtocolError() if not isinstance(cause, OSError) or not cause.strerror:
            return "it closed the connection, or its answer is not HTTP"
        case OSError(strerror=str(words)):
            return words.lower()
    return _why(cause, limits) if cause else "the request cannot be sent"


def _tls_words(error: BaseException | None) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted ({error.verify_message}); option ca=FILE names another authority"
    reason = (error.reason if isinstance(error, ssl.SSLError) else None) or "no secure connection"
    if reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST"):
        return "the server does not use TLS at this port; check the port, or write http: in place of https:"
    return reason.replace("_", " ").lower()
