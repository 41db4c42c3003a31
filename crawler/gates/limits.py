"""Limits of one response: bytes, decompressed bytes, seconds, redirects. Each raises an error with its own reason.

Scrapy has most of the limits (`DOWNLOAD_MAXSIZE`, `DOWNLOAD_TIMEOUT` for the whole response, `REDIRECT_MAX_TIMES`);
here are those that it lacks, and reasons that fit into the ledger.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, Spider
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response

from crawler.gates.errors import FetchError, RequestRefused
from crawler.gates.pace_gate import in_time
from crawler.run.outcomes import MOVED

RATIO_MOST = 100  # times that a response may grow when it is decompressed; pages grow 3 to 30 times
RATIO_FROM = 2**20  # bytes; a smaller decompressed response is never refused
REFRESH_LOOK = 4096 * 4  # bytes; Scrapy reads 4,096 characters, of at most four bytes each
LAYERS_MOST = 3  # layers of compression; one is usual


Follow = Callable[[Request, Response], Request | Response]


class LimitedHandler(HTTP11DownloadHandler):
    """Scrapy's handler for http and https; the last check of the permit is here."""

    async def download_request(self, request: Request) -> Response:
        """Download. Raises `FetchError` for a slow body."""
        request.meta.pop("download_latency", None)  # that of the response that redirected here
        await in_time(request)
        try:
            return await super().download_request(request)
        except DownloadTimeoutError as error:
            if "download_latency" in request.meta:
                raise FetchError("the response took too long") from error
            raise


class Decompression(HttpCompressionMiddleware):
    """Decompresses responses, within `RATIO_MOST`."""

    most: int  # bytes

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Decompression":
        """Scrapy's constructor."""
        created = super().from_crawler(crawler)
        created.most = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        return created

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Decompress.

        Raises `RequestRefused` for a bomb, `FetchError` for a body in another content encoding.
        """
        encodings = response.headers.getlist("Content-Encoding")
        if not encodings:
            return response
        packed = len(response.body)
        layers = b",".join(encodings).count(b",") + 1
        if layers > LAYERS_MOST:
            raise RequestRefused(f"{layers} layers of compression")
        usual = request.meta.get("download_maxsize", self.most)
        most = min(usual, max(RATIO_FROM, RATIO_MOST * packed))
        outer = dict(request.meta)
        request.meta["download_maxsize"] = most
        try:
            return super().process_response(request, response)
        except IgnoreRequest:
            if most < usual:
                raise RequestRefused(f"over {RATIO_MOST} times its compressed size") from None
            raise RequestRefused(f"decompresses to more than {usual // 2**20} MiB") from None
        except Exception as error:
            raise FetchError("the response cannot be decompressed") from error
        finally:
            request.meta.clear()
            request.meta.update(outer)


class Redirects(RedirectMiddleware):
    """Follows redirects; if one cannot be followed, the error gives the reason."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Follow a redirect. Raises `RequestRefused` if it cannot be followed."""
        if response.status not in MOVED:
            return response
        return _followed(super().process_response, request, response, self.max_redirect_times)


class MetaRefresh(MetaRefreshMiddleware):
    """Follows the redirects in pages (`meta` with `refresh`).

    Scrapy's own middleware decodes every page to find one, which takes a sixth of the CPU time of a page; here a page
    is decoded only if its first bytes contain the word.
    """

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Follow a redirect. Raises `RequestRefused` if it cannot be followed."""
        head = response.body[:REFRESH_LOOK]
        if b"refresh" not in head.lower() and b"\0" not in head:  # UTF-16 writes the word in other bytes
            return response
        return _followed(super().process_response, request, response, self.max_redirect_times)


def _followed(follow: Follow, request: Request, response: Response, most: int) -> Request | Response:
    try:
        return follow(request, response)
    except IgnoreRequest:
        visited = [*request.meta.get("redirect_urls", ()), request.url]
        target = urljoin(request.url, (response.headers.get("Location") or b"").decode("latin-1"))
        if target in visited or len(set(visited)) < len(visited):
            if "Set-Cookie" in response.headers:
                raise RequestRefused("redirects in a loop; set the key cookies") from None
            raise RequestRefused("redirects in a loop") from None
        raise RequestRefused(f"more than {most} redirects") from None
    except ValueError:
        raise RequestRefused("redirects to an invalid URL") from None
