"""A task's headers, cookies, login and proxy. Secrets are sent only to the example's host.

    home        the example's scheme, host and port; https on its usual port is home too if the example is http
    open        headers that any site may get (`OPEN`), if they contain no variable: sent with every request
    private     all other headers, and the login: only to home, added at every hop, robots.txt included
    cookies     a jar for each run, if the task has `cookies:`; the task's own are sent to home, those that a site sets
                to that site

Variables (`${NAME}`) are expanded here, at the start of a run, and values are kept in memory only.
"""

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from crawler.guarding.guard import SCHEMES, host_and_port
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import Task
from crawler.task_list.validators import expand, is_proxy
from workers.addresses import VARIABLE
from workers.errors import ExemplarError
from workers.redaction import remember
from workers.variables import expand_address

OPEN = frozenset({
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "from", "pragma",
    "referer", "sec-gpc", "upgrade-insecure-requests", "user-agent",
})  # fmt: skip


@dataclass(frozen=True)
class Credentials:
    """A task's headers, cookies and login, variables expanded. `cookies`: None for no jar."""

    home: str
    open: Mapping[str, str] = field(default_factory=dict)
    private: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] | None = field(default=None, repr=False)

    def are_for(self, url: str) -> bool:
        """Whether a URL is home: the example's host and port, with the same scheme or a safer one."""
        here, there = urlsplit(self.home), urlsplit(url)
        if host_and_port(url) == host_and_port(self.home):
            return here.scheme == there.scheme
        usual = all(host_and_port(each)[1] == SCHEMES.get(urlsplit(each).scheme) for each in (self.home, url))
        return here.hostname == there.hostname and usual and (here.scheme, there.scheme) == ("http", "https")


def credentials_of(task: Task, environ: Mapping[str, str] = os.environ) -> Credentials:
    """Expand a task's variables. Raises `TaskError` for a variable that is not set, or whose value cannot be sent."""
    headers = {name: _filled(name, value, environ) for name, value in task.headers.items()}
    is_open = {name: name.lower() in OPEN and "${" not in task.headers[name] for name in headers}
    private = {name: value for name, value in headers.items() if not is_open[name]}
    if task.auth is not None:
        login = f"{expand(task.auth.user, environ)}:{expand(task.auth.password, environ)}"
        coded = base64.b64encode(login.encode()).decode()
        private["Authorization"] = f"Basic {coded}"
        remember(expand(task.auth.password, environ), coded)
    cookies = task.cookies
    if cookies is not None:
        cookies = {name: _filled(f"cookie {name}", value, environ, "\r\n\0;") for name, value in cookies.items()}
    texts = " ".join((*task.headers.values(), *(task.cookies or {}).values()))
    remember(*(expand(match[0], environ) for match in VARIABLE.finditer(texts)))
    return Credentials(task.example, {name: headers[name] for name in headers if is_open[name]}, private, cookies)


def proxy_of(task: Task, environ: Mapping[str, str] = os.environ) -> str:
    """Return the URL of a task's proxy, variables expanded; empty if it has none. Raises `TaskError`."""
    try:
        proxy = expand_address(task.proxy or "", environ)
    except ExemplarError as error:
        raise TaskError(f"proxy: {error}") from None
    if proxy and not is_proxy(proxy):
        raise TaskError("proxy: with its variables expanded it is not http://host:port")
    return proxy


def _filled(name: str, value: str, environ: Mapping[str, str], forbidden: str = "\r\n\0") -> str:
    filled = expand(value, environ)
    if any(character in filled for character in forbidden):
        raise TaskError(f"{name}: with its variables expanded it contains a line break or another forbidden character")
    return filled
