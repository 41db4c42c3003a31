"""The forms of `REDIS_URL`: a server, or a service that Sentinels monitor; and the clients for each.

    redis://[user:password@]host[:port][/db]            rediss://… with TLS
    unix:///path/redis.sock[?db=1]
    redis+sentinel://[user:password@]host[:port],host[:port]…/service[/db]    rediss+sentinel://… with TLS

Options follow after `?`: the files of TLS (`ssl_ca_certs`, `ssl_certfile`, `ssl_keyfile`), the login at the Sentinels
(`sentinel_username`, `sentinel_password`) and those of redis-py. A cluster uses one Redis; several are refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import redis
from redis.connection import (
    URL_QUERY_ARGUMENT_PARSERS,
    Connection,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)
from redis.sentinel import Sentinel, SentinelConnectionPool, SentinelManagedConnection, SentinelManagedSSLConnection

from ..addresses import HIDDEN, encoded, is_ambiguous, shown
from ..errors import RedisRefused
from ..redaction import remember_address
from ..variables import AMBIGUOUS
from .redis_scripts import ScriptClient

EXAMPLES = "write redis://host:6379/0 or unix:///redis.sock"
ONE_REDIS = (
    "a cluster uses one Redis: name one server, or its Sentinels (redis+sentinel://host,host/service/0), and run "
    "a cluster for each task list (docs/scale.md)"
)
SENTINEL_EXAMPLE = "write redis+sentinel://host:26379,host:26379/service/0"
PORT, SENTINEL_PORT = 6379, 26379
SENTINEL_TIMEOUT = 1.0  # seconds for one Sentinel; then the next one is asked

_PLAIN = ("redis", "rediss", "unix")
_WATCHED = ("redis+sentinel", "rediss+sentinel")
_SENTINEL_OPTIONS = ("sentinel_username", "sentinel_password")
_OPTIONS = frozenset(
    {"username", "password", "client_name", "ssl_ca_path", "ssl_ca_data", "ssl_cert_reqs", "ssl_password"}
    | {"ssl_ca_certs", "ssl_certfile", "ssl_keyfile", *_SENTINEL_OPTIONS, *URL_QUERY_ARGUMENT_PARSERS}
)
_READ_ONLY = "READONLY You can't write"  # within another error if the command is a script's in Redis 6.2


class _Primary:
    """A connection that is made again when its server has become a replica: it then uses the new primary."""

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().read_response(*args, **kwargs)  # type: ignore[misc]
        except redis.ResponseError as error:
            if not isinstance(error, redis.exceptions.ReadOnlyError) and _READ_ONLY not in str(error):
                raise
            self.disconnect()  # type: ignore[attr-defined]
            raise redis.ConnectionError("this server is a replica now") from None


class _PrimaryConnection(_Primary, Connection):
    pass


class _PrimarySSLConnection(_Primary, SSLConnection):
    pass


class _PrimarySocketConnection(_Primary, UnixDomainSocketConnection):
    pass


class _Watched(_Primary):
    """A connection that queries the Sentinels each time it is made; redis-py's own reconnects to its last server."""

    def connect_check_health(self, check_health: bool = True, retry_socket_connect: bool = True) -> None:
        if not self.is_connected:  # type: ignore[attr-defined]
            self.host, self.port = self.connection_pool.get_master_address()  # type: ignore[attr-defined]
        # The command repeats the whole attempt: the Sentinels may then name another server.
        super().connect_check_health(check_health, retry_socket_connect=False)  # type: ignore[misc]


class _WatchedConnection(_Watched, SentinelManagedConnection):
    pass


class _WatchedSSLConnection(_Watched, SentinelManagedSSLConnection):
    pass


_CLASSES: dict[str, Any] = {
    "redis": _PrimaryConnection,
    "rediss": _PrimarySSLConnection,
    "unix": _PrimarySocketConnection,
    "redis+sentinel": _WatchedConnection,
    "rediss+sentinel": _WatchedSSLConnection,
}


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """The server of `REDIS_URL`, or the service that Sentinels monitor."""

    text: str = field(repr=False)  # as given, passwords included
    scheme: str
    hosts: tuple[tuple[str, int], ...]  # host and port of the server or of the Sentinels; none for a socket
    service: str = ""  # the service's name, if Sentinels monitor it
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)  # for redis-py, passwords included

    @property
    def name(self) -> str:
        """The address without login and options, which names the cluster in metrics and in the console."""
        db = self.options.get("db") or 0
        if self.scheme == "unix":
            return f"{self.options['path']}/{db}"
        hosts = ",".join(sorted(f"{host}:{port}" for host, port in self.hosts))
        return f"{hosts}/{self.service}/{db}" if self.service else f"{hosts}/{db}"

    @property
    def shown(self) -> str:
        """The address with `***` in place of its passwords."""
        return without_password(self.text)

    @property
    def authenticates(self) -> bool:
        """Whether clients authenticate, by a password or by a certificate."""
        return bool(self.options.get("password") or self.options.get("ssl_certfile"))

    def client(self, **options: Any) -> "redis.Redis":
        """Return a client that sends nothing yet. `options` are those of `redis.Redis`; the address' own override them.

        It always uses the present primary: if its server became a replica, it connects again.
        """
        given = {name: value for name, value in self.options.items() if name not in _SENTINEL_OPTIONS}
        if not self.service:
            # redis-py parses the address again; only the class is ours
            return ScriptClient.from_url(self.text, connection_class=_CLASSES[self.scheme], **options)
        sentinels = Sentinel(self.hosts, sentinel_kwargs=self._sentinel_options())  # type: ignore[no-untyped-call]
        merged = {**options, **given, "connection_class": _CLASSES[self.scheme]}
        pool = SentinelConnectionPool(self.service, sentinels, **merged)  # type: ignore[no-untyped-call]
        client: redis.Redis = ScriptClient.from_pool(pool)
        return client

    def _sentinel_options(self) -> dict[str, Any]:
        """Return the options of connections to the Sentinels: those of the servers, with the Sentinels' own login."""
        options: dict[str, Any] = {
            "socket_timeout": SENTINEL_TIMEOUT,
            "socket_connect_timeout": SENTINEL_TIMEOUT,
            "retry": None,
        }
        options |= {
            name.removeprefix("sentinel_"): self.options[name] for name in _SENTINEL_OPTIONS if name in self.options
        }
        if self.scheme == "rediss+sentinel":
            options["ssl"] = True
            options |= {name: value for name, value in self.options.items() if name.startswith("ssl_")}
        return options


def address_of(text: str) -> RedisAddress:
    """Return the address that `REDIS_URL` names. Raises `RedisRefused` if it is invalid or names several servers."""
    remember_address(text)
    try:
        if text.count("://") > 1:
            raise ValueError(ONE_REDIS)
        if is_ambiguous(text):
            raise ValueError(AMBIGUOUS)
        address = encoded(text.strip())
        scheme = address.partition("://")[0]
        if scheme not in _CLASSES:
            known = ", ".join(f"{scheme}://" for scheme in _CLASSES)
            raise ValueError(f"an address must begin with one of {known}")
        found = _watched(address, scheme) if scheme in _WATCHED else _plain(address, scheme)
        _check_options(found)
    except ValueError as error:
        example = SENTINEL_EXAMPLE if "+sentinel" in text.partition("://")[0] else EXAMPLES
        raise RedisRefused(f"REDIS_URL {without_password(text)}: {error}; {example}") from None
    return found


def without_password(text: str) -> str:
    """Return the address with `***` in place of each password."""
    return shown(text) if "://" in text else HIDDEN


def _plain(text: str, scheme: str) -> RedisAddress:
    parts = urlsplit(text)
    if "," in parts.netloc.rpartition("@")[2]:
        raise ValueError(ONE_REDIS)
    options = parse_url(text)  # type: ignore[no-untyped-call]
    options.pop("connection_class", None)
    if scheme == "unix":
        if not parts.path:
            raise ValueError("the socket's path is missing")
        return RedisAddress(text, scheme, (), "", options)
    _check_database(parts.path.strip("/"))
    return RedisAddress(text, scheme, ((parts.hostname or "localhost", parts.port or PORT),), "", options)


def _watched(text: str, scheme: str) -> RedisAddress:
    parts = urlsplit(text)
    login, at, hosts = parts.netloc.rpartition("@")
    service, _, db = parts.path.strip("/").partition("/")
    if not service:
        raise ValueError("the name of the service is missing")
    _check_database(db)
    options = parse_url(f"redis://{login}{at}/{db}?{parts.query}")  # type: ignore[no-untyped-call]
    sentinels = tuple(_host(host) for host in hosts.split(","))
    return RedisAddress(text, scheme, sentinels, unquote(service), options)


def _check_database(text: str) -> None:
    if text and not text.isdecimal():
        raise ValueError(f"the database {text!r} is not a number")


def _host(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text.strip()}")
    if not parts.hostname:
        raise ValueError("a Sentinel's host is missing")
    return parts.hostname, parts.port or SENTINEL_PORT


def _check_options(address: RedisAddress) -> None:
    given = parse_qs(urlsplit(address.text).query)
    for name in given:
        if name not in _OPTIONS:
            raise ValueError(f"unknown option {name!r}; known options: {', '.join(sorted(_OPTIONS))}")
        if name.startswith("ssl_") and not address.scheme.startswith("rediss"):
            raise ValueError(f"{name} is for TLS: begin with rediss:// or rediss+sentinel://")
