"""The guard for a browser: a proxy on loopback through which all of the browser's connections go.

A browser follows redirects, loads images and opens sockets by itself; Playwright has no callback for each address.
So all its connections go through this proxy, those to loopback included, and the proxy connects only to addresses that
the guard allows (`crawler.guarding.guard`): it resolves the name itself and connects to the address that it checked.

    CONNECT host:port        → both directions are passed on unchanged (https, websockets)
     GET http://host/path     → passed on with `Connection: close`, so that each request is checked separately

A task's own proxy (`upstream`) comes after this one: its address is checked as well, and a target is refused if any of
its addresses may not be contacted, because the other proxy resolves it again (as in `crawler.gates.guard_gates`).

A refused request is answered with 403; `refused_address` names the address, for the message. The proxy runs in a
thread with an event loop of its own, so that it does not wait for the spider's reactor.
"""

import asyncio
import base64
import socket
import threading
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import unquote, urlsplit

from crawler.guarding.guard import SCHEMES, Guard, is_odd_spelling
from workers.redaction import remember

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

HEAD_LIMIT = 64 * 1024  # bytes of a request's head
PIECE = 64 * 1024  # bytes that are passed on at a time
LONGEST = 32 * 2**20  # bytes of one response that are passed on, as DOWNLOAD_MAXSIZE
LONGEST_TUNNEL = 2**30  # bytes; the content is encrypted, and one tunnel is for the files of many pages
CONNECT_SECONDS = 10.0
IDLE_SECONDS = 30.0

NOT_UNDERSTOOD, FORBIDDEN, OUT_OF_REACH = "400 Bad Request", "403 Forbidden", "502 Bad Gateway"
_OF_THE_CONNECTION = ("proxy-", "connection:", "keep-alive:")  # header lines that are not passed on


class Refused(Exception):
    """A request is not passed on; `answer`: the response for the browser; `address`: which was refused, or ""."""

    def __init__(self, status: str, address: str = ""):
        super().__init__(status)
        self.address = address
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(status)}\r\nConnection: close"
        self.answer = f"{head}\r\n\r\n{status}".encode()  # with a body; otherwise Chromium reports a failed connection


def authority(host: str, port: int) -> str:
    """Return the text `host:port` in the form of URLs."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@dataclass(frozen=True, slots=True)
class Upstream:
    """Another proxy. `login`: its `Proxy-Authorization`, "" for none."""

    host: str
    port: int
    login: str

    @classmethod
    def of(cls, url: str) -> "Upstream":
        """Return the proxy at `http://[user:password@]host[:port]`."""
        parts = urlsplit(url)
        if parts.username is None:
            return cls(parts.hostname or "", parts.port or SCHEMES["http"], "")
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        coded = base64.b64encode(pair.encode()).decode()
        remember(coded)
        return cls(parts.hostname or "", parts.port or SCHEMES["http"], f"Basic {coded}")

    @property
    def _header(self) -> str:
        return f"Proxy-Authorization: {self.login}\r\n" if self.login else ""

    def connect_head(self, host: str, port: int) -> bytes:
        """Return the head of the request for a tunnel."""
        target = authority(host, port)
        return f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{self._header}\r\n".encode()

    def head(self, host: str, port: int, first: bytes) -> bytes:
        """A request's head in the form for a proxy, with the whole URL; empty for a tunnel."""
        if not first:
            return b""
        line, _, rest = first.partition(b"\r\n")
        method, _, path = line.partition(b" ")
        return b"%s http://%s%s\r\n%s%s" % (method, authority(host, port).encode(), path, self._header.encode(), rest)


class GuardedProxy:
    """`with GuardedProxy(guard) as proxy:` serves at `proxy.url` until the block ends.

    `listed_only`: even public hosts are refused, before their names are looked up; only the user's own list counts.
    `upstream`: URL of a proxy through which everything goes.
    """

    def __init__(self, guard: Guard, *, listed_only: bool = False, upstream: str = ""):
        self.guard, self.listed_only = guard, listed_only
        self.upstream = Upstream.of(upstream) if upstream else None
        self._loop, self._ending = asyncio.new_event_loop(), asyncio.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._run, name="guarded-proxy", daemon=True)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def __enter__(self) -> "GuardedProxy":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._answer, sock=self._listening, limit=HEAD_LIMIT)
        await self._ending.wait()
        server.close()
        if connections := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in connections:
                task.cancel()
            await asyncio.wait(connections)

    async def refused_address(self, host: str, port: int) -> str:
        """Return the address for which a host is refused; "" if it is not. May be called in any event loop."""
        try:
            await self._allowed(host, port, every=self.upstream is not None)
        except Refused as refused:
            return refused.address
        return ""

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection of the browser, from its first line to its end."""
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), IDLE_SECONDS)
            host, port, first = destination(head)
            if self.upstream is None:
                far_reader, far_writer = await self._connect(host, port, await self._allowed(host, port))
            else:
                far_reader, far_writer = await self._through(self.upstream, host, port, tunnel=not first)
                first = self.upstream.head(host, port, first)
            (far_writer if first else writer).write(first or b"HTTP/1.1 200 Connection established\r\n\r\n")
            most = LONGEST if first else LONGEST_TUNNEL
            await asyncio.gather(_pass_on(reader, far_writer, most), _pass_on(far_reader, writer, most))
        except Refused as refused:
            writer.write(refused.answer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # one side closed the connection or sent nothing: the connection to the browser ends, too
        finally:
            writer.close()

    async def _through(self, upstream: "Upstream", host: str, port: int, *, tunnel: bool) -> Streams:
        """Connect to the task's proxy, and request a tunnel if one is needed. Raises `Refused`."""
        if is_odd_spelling(host):  # the other proxy may interpret it differently
            raise Refused(FORBIDDEN)
        await self._allowed(host, port, every=True)
        proxy = upstream.host, upstream.port
        far_reader, far_writer = await self._connect(*proxy, await self._allowed(*proxy))
        if tunnel:
            far_writer.write(upstream.connect_head(host, port))
            response = await asyncio.wait_for(far_reader.readuntil(b"\r\n\r\n"), IDLE_SECONDS)
            if response.split(b" ")[1:2] != [b"200"]:
                far_writer.close()
                raise Refused(OUT_OF_REACH)
        return far_reader, far_writer

    async def _connect(self, host: str, port: int, addresses: list[str]) -> Streams:
        """Connect to one of a host's allowed addresses. Raises `Refused` if none of them answers."""
        for address in addresses:
            try:
                return await asyncio.wait_for(asyncio.open_connection(address, port), CONNECT_SECONDS)
            except (OSError, TimeoutError):
                continue
        raise Refused(OUT_OF_REACH)

    async def _allowed(self, host: str, port: int, *, every: bool = False) -> list[str]:
        """Return the host's addresses that may be contacted.

        Raises `Refused` if no address is allowed, or with `every` if one is not.
        """
        if self.listed_only and not self.guard.lists(host, port):
            raise Refused(FORBIDDEN, host)
        allowed, refused = await self.guard.addresses_of(host, port)
        if refused and (every or not allowed):
            raise Refused(FORBIDDEN, refused[0])
        if not allowed:
            raise Refused(OUT_OF_REACH)
        return allowed


def destination(head: bytes) -> tuple[str, int, bytes]:
    """Return host, port, and the head to send there (nothing for CONNECT). Raises `Refused` for any other request."""
    line, *headers = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    method, _, rest = line.partition(" ")
    target, _, version = rest.rpartition(" ")
    try:
        parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise Refused(NOT_UNDERSTOOD) from None
    if not host or not version.startswith("HTTP/1."):
        raise Refused(NOT_UNDERSTOOD)
    if method == "CONNECT":
        return host, port or SCHEMES["https"], b""
    if parts.scheme != "http":
        raise Refused(NOT_UNDERSTOOD)
    path = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
    kept = [header for header in headers if not header.lower().startswith(_OF_THE_CONNECTION)]
    lines = [f"{method} {path} {version}", *kept, "Connection: close", "", ""]
    return host, port or SCHEMES["http"], "\r\n".join(lines).encode("latin-1")


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int) -> None:
    """Relay the bytes of one side until it ends, exceeds the size limit or is silent for too long."""
    passed = 0
    try:
        while passed < most and (piece := await asyncio.wait_for(reader.read(PIECE), IDLE_SECONDS)):
            passed += len(piece)
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()
