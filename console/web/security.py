"""The security of the console: the host names, origins, logins and form tokens of requests; the headers of responses.

Host     one of the console's own names: any other is a rebound DNS name
Origin   a request that changes something comes from a page of the console
form     has the token of its session; the API accepts only JSON, which a page of another site cannot send
login    a session cookie (HttpOnly, SameSite=Strict), or `Authorization: Bearer` for programs
"""

import hmac
import ipaddress
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from console.web.config import ConsoleConfig

SESSION_SECONDS = 12 * 3600
MOST_FORM = 2**20  # bytes of a request's body
FAILURES_MOST = 10  # wrong passwords within `FAILURES_WITHIN` from one network
FAILURES_WITHIN = 60.0  # seconds
METRICS = "/metrics"
PUBLIC = ("/login", "/static/", "/language/")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers send `Origin: null` with forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-DNS-Prefetch-Control": "off",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class ConsoleSession:
    """A browser's cookie: a random id, whether its user has logged in, and when it ends (Unix seconds)."""

    id: str
    logged_in: bool
    ends: float


class Sessions:
    """Signs cookies and form tokens with a key of this process, so that sessions end with the process."""

    def __init__(self, config: ConsoleConfig, *, clock: Callable[[], float] = time.time):
        self.config, self.clock = config, clock
        self.cookie = f"exemplar_console_{config.port}"  # browsers do not separate cookies by port
        self._key = secrets.token_bytes(32)
        self._failures: dict[str, list[float]] = {}  # by network
        self._ended: dict[str, float] = {}  # sessions whose user has logged out, each with its end

    def new(self, *, logged_in: bool) -> ConsoleSession:
        """Return a new session."""
        return ConsoleSession(secrets.token_urlsafe(18), logged_in, self.clock() + SESSION_SECONDS)

    def header(self, session: ConsoleSession, request: Request) -> str:
        """Return the Set-Cookie header of a session."""
        secure = "; Secure" if request.url.scheme == "https" else ""
        return (
            f"{self.cookie}={self.write(session)}; Path=/; Max-Age={SESSION_SECONDS}; HttpOnly; SameSite=Strict{secure}"
        )

    def write(self, session: ConsoleSession) -> str:
        """Return the cookie's value."""
        text = f"{session.id}.{int(session.logged_in)}.{int(session.ends)}"
        return f"{text}.{self._signature('session', text)}"

    def read(self, value: str) -> ConsoleSession | None:
        """Return the session of a cookie; None if it is not valid or has ended."""
        text, _, signature = value.rpartition(".")
        if not text or not hmac.compare_digest(signature.encode(), self._signature("session", text).encode()):
            return None
        name, logged_in, ends = text.rsplit(".", 2)
        session = ConsoleSession(name, logged_in == "1", float(ends))
        return session if session.ends > self.clock() and session.id not in self._ended else None

    def end(self, session: ConsoleSession) -> None:
        """End a session: its cookie is no longer valid."""
        now = self.clock()
        self._ended = {name: ends for name, ends in self._ended.items() if ends > now} | {session.id: session.ends}

    def form_token(self, session: ConsoleSession) -> str:
        """Return the token of a session's forms."""
        return self._signature("form", session.id)

    def is_password(self, given: str, address: str) -> bool:
        """Whether a password, or a token in its place, is right.

        Raises `HTTPException` 429 after many wrong ones from the network of the address.
        """
        first, network = self.clock() - FAILURES_WITHIN, network_of(address)
        recent = {name: [at for at in times if at >= first] for name, times in self._failures.items()}
        self._failures = {name: times for name, times in recent.items() if times}
        if len(self._failures.get(network, ())) >= FAILURES_MOST:
            raise HTTPException(429, "Too many wrong passwords. Wait a minute.")
        answers = [is_same(given, secret) for secret in (self.config.password, self.config.token) if secret]
        if not any(answers):
            self._failures.setdefault(network, []).append(self.clock())
        return any(answers)

    def _signature(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}\0{text}".encode(), sha256).hexdigest()


class Gatekeeper:
    """The outermost part of the application: refuses requests, and adds the headers to all responses."""

    def __init__(self, app: ASGIApp, config: ConsoleConfig, sessions: Sessions):
        self.app, self.config, self.sessions = app, config, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        session = self.sessions.read(request.cookies.get(self.sessions.cookie, ""))
        is_new = session is None
        if session is None:
            session = self.sessions.new(logged_in=not self.config.needs_login)
        scope["session"] = session
        refusal = self._refusal(request, session)
        has_session = not (scope["path"].startswith("/static/") or is_for_programs(scope["path"]))
        set_cookie = is_new and not self.config.needs_login and has_session

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if set_cookie:
                    headers.append("Set-Cookie", self.sessions.header(session, request))
            await send(message)

        await (refusal or self.app)(scope, bounded(receive), send_with_headers)

    def _refusal(self, request: Request, session: ConsoleSession) -> Response | None:
        headers, path = request.headers, request.url.path
        if host_name(headers.get("host", "")) not in self.config.hosts:
            return PlainTextResponse("unknown host name; start the console with --name HOST to allow it\n", 421)
        if int(headers.get("content-length") or 0) > MOST_FORM:
            return PlainTextResponse("request body too large\n", 413)
        if request.method not in SAFE_METHODS and not is_same_origin(headers):
            return PlainTextResponse("request from another origin\n", 403)
        if session.logged_in or path.startswith(PUBLIC):
            return None
        if is_for_programs(path):
            given = headers.get("authorization", "")
            if is_bearer(given, self.config.token) or (path == METRICS and is_bearer(given, self.config.metrics_token)):
                return None
            return JSONResponse({"error": "not logged in"}, 401, {"WWW-Authenticate": "Bearer"})
        is_read = request.method in SAFE_METHODS
        page = request.url if is_read else urlsplit(headers.get("referer", "/"))  # that with the form
        target = page.path + (f"?{page.query}" if page.query else "")
        return RedirectResponse(f"/login?next={quote(target, safe='')}{'' if is_read else '&ended=1'}", 303)


def is_for_programs(path: str) -> bool:
    """Whether an address is for programs, which have no session, but may have a token."""
    return path.startswith("/api/") or path == METRICS


def host_name(host: str) -> str:
    """Return a Host header without its port, lower-case."""
    name = host.lower().strip()
    return name[: name.index("]") + 1] if name.startswith("[") and "]" in name else name.partition(":")[0]


def is_bearer(header: str, token: str) -> bool:
    """Whether an Authorization header contains the token as bearer; "" is no token."""
    kind, _, given = header.partition(" ")
    return bool(token) and kind.lower() == "bearer" and is_same(given.strip(), token)


def is_same(given: str, secret: str) -> bool:
    """Compare two texts of any lengths in constant time."""
    return hmac.compare_digest(*(sha256(text.encode("utf-8", "surrogateescape")).digest() for text in (given, secret)))


def bounded(receive: Receive) -> Receive:
    """Return `receive` for bodies of at most `MOST_FORM` bytes, also those without a declared length."""
    size = 0

    async def receive_some() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MOST_FORM:
            raise HTTPException(413, "request body too large")
        return message

    return receive_some


def network_of(address: str) -> str:
    """Return the network that one person may have: an IPv4 address, or 64 bits of an IPv6 address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address


def is_same_origin(headers: Headers) -> bool:
    """Whether a request that changes something comes from the console, or from a program that is not a browser."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def local_target(target: str) -> str:
    """Return the path of the console to redirect to; `/` in place of any other address."""
    is_local = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if is_local else "/"
