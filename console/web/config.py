"""The configuration of the console's server."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PASSWORD = "EXEMPLAR_CONSOLE_PASSWORD"
TOKEN = "EXEMPLAR_CONSOLE_TOKEN"
SECRETS = (PASSWORD, TOKEN, "EXEMPLAR_METRICS_TOKEN")  # the last one of a scraper: it only gives access to metrics
LEAST_TOKEN = 12  # characters, for addresses beyond loopback
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::")


class ConsoleRefused(ValueError):
    """The console cannot be served with this configuration; the text has the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class ConsoleConfig:
    """The configuration. `names`: further host names of the console. `password` and `token`: empty if there is none.

    `metrics_token`: gives access to `/metrics` only.
    """

    tasks: Path
    host: str = "127.0.0.1"
    port: int = 8300
    names: tuple[str, ...] = ()
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    metrics_token: str = field(default="", repr=False)

    @property
    def needs_login(self) -> bool:
        """Whether a password or a token is set."""
        return bool(self.password or self.token)

    @property
    def hosts(self) -> frozenset[str]:
        """Return the names that a request's Host header may have, without port."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        local = LOCAL_NAMES if is_loopback(self.host) or self.host in ANY_ADDRESS else ()
        return frozenset(name.lower() for name in (own, *local, *self.names))

    @property
    def address(self) -> str:
        """Return an address at which a browser reaches the console."""
        host = "127.0.0.1" if self.host in ANY_ADDRESS else self.host
        return f"http://{self.names[0] if self.names else f'[{host}]' if ':' in host else host}:{self.port}/"

    def check(self) -> None:
        """Raise `ConsoleRefused` for an address beyond loopback without a password or token, or with a short one."""
        if is_loopback(self.host):
            return
        if not self.needs_login:
            raise ConsoleRefused(
                f"{self.host} is not a loopback address: set {PASSWORD} (for people) or {TOKEN} (for programs), "
                "or use --host 127.0.0.1"
            )
        for name, secret in zip(SECRETS, (self.password, self.token, self.metrics_token), strict=True):
            if secret and len(secret) < LEAST_TOKEN:
                raise ConsoleRefused(f"{name} has fewer than {LEAST_TOKEN} characters")


def config_from(
    environment: Mapping[str, str], tasks: Path, host: str, port: int, names: tuple[str, ...] = ()
) -> ConsoleConfig:
    """Return the config with password and token from the environment. Raises `ConsoleRefused`."""
    config = ConsoleConfig(tasks, host, port, names, *(environment.get(name, "") for name in SECRETS))
    config.check()
    return config


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
