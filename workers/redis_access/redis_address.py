"""The forms of `REDIS_URL`, and the clients for each.

    redis://[user:password@]host[:port][/db]            rediss://… with TLS
    unix:///path/redis.sock[?db=1]

Options follow after `?`: the files of TLS (`ssl_ca_certs`, `ssl_certfile`, `ssl_keyfile`) and those of redis-py. A
cluster uses one Redis; several are refused. Servers that fail over have one name, which leads to the primary.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import redis
from redis.connection import (
    URL_QUERY_ARGUMENT_PARSERS,
    Connection,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)

from ..addresses import HIDDEN, encoded, is_ambiguous, shown
from ..errors import RedisRefused
from ..redaction import remember_address
from ..variables import AMBIGUOUS
from .redis_scripts import ScriptClient

EXAMPLES = "write redis://host:6379/0 or unix:///redis.sock"
ONE_REDIS = (
    "a cluster uses one Redis: name one server, or the name behind which servers fail over, and run a cluster for each "
    "task list (docs/scale.md)"
)
PORT = 6379

_OPTIONS = frozenset(
    {"username", "password", "client_name", "ssl_ca_path", "ssl_ca_data", "ssl_cert_reqs", "ssl_password"}
    | {"ssl_ca_certs", "ssl_certfile", "ssl_keyfile", *URL_QUERY_ARGUMENT_PARSERS}
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


_CLASSES: dict[str, Any] = {
    "redis": _PrimaryConnection,
    "rediss": _PrimarySSLConnection,
    "unix": _PrimarySocketConnection,
}


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """The server of `REDIS_URL`."""

    text: str = field(repr=False)  # as given, passwords included
    scheme: str
    host: str = ""  # empty for a socket
    port: int = PORT
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)  # for redis-py, passwords included

    @property
    def name(self) -> str:
        """The address without login and options, which names the cluster in metrics and in the console."""
        db = self.options.get("db") or 0
        if self.scheme == "unix":
            return f"{self.options['path']}/{db}"
        return f"{self.host}:{self.port}/{db}"

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
        # redis-py parses the address again; only the class is ours
        return ScriptClient.from_url(self.text, connection_class=_CLASSES[self.scheme], **options)


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
        found = _parsed(address, scheme)
        _check_options(found)
    except ValueError as error:
        raise RedisRefused(f"REDIS_URL {without_password(text)}: {error}; {EXAMPLES}") from None
    return found


def without_password(text: str) -> str:
    """Return the address with `***` in place of each password."""
    return shown(text) if "://" in text else HIDDEN


def _parsed(text: str, scheme: str) -> RedisAddress:
    parts = urlsplit(text)
    if "," in parts.netloc.rpartition("@")[2]:
        raise ValueError(ONE_REDIS)
    options = parse_url(text)  # type: ignore[no-untyped-call]
    options.pop("connection_class", None)
    if scheme == "unix":
        if not parts.path:
            raise ValueError("the socket's path is missing")
        return RedisAddress(text, scheme, options=options)
    if parts.path.strip("/") and not parts.path.strip("/").isdecimal():
        raise ValueError(f"the database {parts.path.strip('/')!r} is not a number")
    return RedisAddress(text, scheme, parts.hostname or "localhost", parts.port or PORT, options)


def _check_options(address: RedisAddress) -> None:
    given = parse_qs(urlsplit(address.text).query)
    for name in given:
        if name not in _OPTIONS:
            raise ValueError(f"unknown option {name!r}; known options: {', '.join(sorted(_OPTIONS))}")
        if name.startswith("ssl_") and address.scheme != "rediss":
            raise ValueError(f"{name} is for TLS: begin with rediss://")
