"""The address behind a host's name, where hosts on one address share one pace (`settings: per_address:`)."""

import asyncio
import ipaddress
import time
from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IResolutionReceiver
from zope.interface.declarations import implementer

from crawler.guarding.guard import host_and_port
from crawler.politeness.pace import host_of

KEPT = 300.0  # seconds


@implementer(IResolutionReceiver)
class _Found:
    """Collects the addresses of a name."""

    def __init__(self, done: "asyncio.Future[list[str]]"):
        self.done, self.addresses = done, list[str]()

    def resolutionBegan(self, resolution: Any) -> None:
        """A lookup begins."""

    def addressResolved(self, address: Any) -> None:
        """An address was found."""
        self.addresses.append(address.host.split("%")[0])

    def resolutionComplete(self) -> None:
        """The lookup is over."""
        if not self.done.done():
            self.done.set_result(self.addresses)


class AddressBook:
    """The first of each host's addresses. `clock`: seconds, any beginning.

    `resolver`: gives the reactor's, at each lookup: the guarded one is installed after the spider is made.
    """

    def __init__(self, resolver: Callable[[], Any], clock: Callable[[], float] = time.monotonic):
        self.resolver, self.clock = resolver, clock
        self._known: dict[str, tuple[float, str]] = {}

    async def limiter_of(self, url: str) -> str:
        """Return the address to which a URL's requests are sent; its host if that is unknown."""
        name, port = host_and_port(url)
        until, known = self._known.get(name, (0.0, ""))
        if self.clock() >= until:
            addresses = await self._look_up(name, port)
            # The same one for all processes, in whatever order they are found.
            ordered = sorted(map(ipaddress.ip_address, addresses), key=lambda address: (address.version, address))
            known = str(ordered[0]) if ordered else ""
            self._known[name] = (self.clock() + KEPT, known)
        return known or host_of(url)

    async def _look_up(self, name: str, port: int) -> list[str]:
        done: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self.resolver().resolveHostName(_Found(done), name, port)
        return await done
