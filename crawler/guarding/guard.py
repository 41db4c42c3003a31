"""The guard, which decides on addresses: http and https, to public addresses and those that the user lists.

A host name proves nothing: the address to which the connection is made is checked, at every hop. The resolver
(`crawler.gates.connections`) checks each address before a connection is made.
"""

import asyncio
import ipaddress
import os
import re
import socket
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

from crawler.task_list.validators import AllowedHost, allowed_host
from workers.errors import ExemplarError

ALLOW_HOSTS = "EXEMPLAR_ALLOW_HOSTS"
SCHEMES = {"http": 80, "https": 443}

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Addresses that are public in Python's tables but never those of web sites: the metadata services of clouds (the second
# is in the registries' own network), the 6to4 relay, the newer network for documentation.
NEVER_PUBLIC: tuple[Network, ...] = tuple(
    ipaddress.ip_network(text) for text in ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "3fff::/20")
)
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # all that IANA assigns; fec0::/10 and others are in no table
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

_NAME = re.compile(r"(?!.{254})(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.IGNORECASE)


class AllowListError(ExemplarError):
    """An entry of the allow list is invalid."""


class Guard:
    """Decides on connections by address. `allow`: hosts, `host:port` or CIDR networks, which may be private."""

    def __init__(self, allow: Iterable[str] = ()):
        self.allow = tuple(allow)
        self._entries = [_entry(text) for text in self.allow if text.strip()]
        self.allows = lru_cache(maxsize=1024)(self._allows)  # several calls for each response

    def _allows(self, address: Address, host: str, port: int) -> bool:
        """Whether a connection to this address, found under this name, may be made."""
        return is_public(address) or self._listed(address, host, port)

    async def addresses_of(self, host: str, port: int) -> tuple[list[str], list[str]]:
        """Look a host up; return the addresses that may be contacted, and those that may not."""
        allowed: list[str] = []
        refused: list[str] = []
        for text in await look_up(host, port):
            (allowed if self.allows(ipaddress.ip_address(text), host, port) else refused).append(text)
        return allowed, refused

    def lists(self, host: str, port: int) -> bool:
        """Whether the user listed this host: it belongs to the user, so no contact is required."""
        try:
            address: Address | None = ipaddress.ip_address(host.strip("[]"))
        except ValueError:
            address = None
        return self._listed(address, host, port)

    def _listed(self, address: Address | None, host: str, port: int) -> bool:
        name = host.strip("[]").rstrip(".").lower()
        for network, known_name, known_port in self._entries:
            if known_port is not None and known_port != port:
                continue
            if network is not None and address is not None:
                plain = unwrapped(address)
                if any(a.version == network.version and a in network for a in (address, plain)):
                    return True
            elif network is None and known_name == name:
                return True
        return False


@lru_cache(maxsize=1024)  # several calls for each request
def refusal(url: str) -> str | None:
    """Return why a URL must not be fetched, by its text; None if that depends on its address."""
    try:
        parts, (host, _) = urlsplit(url), host_and_port(url)
    except ValueError:
        return "invalid URL"
    if parts.scheme not in SCHEMES:
        return f"only http and https are fetched, not {parts.scheme or 'a URL without scheme'}"
    if not host:
        return "the URL has no host"
    if parts.username is not None:
        return "the URL contains a user name; move it to auth"
    if ":" not in host and not _NAME.fullmatch(host):
        return "the URL has an invalid host"
    return None


def guard_from(settings_hosts: Iterable[str], environ: "os._Environ[str] | dict[str, str] | None" = None) -> Guard:
    """Return the guard of `settings.allow_hosts` and of `EXEMPLAR_ALLOW_HOSTS` together. Raises `AllowListError`."""
    named = (os.environ if environ is None else environ).get(ALLOW_HOSTS, "")
    return Guard([*settings_hosts, *named.split(",")])


@lru_cache(maxsize=1024)  # several calls for each request
def host_and_port(url: str) -> tuple[str, int]:
    """Host and port of a URL. Raises `ValueError` for an invalid port."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or SCHEMES.get(parts.scheme, 80)


async def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a host, unchecked; none if it is not found."""
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(answer[4][0]).split("%")[0] for answer in answers]


def is_odd_spelling(host: str) -> bool:
    """Whether a host is a number but not an address in its usual spelling: programs interpret `0177.1` differently."""
    last = host.rstrip(".").rpartition(".")[2]
    if not _NUMBER.fullmatch(last):
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return True
    return False


def is_public(address: Address) -> bool:
    """Whether the address, or the IPv4 address in it, is on the public internet."""
    plain = unwrapped(address)
    if plain is not address:
        return is_public(plain)
    if any(plain.version == network.version and plain in network for network in NEVER_PUBLIC):
        return False
    if plain.version == 6 and plain not in GLOBAL_UNICAST:
        return False
    return plain.is_global and not plain.is_multicast and not plain.is_reserved


def unwrapped(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address contains (mapped, NAT64, 6to4, Teredo), or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if int(address) >> 32 == 0 and int(address) > 1:  # ::a.b.c.d, long deprecated, still routed by some stacks
        return ipaddress.IPv4Address(int(address))
    return address


def _entry(text: str) -> AllowedHost:
    try:
        return allowed_host(text.strip().lower())
    except ValueError:
        raise AllowListError(f"allow_hosts: {text!r} is not a host, host:port or network such as 10.0.0.0/8") from None
