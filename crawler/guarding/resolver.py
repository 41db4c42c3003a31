"""Twisted's name resolution behind the guard: only addresses that may be contacted come out of it.

Connections are made to the addresses that come out here, literals included, so a name that changes its answer between
check and use gains nothing. Installed through Scrapy's setting `TWISTED_DNS_RESOLVER`.
"""

import ipaddress
from collections.abc import Sequence
from typing import Any

from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface.declarations import implementer

from crawler.guarding.guard import Guard
from extractors.html.urls import ascii_host

GUARD: dict[str, Guard] = {}  # "current": the guard of this process; set before the crawler starts
REFUSED: dict[str, str] = {}  # `host:port` -> the address that was refused; read where the failure is reported
REFUSED_KEPT = 1000


def use_guard(guard: Guard) -> None:
    """Make `guard` the one of this process. Without one, only public addresses are allowed."""
    GUARD["current"] = guard


def note(host: str, port: int, refused: str | None) -> None:
    """Remember the address that was refused for a host and port, for the message; None: nothing is refused now."""
    place = _place(host, port)
    REFUSED.pop(place, None)
    if refused:
        while len(REFUSED) >= REFUSED_KEPT:
            REFUSED.pop(next(iter(REFUSED)))
        REFUSED[place] = refused


def refused_at(host: str, port: int) -> str | None:
    """The address that was refused when this host and port was looked up last; None if none was."""
    return REFUSED.get(_place(host, port))


def _place(host: str, port: int) -> str:
    return f"{ascii_host(host.strip('[]'))}:{port}"


@implementer(IResolutionReceiver)
class _Filter:
    """Passes on the addresses that the guard allows."""

    def __init__(self, receiver: Any, host: str, port: int):
        self.receiver, self.host, self.port = receiver, host, port
        self.refused: str | None = None
        self.passed = False

    def resolutionBegan(self, resolution: Any) -> None:
        """A lookup begins."""
        self.receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        """An address was found: pass it on, or hold it back."""
        found = ipaddress.ip_address(address.host.split("%")[0])
        if GUARD.get("current", Guard()).allows(found, self.host, self.port or 80):
            self.passed = True
            self.receiver.addressResolved(address)
        else:
            self.refused = str(found)

    def resolutionComplete(self) -> None:
        """The lookup is over; remember what was held back, for the message."""
        note(self.host, self.port or 80, None if self.passed else self.refused)
        self.receiver.resolutionComplete()


@implementer(IHostnameResolver)
class GuardedResolver:
    """The reactor's own resolver with the guard behind it."""

    def __init__(self, reactor: Any):
        self.reactor = reactor
        self.inner = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> "GuardedResolver":
        """Scrapy's way to make one."""
        return cls(reactor)

    def install_on_reactor(self) -> None:
        """Scrapy's way to put it to use."""
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
        """Resolve, and hold back what must not be contacted."""
        return self.inner.resolveHostName(
            _Filter(receiver, hostName, portNumber), hostName, portNumber, addressTypes, transportSemantics
        )
