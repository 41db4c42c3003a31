"""The sample site on a server that lists its requests, and whose responses tests change while it runs."""

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from console import sample_site
from evaluation.sample_site import Response, render_site


class LoggedRequest(NamedTuple):
    """One request, as received; `time` is `time.monotonic()`, `path` includes the query."""

    time: float
    method: str
    path: str
    user_agent: str
    status: int


class SiteServer(sample_site.SiteServer):
    """`with SiteServer() as site:` serves the site at `site.url` until the block ends.

    `requests` lists all requests; `robots_txt`, if set, replaces the site's own; `override` changes one path.
    """

    def __init__(self, design: str = "classic", unpublished: int = 0) -> None:
        super().__init__()
        self.requests: list[LoggedRequest] = []
        self.robots_txt: str | None = None
        self._overrides: dict[str, tuple[float, Callable[[LoggedRequest], Response]]] = {}
        self._closing = threading.Event()
        self.relaunch(design, unpublished)

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        super().__exit__(*error)

    def relaunch(self, design: str = "classic", unpublished: int = 0) -> None:
        """Serve the site in another design, or with more articles: the newest `unpublished` ones are left out."""
        self._pages = render_site(self.url, design, unpublished)

    def override(
        self,
        path: str,
        answer: Callable[[LoggedRequest], Response] | None = None,
        *,
        delay: float = 0.0,
        **changes: Any,
    ) -> None:
        """Change the responses at `path` (with its query). `delay`: seconds before the first byte.

        `changes`: fields of `Response` in place of those of the page.
        """
        self._overrides[path] = delay, answer or (lambda request: self._page(path)._replace(**changes))

    def restore(self, path: str) -> None:
        """Undo `override`."""
        del self._overrides[path]

    def answer(self, method: str, path: str, user_agent: str) -> Response:
        """Log one request and return its response."""
        arrived = LoggedRequest(time.monotonic(), method, path, user_agent, 0)
        delay, answer = self._overrides.get(path, (0.0, lambda request: self._page(path)))
        if delay:
            self._closing.wait(delay)
        response: Response = answer(arrived)
        self.requests.append(arrived._replace(status=response.status))
        return response

    def _page(self, path: str) -> Response:
        if path == "/robots.txt" and self.robots_txt is not None:
            return Response(200, {"Content-Type": "text/plain"}, self.robots_txt.encode())
        return super().answer("GET", path, "")
