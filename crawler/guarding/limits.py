"""What one answer may cost: bytes, unpacked bytes, seconds, redirects. Each limit ends in an error with its own words.

Scrapy has most of the limits (`DOWNLOAD_MAXSIZE`, `DOWNLOAD_TIMEOUT` for the whole answer, `REDIRECT_MAX_TIMES`); here
are those that it lacks, and words that fit into the ledger.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, Spider
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from twisted.web._newclient import HEADER, STATUS

from crawler.fetching.middlewares import PaceMiddleware

HEAD_MOST = 256 * 1024  # bytes of an answer's head, interim answers (1xx) included; browsers take 256 KiB as well
RATIO_MOST = 100  # times that an answer may grow when it is unpacked; pages grow 3 to 30 times
RATIO_FROM = 2**20  # bytes; what unpacks to less is no danger
REFRESH_LOOK = 4096 * 4  # bytes: Scrapy looks at 4,096 characters, of at most four bytes each
LAYERS_MOST = 3  # of packing; one is usual


Follow = Callable[[Request, Response], Request | Response]


class HeadTooLarge(Exception):
    """The answer's head is larger than `HEAD_MOST`."""


class BrokenPacking(Exception):
    """The answer says that it is packed, and can't be unpacked."""


class NotWholeInTime(DownloadTimeoutError):
    """The answer began, and did not end in time."""


class _HeadCountingParser(_LenientHTTPClientParser):
    """Counts the bytes of an answer's head."""

    MAX_LENGTH = HEAD_MOST  # of one line
    _head = 0

    def dataReceived(self, data: bytes) -> None:
        if self.state not in (STATUS, HEADER):
            super().dataReceived(data)  # type: ignore[no-untyped-call]
            return
        self._head += len(data)
        super().dataReceived(data)  # type: ignore[no-untyped-call]
        if self._head > HEAD_MOST and self.state in (STATUS, HEADER):
            raise HeadTooLarge

    def lineLengthExceeded(self, line: bytes) -> None:
        raise HeadTooLarge


class _Protocol(_LenientHTTP11ClientProtocol):
    """Reads answers with `_HeadCountingParser`, put in place as Scrapy puts in its own."""

    def request(self, request: Any) -> Any:
        answer = super().request(request)
        if self._parser is not None:
            self._parser.__class__ = _HeadCountingParser
        return answer


class _Factory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: Any) -> _Protocol:
        return _Protocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class LimitedHandler(HTTP11DownloadHandler):
    """Scrapy's handler for http and https, with a limit on the head and words for what it cut off."""

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        self._pace = PaceMiddleware.of(crawler)
        self._pool._factory = _Factory

    async def download_request(self, request: Request) -> Response:
        """Download. Raises `IgnoreRequest` for what is too large, `NotWholeInTime` for what drips."""
        request.meta.pop("download_latency", None)  # of the answer that led here
        if self._pace is not None:
            await self._pace.in_time(request)
        try:
            return await super().download_request(request)
        except DownloadTimeoutError as error:
            if "download_latency" in request.meta:
                raise NotWholeInTime(str(error)) from error
            raise
        except Exception as error:
            if _is_of_head(error):
                raise IgnoreRequest(f"its head is larger than {HEAD_MOST // 1024} KiB") from error
            raise


class Unpacking(HttpCompressionMiddleware):
    """Unpacks answers, as far as they don't grow out of proportion."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Unpack. Raises `IgnoreRequest` for a bomb, `BrokenPacking` for what is none of what it says."""
        packed = len(response.body)
        layers = b",".join(response.headers.getlist("Content-Encoding")).count(b",") + 1
        if layers > LAYERS_MOST:
            raise IgnoreRequest(f"{layers} layers of compression")
        usual = request.meta.get("download_maxsize", self._max_size)
        most = min(usual, max(RATIO_FROM, RATIO_MOST * packed))
        outer = dict(request.meta)
        request.meta["download_maxsize"] = most
        try:
            return super().process_response(request, response)
        except IgnoreRequest:
            if most < usual:
                raise IgnoreRequest(f"over {RATIO_MOST} times its compressed size") from None
            raise IgnoreRequest(f"decompresses to more than {usual // 2**20} MiB") from None
        except Exception as error:
            raise BrokenPacking(type(error).__name__) from error
        finally:
            request.meta.clear()
            request.meta.update(outer)


class Redirects(RedirectMiddleware):
    """Follows redirects, and says why it stopped."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Follow. Raises `IgnoreRequest` where that ends."""
        return _followed(super().process_response, request, response, self.max_redirect_times)


class MetaRefresh(MetaRefreshMiddleware):
    """Follows the redirects in pages, and says why it stopped.

    Scrapy's own decodes every page to look for one, a sixth of what a page costs; here those are decoded whose first
    bytes have the word.
    """

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Follow. Raises `IgnoreRequest` where that ends."""
        head = response.body[:REFRESH_LOOK]
        if b"refresh" not in head.lower() and b"\0" not in head:  # UTF-16 writes the word in other bytes
            return response
        return _followed(super().process_response, request, response, self.max_redirect_times)


def _followed(follow: Follow, request: Request, response: Response, most: int) -> Request | Response:
    try:
        return follow(request, response)
    except IgnoreRequest:
        been = [*request.meta.get("redirect_urls", ()), request.url]
        to = urljoin(request.url, (response.headers.get("Location") or b"").decode("latin-1"))
        if to in been or len(set(been)) < len(been):
            raise IgnoreRequest("redirects in a circle") from None
        raise IgnoreRequest(f"more than {most} redirects") from None
    except ValueError:
        raise IgnoreRequest("redirects to an invalid URL") from None


def _is_of_head(error: BaseException) -> bool:
    """Whether a failure comes from `HeadTooLarge`; Twisted hands it on inside others."""
    reasons = [reason.value for reason in getattr(error.__cause__ or error, "reasons", ())]
    return any(isinstance(reason, HeadTooLarge) for reason in reasons)
