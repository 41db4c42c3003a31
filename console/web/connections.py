"""The connections of the console: those that send no complete request are closed, so that they exclude nobody."""

import asyncio
from typing import Any, ClassVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from console.web.security import network_of

WAIT = 10.0  # seconds for a complete request, with its body
WAITING_MOST = 64  # connections of a network without a complete request; a browser has six
WAITING_MOST_OF_ALL = 512


class Connection(H11Protocol):
    """A connection, which waits for a request or has one.

    If too many of a network wait, or of all networks together, the oldest one of the network with the most is closed.
    """

    waiting: ClassVar[dict[str, dict["Connection", None]]] = {}  # by network, the oldest first

    def __init__(self, *, app_state: dict[str, Any], **parts: Any):
        super().__init__(app_state={**app_state, "connection": self}, **parts)
        self.network = ""
        self.requests = 0  # that are being answered; several at the end of one and the begin of the next
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self.network = network_of((transport.get_extra_info("peername") or ("",))[0])
        self.wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self.stop_waiting()
        super().connection_lost(exc)

    def wait(self) -> None:
        """Wait for a request, at most `WAIT` seconds."""
        if self.transport.is_closing():
            return
        self._end = asyncio.get_running_loop().call_later(WAIT, self.transport.abort)
        own = self.waiting.setdefault(self.network, {})
        own[self] = None
        if sum(map(len, self.waiting.values())) > WAITING_MOST_OF_ALL:
            own = max(self.waiting.values(), key=len)
        elif len(own) <= WAITING_MOST:
            return
        oldest = next(iter(own))
        oldest.stop_waiting()
        oldest.transport.abort()

    def stop_waiting(self) -> None:
        """Record that a request is complete, or that the connection has ended."""
        if self._end is not None:
            self._end.cancel()
        own = self.waiting.get(self.network, {})
        own.pop(self, None)
        if not own:
            self.waiting.pop(self.network, None)


def noting_requests(app: ASGIApp) -> ASGIApp:
    """Return an application that notes in each `Connection` when a request is complete and when it is answered."""

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        connection: Connection = scope["state"]["connection"]
        connection.requests += 1

        async def receive_noting() -> Message:
            message = await receive()
            if not message.get("more_body"):
                connection.stop_waiting()
            return message

        if not {b"content-length", b"transfer-encoding"} & {name for name, _ in scope["headers"]}:
            connection.stop_waiting()
        try:
            await app(scope, receive_noting, send)
        finally:
            connection.requests -= 1
            connection.stop_waiting()
            if not connection.requests:
                connection.wait()

    return noting
