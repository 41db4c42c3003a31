"""The way of a request through the gates, in the order and with the exceptions of Scrapy's own chain."""

import asyncio
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawler.fetching.gated_downloads import GatedDownloads

ONE, TWO = "http://site.example/1", "http://site.example/2"


def downloads(download, *, on_request=(), on_response=(), on_error=()):
    methods = {"process_request": on_request, "process_response": on_response, "process_exception": on_error}
    handlers = SimpleNamespace(download_request_async=download)
    return GatedDownloads(SimpleNamespace(middleware=SimpleNamespace(methods=methods), handlers=handlers))


def response_to_one(download, **gates):
    return asyncio.run(downloads(download, **gates).response_to(Request(ONE)))


async def page(request):
    return Response(request.url)


async def refused(request):
    raise ConnectionError("refused")


def test_gates_see_a_request_and_its_response_in_their_order_whether_they_wait_or_not():
    seen = []

    async def waits(request):
        await asyncio.sleep(0)
        seen.append("waits")

    def passes_on(request, response):
        seen.append("response")
        return response

    async def replaces(request, response):
        return response.replace(status=201)

    response = response_to_one(
        page, on_request=[lambda request: seen.append("first"), waits], on_response=[passes_on, replaces, passes_on]
    )
    assert (seen, response.status, response.request.url) == (["first", "waits", "response", "response"], 201, ONE)


def test_a_gate_that_refuses_a_request_ends_it_before_the_download():
    def refuse(request):
        raise IgnoreRequest("forbidden")

    with pytest.raises(IgnoreRequest, match="forbidden"):
        response_to_one(refused, on_request=[refuse])


def test_a_redirect_passes_all_gates_again():
    seen = []

    def redirect(request, response):
        return Request(TWO) if request.url == ONE else response

    response = response_to_one(page, on_request=[lambda request: seen.append(request.url)], on_response=[redirect])
    assert (seen, response.url, response.request.url) == ([ONE, TWO], TWO, TWO)


def test_a_response_of_a_gate_takes_the_place_of_the_download():
    response = response_to_one(refused, on_request=[lambda request: Response(request.url, status=204)])
    assert response.status == 204


def test_each_gate_sees_an_error_until_one_has_an_answer():
    seen = []

    def note(request, exception):
        seen.append(str(exception))

    with pytest.raises(ConnectionError):
        response_to_one(refused, on_error=[note, note])
    response = response_to_one(refused, on_error=[note, lambda request, exception: Response(request.url), note])
    assert (seen, response.url) == (["refused"] * 3, ONE)


def test_requests_that_are_refused_at_once_leave_time_for_other_tasks():
    async def turns_of_others():
        turns = []
        asyncio.get_running_loop().call_soon(turns.append, "other")
        with pytest.raises(ConnectionError):
            await downloads(refused).response_to(Request(ONE))
        return turns

    assert asyncio.run(turns_of_others()) == ["other"]
