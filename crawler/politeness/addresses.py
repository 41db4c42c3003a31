"""The address behind a host's name, where hosts on one address share one limiter (`settings: per_address:`)."""

import asyncio
import ipaddress
import time
from typing import Any

from twisted.internet.interfaces import IResolutionReceiver
from zope.interface.declarations import implementer

from crawler.guarding.guard import place_of
from crawler.politeness.pace import host_of

KEPT = 300.0  # seconds that an address is believed


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
    """Names of limiters: the first of a host's addresses. `resolver`: the reactor's, and so behind the guard."""

    def __init__(self, resolver: Any):
        self.resolver = resolver
        self._known: dict[str, tuple[float, str]] = {}

    async def limiter_of(self, url: str) -> str:
        """Return the address that a URL's requests go to; its host if that can't be told."""
        name, port = place_of(url)
        until, known = self._known.get(name, (0.0, ""))
        if time.monotonic() >= until:
            found = await self._look_up(name, port)
            # The same one for everyone, in whatever order the answer has them.
            known = str(min(map(ipaddress.ip_address, found), key=lambda each: (each.version, each))) if found else ""
            self._known[name] = (time.monotonic() + KEPT, known)
        return known or host_of(url)

    async def _look_up(self, name: str, port: int) -> list[str]:
        done: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self.resolver.resolveHostName(_Found(done), name, port)
        return await done
