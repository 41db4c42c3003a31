"""The connection to Redis: survives a restart, reports what is wrong, refuses public servers without password."""

import ipaddress
import os
import re
import socket
from urllib.parse import parse_qs, urlsplit

import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from .epoch import ConnectHook
from .errors import RedisRefused, RedisUnavailable

TIMEOUT = 10.0  # seconds for one answer; a Redis that loads its file answers late
RETRIES = 6  # with the back-off below about 6 s: an embedded Redis is back after 0.1 s, a managed one fails over in 5 s
OLDEST = (6, 2)  # BLMOVE, the reliable pop

# Anyone who can write to this Redis decides what is crawled and where files are written.
OPEN_REDIS_ALLOWED = "EXEMPLAR_ALLOW_OPEN_REDIS"
# By pattern, since an invalid address can't be parsed, and is shown all the same.
_SECRET_IN_FRONT = re.compile(r"(//[^/?#:]*:).*@")
_SECRET_IN_QUERY = re.compile(r"([?&]password=)[^&#]*")


def client(url: str) -> "redis.Redis":
    """Return a client, without any request to the server. Commands are repeated for some seconds while it restarts.

    Each of its connections compares the server with that of the present epoch (`workers.epoch`).
    """
    return redis.Redis.from_url(
        url,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=3.0,
        health_check_interval=30,
        retry=Retry(ExponentialBackoff(cap=2.0, base=0.1), RETRIES),
        retry_on_error=[redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError],
        redis_connect_func=ConnectHook(),
    )


def connect(url: str) -> "redis.Redis":
    """Return a client whose server has answered and can be used.

    Raises `RedisRefused` if the address is invalid or unsafe, `RedisUnavailable` if no usable server answers there.
    """
    shown = without_password(url)
    try:
        _refuse_open_server(url)
        once = redis.Redis.from_url(url, socket_timeout=TIMEOUT, socket_connect_timeout=3.0, retry=None)
        info = once.info("server")
        policy = once.info("memory").get("maxmemory_policy", "noeviction")
        once.close()
    except ValueError as error:
        raise RedisRefused(f"REDIS_URL {shown}: {error}; write redis://host:6379/0 or unix:///redis.sock") from None
    except redis.AuthenticationError as error:
        raise RedisRefused(f"Redis at {shown} refuses the login: {error}; put the password into REDIS_URL") from None
    except (redis.RedisError, OSError) as error:
        raise RedisUnavailable(
            f"Redis at {shown} does not answer ({reason(error)}); start it, or unset REDIS_URL to use the embedded one"
        ) from None
    version = tuple(int(part) for part in str(info["redis_version"]).split(".")[:2])
    if version < OLDEST:
        raise RedisUnavailable(f"Redis at {shown} is {info['redis_version']}; 6.2 or newer is needed")
    if policy != "noeviction":
        raise RedisRefused(
            f"Redis at {shown} may evict pages (maxmemory-policy {policy}); set maxmemory-policy noeviction"
        )
    return client(url)


def reason(error: BaseException) -> str:
    """Return the first line of an error's text, or the name of its type."""
    text = str(error) or type(error).__name__
    return text.split("\n")[0].rstrip(".")


def without_password(url: str) -> str:
    """Return the address with `***` in place of its password."""
    url = _SECRET_IN_QUERY.sub(r"\1***", url)
    return _SECRET_IN_FRONT.sub(r"\1***@", url)


def _refuse_open_server(url: str) -> None:
    parts = urlsplit(url)
    has_password = parts.password or "password" in parse_qs(parts.query)
    if parts.scheme == "unix" or has_password or os.environ.get(OPEN_REDIS_ALLOWED):
        return
    for address in _addresses(parts.hostname or "localhost"):
        if address.is_global:
            raise RedisRefused(
                f"Redis at {without_password(url)} has a public address ({address}) and no password: anyone could "
                f"write to it. Set one (redis://:password@host), or set {OPEN_REDIS_ALLOWED}=1 if a firewall "
                "protects the server"
            )


def _addresses(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    try:
        results = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [ipaddress.ip_address(str(result[4][0]).split("%")[0]) for result in results]
