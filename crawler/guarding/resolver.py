"""Twisted's name resolution with the guard: it returns only addresses that may be contacted.

Connections are made to the addresses that are returned here, literals included, so the guard is also effective for
a name whose address changes between check and use. Installed through Scrapy's setting `TWISTED_DNS_RESOLVER`.
"""

import ipaddress
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface.declarations import implementer

from crawler.fetching.context import FetchContext, context_of_process


@implementer(IResolutionReceiver)
class _Filter:
    """Passes on the addresses that the guard allows."""

    def __init__(self, context: FetchContext, receiver: Any, host: str, port: int):
        self.context, self.receiver, self.host, self.port = context, receiver, host, port
        self.refused: str | None = None
        self.passed = False

    def resolutionBegan(self, resolution: Any) -> None:
        """Record that a lookup begins."""
        self.receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        """Pass on an address that was found, or refuse it."""
        found = ipaddress.ip_address(address.host.split("%")[0])
        if self.context.guard.allows(found, self.host, self.port):
            self.passed = True
            self.receiver.addressResolved(address)
        else:
            self.refused = str(found)

    def resolutionComplete(self) -> None:
        """End the lookup, and record the refused address for the message."""
        self.context.refused.note(self.host, self.port, None if self.passed else self.refused)
        self.receiver.resolutionComplete()


@implementer(IHostnameResolver)
class GuardedResolver:
    """The reactor's own resolver with the guard. `context` returns the crawl's context at each lookup."""

    def __init__(self, reactor: Any, context: Callable[[], FetchContext]):
        self.reactor, self.context = reactor, context
        self.inner = reactor.nameResolver

    @classmethod
    def from_crawler(cls, process: Any, reactor: Any) -> "GuardedResolver":
        """Scrapy's constructor. `process`: the `CrawlerProcess`, whose spider may not exist yet."""
        return cls(reactor, partial(context_of_process, process))

    def install_on_reactor(self) -> None:
        """Install the resolver; called by Scrapy."""
        if not isinstance(self.inner, GuardedResolver):
            self.reactor.installNameResolver(self)

    def resolveHostName(
        self,
        receiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        """Resolve, without the addresses that must not be contacted."""
        receiver = _Filter(self.context(), receiver, hostName, portNumber or 80)
        return self.inner.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)
