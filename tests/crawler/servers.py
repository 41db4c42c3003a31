"""Small servers for tests of what is fetched from where, and a child that fetches."""

import json
import socket
from typing import Any, NamedTuple

from tests.crawler.network import connections
from tests.crawler.spiders import environment, run
from tests.http_site import HttpSite


class Server(HttpSite):
    """An HTTP server on an address; `answer(handler)` says status, headers and body, or sends all itself.

    Counts connections.
    """

    def __init__(self, address, answer, port=0):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.answer_to, self.touched = answer, 0
        super().__init__(None, address, port)

    def server_bind(self):
        if self.address_family == socket.AF_INET6:  # IPv4 as well
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def process_request(self, request, client_address):
        self.touched += 1
        super().process_request(request, client_address)


def here(handler):
    return (404, {}, b"") if handler.path == "/robots.txt" else (200, {}, b"<html><p>here</p></html>")


def attempt(folder, urls, names, allowed, seconds=30.0):
    """What came of each URL, and the connections that were begun."""
    file = folder / "urls.json"
    file.write_text(json.dumps(urls), "utf-8")
    command = ["tests.crawler.attempt", str(file), str(seconds)]
    ran, begun = _behind_network(folder, command, names, EXEMPLAR_CONTACT="a@example.org", EXEMPLAR_ALLOW_HOSTS=allowed)
    assert ran.code == 0, ran.said
    assert "Traceback" not in ran.said
    return json.loads(ran.out), begun


class Section(NamedTuple):
    """A run of the spider: its code, report and standard error, and the connections that it began."""

    code: int
    report: dict[str, Any]
    said: str
    begun: set[tuple[str, int]]


def run_section(folder, redis_url, names, site_url, *, allow="127.0.0.1", more="", verbose=False, **environ):
    """Run the spider for a task `news` at `site_url`, behind `tests.crawler.network`.

    The task's articles are `/a/{id}.html`, of which 1 is the example, and its list is `/list`. `allow`: the hosts of
    `allow_hosts`; `more`: keys of the task, a line of YAML each, beside the usual ones or in their place.
    """
    keys = {"example": f"{site_url}/a/1.html", "pattern": "/a/{id}.html", "start": "/list", "every": "1h"}
    keys |= {"output": "out.jsonl"} | dict(line.strip().split(": ", 1) for line in more.strip().splitlines())
    lines = "".join(f"    {key}: {value}\n" for key, value in keys.items())
    settings = f"{{contact: a@example.org, allow_hosts: [{allow}], delay: 0}}"
    (folder / "tasks.yaml").write_text(f"settings: {settings}\ntasks:\n  news:\n{lines}", "utf-8")
    scrapy = f"scrapy crawl section -a task=news -a tasks={folder}/tasks.yaml -s LOG_LEVEL=DEBUG".split()
    ran, begun = _behind_network(
        folder,
        scrapy if verbose else ["console", "crawl", "news", "--json"],
        names,
        REDIS_URL=redis_url,
        SCRAPY_SETTINGS_MODULE="crawler.settings",
        **environ,
    )
    report = [] if verbose else ran.out.strip().splitlines()
    return Section(ran.code, json.loads(report[-1]) if report else {}, ran.said, begun)


def _behind_network(folder, command, names, **environ):
    """A module with its arguments behind `tests.crawler.network`: the process that ended, the connections it began."""
    noted = folder / "connections"
    noted.unlink(missing_ok=True)
    more = environment(TEST_NAMES=json.dumps(names), TEST_CONNECTIONS=str(noted), **environ)
    return run("tests.crawler.network", command, folder, more), set(connections(noted))
