"""The connections of a process: names are resolved with the guard, and a response may cost only so much.

Twisted's resolver is wrapped: it returns only addresses that may be contacted. Connections are made to the addresses
that are returned here, literals included, so the guard is also effective for a name whose address changes between check
and use. Installed through Scrapy's setting `TWISTED_DNS_RESOLVER`, for all crawls of the process: an address that the
guard of none of them allows is not returned.

Scrapy limits only the bytes of bodies; heads and interim responses (1xx) may be as long as a server likes, and all runs
of a process wait while they are read. A connection counts after each request what it receives, encrypted or not, and
ends above a limit.
"""

import ipaddress
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from twisted.internet.interfaces import IHostnameResolver, IHostResolution, IResolutionReceiver
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from zope.interface.declarations import implementer

from crawler.gates.context import FetchContext, contexts_of_process

KEPT = 60.0  # seconds for which the addresses of a name are kept
NAMES_MOST = 10_000  # names that are kept
RESPONSE_MOST = 33 * 2**20  # bytes; more than `DOWNLOAD_MAXSIZE`, so that a long body gets its own reason
READING_MOST = 0.5  # seconds of CPU time; 32 MiB of body take .1
TOO_LARGE = "the page is larger than 32 MiB"
TOO_COSTLY = "its headers take too long to read"

Key = tuple[str, int, Any, str]  # host, port, address types, transport


@implementer(IResolutionReceiver)
class _Filter:
    """Passes on the addresses that the guard allows, and collects all of them in `found`."""

    def __init__(self, contexts: Sequence[FetchContext], receiver: Any, host: str, port: int):
        self.contexts, self.receiver, self.host, self.port = contexts, receiver, host, port
        self.found: list[Any] = []
        self.on_complete: Callable[[list[Any]], None] = lambda found: None

    def resolutionBegan(self, resolution: Any) -> None:
        """Record that a lookup begins."""
        self.receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        """Pass on an address that was found, if it may be contacted."""
        self.found.append(address)
        found = ipaddress.ip_address(address.host.split("%")[0])
        if any(context.guard.allows(found, self.host, self.port) for context in self.contexts):
            self.receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        """End the lookup."""
        self.on_complete(self.found)
        self.receiver.resolutionComplete()


@implementer(IHostResolution)
class _Known:
    """A lookup that has ended before it began: the addresses are known."""

    def __init__(self, name: str):
        self.name = name

    def cancel(self) -> None:
        """Do nothing: the lookup has ended."""


@implementer(IHostnameResolver)
class GuardedResolver:
    """The reactor's own resolver with the guard; addresses are kept for a minute, and checked at each lookup.

    `contexts` returns the contexts of the process at each lookup.
    """

    def __init__(self, reactor: Any, contexts: Callable[[], Sequence[FetchContext]]):
        self.reactor, self.contexts = reactor, contexts
        self.inner = reactor.nameResolver
        self._known: dict[Key, tuple[float, list[Any]]] = {}

    @classmethod
    def from_crawler(cls, process: Any, reactor: Any) -> "GuardedResolver":
        """Scrapy's constructor. `process`: the `AsyncCrawlerProcess`, whose spiders may not exist yet."""
        return cls(reactor, partial(contexts_of_process, process))

    def install_on_reactor(self) -> None:
        """Install the resolver, and the limit on responses; called by Scrapy."""
        if not isinstance(self.inner, GuardedResolver):
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
        receiver = _Filter(self.contexts(), receiver, hostName, portNumber or 80)
        key = (hostName, portNumber, tuple(addressTypes or ()), transportSemantics)
        until, addresses = self._known.get(key, (0.0, []))
        if addresses and time.monotonic() < until:
            known = _Known(hostName)
            receiver.resolutionBegan(known)
            for address in addresses:
                receiver.addressResolved(address)
            receiver.resolutionComplete()
            return known
        receiver.on_complete = partial(self._keep, key)
        return self.inner.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)

    def _keep(self, key: Key, found: list[Any]) -> None:
        if found:
            if len(self._known) >= NAMES_MOST:
                self._known.clear()
            self._known[key] = time.monotonic() + KEPT, found


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
