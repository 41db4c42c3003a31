"""Access to the metrics: for programs of this machine, or with a token."""

import hmac
import os
from hashlib import sha256

PATH = "/metrics"
TOKEN = "EXEMPLAR_METRICS_TOKEN"  # environment variable: a scraper's token, which only gives access to metrics
LEAST_TOKEN = 12  # characters, for addresses beyond loopback
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


def metrics_token() -> str:
    """Return the token that scrapers send; "" if none is set."""
    return os.environ.get(TOKEN, "")


def is_bearer(header: str, token: str) -> bool:
    """Whether an Authorization header contains the token as bearer; the comparison takes constant time."""
    kind, _, given = header.partition(" ")
    digests = (sha256(text.encode("utf-8", "surrogateescape")).digest() for text in (given.strip(), token))
    return bool(token) and kind.lower() == "bearer" and hmac.compare_digest(*digests)
