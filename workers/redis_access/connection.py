"""The connection to Redis: survives a restart, reports errors in words, refuses public servers without a password."""

import ipaddress
import os
import re
import socket
import ssl
from typing import Any

import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from ..errors import RedisRefused, RedisUnavailable
from ..redaction import concealed
from .epoch import ConnectHook
from .redis_address import RedisAddress, address_of, without_password

TIMEOUT = 10.0  # seconds for one reply; a Redis that is loading its file replies late
RETRIES = 6  # with the back-off below about 6 s: an embedded Redis is back after 0.1 s, a managed one fails over in 5 s
RETRIES_WATCHED = 15  # about 23 s: Sentinels first wait 5 s or more before they declare a server down
OLDEST = (6, 2)  # BLMOVE, the reliable pop

# Anyone who can write to this Redis decides what is crawled and where files are written.
OPEN_REDIS_ALLOWED = "EXEMPLAR_ALLOW_OPEN_REDIS"

RIGHTS = "give the user the rules that docs/operations.md lists"
_WITHOUT_PASSWORD = ("HELLO must be called", "Authentication required")  # the server's replies if no password was sent

__all__ = ["client", "connect", "reason", "without_password"]


def client(url: str, *, retries: int = RETRIES, timeout: float = TIMEOUT) -> "redis.Redis":
    """Return a client, without any request to the server. Commands are repeated for some seconds while it restarts.

    `retries`: repetitions of a command that fails, with back-off, by default more where Sentinels watch the server;
    `timeout`: seconds for one answer. Each of its connections compares the server with that of the present epoch
    (`workers.redis_access.epoch`).
    """
    address = address_of(url)
    if address.service and retries == RETRIES:
        retries = RETRIES_WATCHED
    return address.client(
        socket_timeout=timeout,
        socket_connect_timeout=3.0,
        health_check_interval=30,
        retry=Retry(ExponentialBackoff(cap=2.0, base=0.1), retries),
        retry_on_error=[redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError],
        redis_connect_func=ConnectHook(),
    )


def connect(url: str) -> "redis.Redis":
    """Return a client whose server has answered and can be used.

    Raises `RedisRefused` if the address is invalid or unsafe, `RedisUnavailable` if no usable server answers there.
    """
    address = address_of(url)
    shown = address.shown
    _refuse_open_server(address)
    try:
        info, role, policy = Retry(ExponentialBackoff(cap=2.0, base=0.1), RETRIES_WATCHED).call_with_retry(
            lambda: _examine(address), lambda error: None, is_retryable=_was_cut
        )
    except (redis.AuthenticationError, redis.exceptions.AuthorizationError) as error:
        if any(text in str(error) for text in _WITHOUT_PASSWORD):
            raise RedisRefused(
                f"Redis at {shown} requires a password; put it into REDIS_URL: redis://:password@host:6379/0"
            ) from None
        raise RedisRefused(
            f"Redis at {shown} refuses the login: {reason(error)}; put the password into REDIS_URL"
        ) from None
    except redis.exceptions.NoPermissionError as error:
        raise RedisRefused(f"Redis at {shown}: {reason(error)}") from None
    except (redis.RedisError, OSError) as error:
        raise RedisUnavailable(
            f"Redis at {shown} does not answer ({reason(error)}); {_advice(address, error)}"
        ) from None
    version = tuple(int(part) for part in str(info["redis_version"]).split(".")[:2])
    if version < OLDEST:
        raise RedisUnavailable(f"Redis at {shown} is {info['redis_version']}; 6.2 or newer is required")
    if role != "master" and address.service:
        raise RedisUnavailable(f"Redis at {shown} has no primary at present; its Sentinels promote a replica soon")
    if role != "master":
        raise RedisRefused(f"Redis at {shown} is a replica; name its primary, or its Sentinels (redis+sentinel://…)")
    if policy != "noeviction":
        raise RedisRefused(
            f"Redis at {shown} may evict pages (maxmemory-policy {policy}); set maxmemory-policy noeviction"
        )
    return client(url)


def reason(error: BaseException) -> str:
    """Return the first line of an error's text, or the name of its type; for a missing right also the remedy."""
    text = concealed(str(error) or type(error).__name__).split("\n")[0].rstrip(".")
    return f"{text}; {RIGHTS}" if isinstance(error, redis.exceptions.NoPermissionError) else text


def _advice(address: RedisAddress, error: BaseException) -> str:
    if "certificate verify failed" in str(error):
        return "name the file of its authority (ssl_ca_certs=…)"
    if address.scheme.startswith("rediss") and "ssl_certfile" not in address.options and "refused" not in str(error):
        return "if it asks for a client's certificate, name its files (ssl_certfile=…&ssl_keyfile=…); else start it"
    return "start it, or unset REDIS_URL to use the embedded one"


def _examine(address: RedisAddress) -> tuple[dict[str, Any], str, str]:
    """Return what a server says of itself, its role and its policy."""
    with address.client(socket_timeout=TIMEOUT, socket_connect_timeout=3.0, retry=None) as once:
        memory = once.info("memory")
        return once.info("server"), once.info("replication")["role"], memory.get("maxmemory_policy", "noeviction")


def _was_cut(error: Exception) -> bool:
    """Whether a server was there and the connection to it ended; a wrong address fails at once in another way."""
    is_cut = isinstance(error.__context__, (ConnectionResetError, BrokenPipeError, ssl.SSLEOFError))
    return is_cut or re.search("closed by server", str(error)) is not None


def _refuse_open_server(address: RedisAddress) -> None:
    if address.authenticates or os.environ.get(OPEN_REDIS_ALLOWED):
        return
    for host, _ in address.hosts:
        for number in _numbers(host):
            if number.is_global:
                raise RedisRefused(
                    f"Redis at {address.shown} has a public address ({number}) and no password: anyone could "
                    f"write to it. Set one (redis://:password@host), or set {OPEN_REDIS_ALLOWED}=1 if a firewall "
                    "protects the server"
                )


def _numbers(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    try:
        results = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [ipaddress.ip_address(str(result[4][0]).split("%")[0]) for result in results]


def persistence_problem(connection: "redis.Redis") -> str | None:
    """Return which data a restart of the server would lose, and the remedy; None if it keeps its data or has a replica.

    It does not check whether snapshots are made: that needs `CONFIG GET`, which also returns the server's passwords.
    """
    if connection.info("persistence").get("aof_enabled") or connection.info("replication").get("connected_slaves"):
        return None
    return (
        "Redis has no append-only file: a restart of it loses what it wrote since its last snapshot, "
        "or all of its data if it makes none; set `appendonly yes`"
    )
