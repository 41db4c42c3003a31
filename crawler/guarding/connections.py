"""Limits of what a response may cost before its page is there: bytes, and CPU time for reading them.

Scrapy limits only the bytes of bodies; heads and interim responses (1xx) may be as long as a server likes, and all runs
of a process wait while they are read. A connection counts after each request what it receives, encrypted or not, and
ends above a limit.
"""

import time
from typing import Any

from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure

RESPONSE_MOST = 33 * 2**20  # bytes; more than `DOWNLOAD_MAXSIZE`, so that a long body gets its own reason
READING_MOST = 0.5  # seconds of CPU time; 32 MiB of body take .1
TOO_LARGE = "the page is larger than 32 MiB"
TOO_COSTLY = "its headers take too long to read"


class ResponseTooCostly(Exception):
    """A response is above a limit. Its text is the reason."""


class _Counted(ProtocolWrapper):
    received = 0  # bytes since the last request
    spent = 0.0  # seconds of CPU time since then

    def write(self, data: bytes) -> None:
        self.received, self.spent = 0, 0.0
        super().write(data)  # type: ignore[no-untyped-call]

    def writeSequence(self, data: Any) -> None:
        self.received, self.spent = 0, 0.0
        super().writeSequence(data)  # type: ignore[no-untyped-call]

    def dataReceived(self, data: bytes) -> None:
        if self.wrappedProtocol is None:
            return
        self.received += len(data)
        began = time.thread_time()
        super().dataReceived(data)  # type: ignore[no-untyped-call]
        self.spent += time.thread_time() - began
        if self.received > RESPONSE_MOST or self.spent > READING_MOST:
            error = ResponseTooCostly(TOO_LARGE if self.received > RESPONSE_MOST else TOO_COSTLY)
            self.connectionLost(Failure(error))  # type: ignore[no-untyped-call]
            self.abortConnection()

    def connectionLost(self, reason: Any = None) -> None:
        if self.wrappedProtocol is not None:
            super().connectionLost(reason)  # type: ignore[no-untyped-call]


class _CountingFactory(WrappingFactory[_Counted]):
    noisy = False
    protocol = _Counted


def limit_responses(reactor: Any) -> None:
    """Let all TCP connections that a reactor makes have the limits."""
    connect = reactor.connectTCP

    def connect_counted(host: str, port: int, factory: Any, *more: Any, **options: Any) -> Any:
        counting = _CountingFactory(factory)  # type: ignore[no-untyped-call]
        return connect(host, port, counting, *more, **options)

    reactor.connectTCP = connect_counted
