"""The guard for a browser: a proxy on loopback through which all of the browser's connections go.

A browser follows redirects, loads images and opens sockets by itself; no callback of Playwright sees each address.
So it is given this proxy for everything, loopback included, and the proxy connects only to addresses that the guard
allows (`crawler.guard`): it resolves the name itself and connects to the very address that it has checked.

    CONNECT host:port        → both sides are passed on as they are (https, websockets)
    GET http://host/path     → passed on with `Connection: close`, so that each request is looked at by itself

What is refused gets 403 and is kept in `refused` (host and port → address), for the message. The proxy runs in a thread
with an event loop of its own, so that it serves a browser whatever the spider's reactor does.
"""

import asyncio
import ipaddress
import socket
import threading
from types import TracebackType
from urllib.parse import urlsplit

from .guard import SCHEMES, Guard

HEAD_LIMIT = 64 * 1024  # bytes of a request's head
PIECE = 64 * 1024  # bytes passed on at once
LONGEST = 32 * 2**20  # bytes passed on in one direction of a connection, as DOWNLOAD_MAXSIZE
CONNECT_SECONDS = 10.0
IDLE_SECONDS = 30.0

NOT_UNDERSTOOD, FORBIDDEN, OUT_OF_REACH = "400 Bad Request", "403 Forbidden", "502 Bad Gateway"
_OF_THE_CONNECTION = ("proxy-", "connection:", "keep-alive:")  # header lines that end here


class Refused(Exception):
    """A request is not passed on; `answer` says so to the browser."""

    def __init__(self, status: str):
        super().__init__(status)
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(status)}\r\nConnection: close"
        self.answer = f"{head}\r\n\r\n{status}".encode()  # with a body, or Chromium sees a failure and no answer


class GuardedProxy:
    """`with GuardedProxy(guard) as proxy:` serves at `proxy.url` until the block ends.

    `listed_only`: even public hosts are refused, before their names are looked up; only the user's own list counts.
    """

    def __init__(self, guard: Guard, *, listed_only: bool = False):
        self.guard, self.listed_only = guard, listed_only
        self.refused: dict[tuple[str, int], str] = {}
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
        if open_ones := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in open_ones:
                task.cancel()
            await asyncio.wait(open_ones)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the browser, from its first line to its end."""
        try:
            host, port, first = destination(await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), IDLE_SECONDS))
            far_reader, far_writer = await self._connect(host, port)
            (far_writer if first else writer).write(first or b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(_pass_on(reader, far_writer), _pass_on(far_reader, writer))
        except Refused as refused:
            writer.write(refused.answer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # one of the two hung up, or never spoke: the browser sees the connection end
        finally:
            writer.close()

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to an allowed address of the host. Raises `Refused` if it has none, or none that answers."""
        for address in await self._allowed(host, port):
            try:
                return await asyncio.wait_for(asyncio.open_connection(address, port), CONNECT_SECONDS)
            except (OSError, TimeoutError):
                continue
        raise Refused(OUT_OF_REACH)

    async def _allowed(self, host: str, port: int) -> list[str]:
        if self.listed_only and not self.guard.lists(host, port):
            self.refused[host, port] = host
            raise Refused(FORBIDDEN)
        try:
            answers = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Refused(OUT_OF_REACH) from None
        found = [str(answer[4][0]).split("%")[0] for answer in answers]
        allowed = [text for text in found if self.guard.allows(ipaddress.ip_address(text), host, port)]
        if not allowed:
            self.refused[host, port] = found[0]
            raise Refused(FORBIDDEN)
        return allowed


def destination(head: bytes) -> tuple[str, int, bytes]:
    """Return host, port, and the head to send there (nothing for CONNECT). Raises `Refused` for what is neither."""
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


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what one side says, until it ends, says too much or falls silent."""
    passed = 0
    try:
        while passed < LONGEST and (piece := await asyncio.wait_for(reader.read(PIECE), IDLE_SECONDS)):
            passed += len(piece)
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()
