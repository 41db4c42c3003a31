"""How many articles of a task are in flight, by the server's own count."""

import threading

import pytest

from tests.crawler.servers import Server, run_section

pytestmark = pytest.mark.timeout(60)

PAGE = b"<html><p>" + b"The harbour was quiet. " * 40
ARTICLES = 6
SLOW = 0.3  # seconds that an article takes


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_articles_are_in_flight_than_the_task_says(connection, redis_url, tmp_path, most):
    lock, now, highest, pause = threading.Lock(), [0], [0], threading.Event()

    def answer(handler):
        if handler.path == "/list":
            return 200, {}, b"".join(b'<a href="/a/%d.html">An article</a>' % number for number in range(ARTICLES))
        if not handler.path.startswith("/a/"):  # robots.txt, a sitemap
            return 404, {}, b""
        with lock:
            now[0] += 1
            highest[0] = max(highest[0], now[0])
        pause.wait(SLOW)
        with lock:
            now[0] -= 1
        return 200, {}, PAGE

    with Server("127.0.0.1", answer) as site:
        here = f"http://127.0.0.1:{site.port}"
        run = run_section(tmp_path, redis_url, {}, here, more=f"concurrency: {most}")
    assert run.report["fetched"] == ARTICLES
    assert highest[0] == most
