"""The IP addresses of hosts, if hosts on one address share one pace (`settings: per_address:`)."""

import ipaddress
import time
from collections.abc import Awaitable, Callable

from crawler.guarding.guard import host_and_port, look_up
from crawler.politeness.pace import host_of

KEPT = 300.0  # seconds


class AddressBook:
    """The first address of each host. `look_up`: as `guard.look_up`; `clock`: seconds from any origin."""

    def __init__(
        self,
        look_up: Callable[[str, int], Awaitable[list[str]]] = look_up,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.look_up, self.clock = look_up, clock
        self._known: dict[str, tuple[float, str]] = {}

    async def limiter_of(self, url: str) -> str:
        """Return the address to which a URL's requests are sent; its host if that is unknown."""
        name, port = host_and_port(url)
        until, known = self._known.get(name, (0.0, ""))
        if self.clock() >= until:
            addresses = map(ipaddress.ip_address, await self.look_up(name, port))
            # The smallest, which is the same in all processes, in any order of the results.
            ordered = sorted(addresses, key=lambda address: (address.version, address))
            known = str(ordered[0]) if ordered else ""
            self._known[name] = (self.clock() + KEPT, known)
        return known or host_of(url)
