"""The connections of a process: names are resolved with the guard, and a response may cost only so much.

Twisted's resolver is replaced: this one returns only addresses that may be contacted. Connections are made to the
addresses that are returned here, literals included, so the guard is also effective for a name whose address changes
between check and use. Installed through Scrapy's setting `TWISTED_DNS_RESOLVER`, for all crawls of the process: an
address that the guard of none of them allows is not returned.

Scrapy limits only the bytes of bodies; heads and interim responses (1xx) may be as long as a server likes, and all runs
of a process wait while they are read. A connection counts after each request what it receives, encrypted or not, and
ends above a limit.
"""

import asyncio
import ipaddress
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver, IHostResolution
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from zope.interface.declarations import implementer

from crawler.gates.context import FetchContext, contexts_of_process
from crawler.politeness.pace import AddressBook

RESPONSE_MOST = 33 * 2**20  # bytes; more than `DOWNLOAD_MAXSIZE`, so that a long body gets its own reason
READING_MOST = 0.5  # seconds of CPU time; 32 MiB of body take .1
TOO_LARGE = "the page is larger than 32 MiB"
TOO_COSTLY = "its headers take too long to read"


@implementer(IHostResolution)
class _Lookup:
    """A lookup of a name; `task` ends it."""

    def __init__(self, name: str, task: Coroutine[Any, Any, None]):
        self.name, self.task = name, asyncio.ensure_future(task)

    def cancel(self) -> None:
        """End the lookup without a result."""
        self.task.cancel()


@implementer(IHostnameResolver)
class GuardedResolver:
    """A resolver with the guard; addresses are kept for a minute, and checked at each lookup.

    `contexts` returns the contexts of the process at each lookup.
    """

    def __init__(self, reactor: Any, contexts: Callable[[], Sequence[FetchContext]]):
        self.reactor, self.contexts = reactor, contexts
        self.book = AddressBook()

    @classmethod
    def from_crawler(cls, process: Any, reactor: Any) -> "GuardedResolver":
        """Scrapy's constructor. `process`: the `AsyncCrawlerProcess`, whose spiders may not exist yet."""
        return cls(reactor, partial(contexts_of_process, process))

    def install_on_reactor(self) -> None:
        """Install the resolver, and the limit on responses; called by Scrapy."""
        if not isinstance(self.reactor.nameResolver, GuardedResolver):
            self.reactor.installNameResolver(self)
            limit_responses(self.reactor)

    def resolveHostName(
        self,
        receiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        """Resolve, without the addresses that must not be contacted."""
        kinds = addressTypes or (IPv4Address, IPv6Address)
        lookup = _Lookup(hostName, self._resolve(self.contexts(), receiver, hostName, portNumber, kinds))
        receiver.resolutionBegan(lookup)
        return lookup

    async def _resolve(
        self, contexts: Sequence[FetchContext], receiver: Any, host: str, port: int, kinds: Sequence[type]
    ) -> None:
        for text in await self.book.addresses_of(host, port):
            address = ipaddress.ip_address(text)
            kind = IPv4Address if address.version == 4 else IPv6Address
            if kind in kinds and any(context.guard.allows(address, host, port or 80) for context in contexts):
                receiver.addressResolved(kind("TCP", text, port))
        receiver.resolutionComplete()


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
