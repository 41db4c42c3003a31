"""The way of a request through the gates to the network, and of its response back.

    request ─▶ gates, the outermost first ─▶ handler ─▶ gates, the innermost first ─▶ response

Scrapy creates gates and handlers from its settings. Its engine and its downloader would also queue each request and
send signals about it. That takes a tenth of the CPU time for a page, and a spider that limits its requests itself needs
neither.
"""

import asyncio
import logging
from collections.abc import Callable
from inspect import isawaitable
from typing import Any, cast

from scrapy import Request
from scrapy.core.downloader import Downloader
from scrapy.http import Response

Gates = tuple[Callable[..., Any], ...]  # methods of the gates

log_of_scrapy = logging.getLogger("scrapy.core.engine")  # shown by `scrapy crawl`, not by this program's commands


class GatedDownloads:
    """Sends requests through the gates and handlers of Scrapy's `downloader`, without its queue.

    As in Scrapy's own chain a gate may return a request or a response, which is then used instead; what it returns may
    be awaitable.
    """

    def __init__(self, downloader: Downloader):
        self._on_request = _methods(downloader, "process_request")
        self._on_response = _methods(downloader, "process_response")
        self._on_error = _methods(downloader, "process_exception")
        self._download = downloader.handlers.download_request_async

    async def response_to(self, request: Request) -> Response:
        """Return the response to a request and to its redirects. Raises the error of a gate or of the handler."""
        result: Request | Response = request
        while isinstance(result, Request):
            request = result
            result = await self._result_of(request)
        if result.request is None:
            result.request = request
        log_of_scrapy.debug("Crawled (%d) %s", result.status, request)
        return result

    async def _result_of(self, request: Request) -> Request | Response:
        try:
            result = await self._send(request)
        except Exception as error:
            await asyncio.sleep(0)  # requests that are refused without a download must not block everything else
            result = await self._after_error(request, error)
        return result if isinstance(result, Request) else await self._pass_back(request, result)

    async def _send(self, request: Request) -> Request | Response:
        result = await _first_result(self._on_request, request=request)
        return await self._download(request) if result is None else result

    async def _after_error(self, request: Request, error: Exception) -> Request | Response:
        result = await _first_result(self._on_error, request=request, exception=error)
        if result is None:
            raise error
        return result

    async def _pass_back(self, request: Request, response: Response) -> Request | Response:
        for gate in self._on_response:
            result = gate(request=request, response=response)
            if result is response:
                continue
            result = await _value_of(result)
            if isinstance(result, Request):
                return result
            response = result
        return response


def _methods(downloader: Downloader, name: str) -> Gates:
    return tuple(method for method in downloader.middleware.methods[name] if method is not None)


async def _first_result(gates: Gates, **arguments: Any) -> Request | Response | None:
    """Call gates in their order until one returns something."""
    for gate in gates:
        result = gate(**arguments)
        if result is not None and (result := await _value_of(result)) is not None:
            return cast(Request | Response, result)
    return None


async def _value_of(result: Any) -> Any:
    return await result if isawaitable(result) else result
