"""What the servers of console and metrics share: the error of an unusable address, and access by a token."""

import errno
import hmac
import os
from hashlib import sha256

from workers.errors import ExemplarError

PATH = "/metrics"
TOKEN = "EXEMPLAR_METRICS_TOKEN"  # environment variable: a scraper's token, which only gives access to metrics
LEAST_TOKEN = 12  # characters, for addresses beyond loopback
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


class CannotListen(ExemplarError):
    """The port is in use, or the address is not one of this machine. The options are those that name port and host."""

    def __init__(self, host: str, port: int, error: OSError, port_option: str, host_option: str):
        at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        if error.errno == errno.EADDRINUSE:
            super().__init__(f"{at} is in use by another program; choose another port with {port_option}")
        else:
            why = (error.strerror or str(error)).partition(" (")[0]
            super().__init__(f"{at} is unusable: {why}; choose another address with {host_option}")


def metrics_token() -> str:
    """Return the token that scrapers send; "" if none is set."""
    return os.environ.get(TOKEN, "")


def host_name(host: str) -> str:
    """Return a Host header without its port, lower-case."""
    name = host.lower().strip()
    return name[: name.index("]") + 1] if name.startswith("[") and "]" in name else name.partition(":")[0]


def is_bearer(header: str, token: str) -> bool:
    """Whether an Authorization header contains the token as bearer; "" is no token."""
    kind, _, given = header.partition(" ")
    return bool(token) and kind.lower() == "bearer" and is_same(given.strip(), token)


def is_same(given: str, secret: str) -> bool:
    """Compare two texts of any lengths in constant time."""
    return hmac.compare_digest(*(sha256(text.encode("utf-8", "surrogateescape")).digest() for text in (given, secret)))
