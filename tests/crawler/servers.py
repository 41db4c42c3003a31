"""Small servers for tests of what is fetched from where, and a child that fetches."""

import json
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.crawler.network import connections
from tests.crawler.spiders import environment


class Server(ThreadingHTTPServer):
    """An HTTP server on an address; `answer(handler)` says status, headers and body. Counts connections."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, answer, port=0):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.answer, self.touched = answer, 0
        super().__init__((address, port), _Handler)
        self.port = self.server_address[1]

    def server_bind(self):
        if self.address_family == socket.AF_INET6:  # IPv4 as well
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def process_request(self, request, client_address):
        self.touched += 1
        super().process_request(request, client_address)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, headers, body = self.server.answer(self)
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", "Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value).encode().decode("latin-1"))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Not printed."""


def here(handler):
    return (404, {}, b"") if handler.path == "/robots.txt" else (200, {}, b"<html><p>here</p></html>")


def attempt(folder, urls, names, allowed, seconds=30.0):
    """What came of each URL, and the connections that were begun."""
    file, noted = folder / "urls.json", folder / "connections"
    file.write_text(json.dumps(urls), "utf-8")
    child = subprocess.run(
        [sys.executable, "-m", "tests.crawler.network", "tests.crawler.attempt", str(file), str(seconds)],
        cwd=folder,
        env=environment(
            TEST_NAMES=json.dumps(names),
            TEST_CONNECTIONS=str(noted),
            EXEMPLAR_CONTACT="a@example.org",
            EXEMPLAR_ALLOW_HOSTS=allowed,
        ),
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert "Traceback" not in child.stderr
    return json.loads(child.stdout), set(connections(noted))


class Section(NamedTuple):
    """A run of the spider: its code, report and standard error, and the connections that it began."""

    code: int
    report: dict[str, Any]
    said: str
    begun: set[tuple[str, int]]


def run_section(folder, redis_url, names, tasks, *, verbose=False, **environ):
    """Run the spider for the task `news` of `tasks`, the text of a tasks.yaml, behind `tests.crawler.network`."""
    noted = folder / "connections"
    noted.unlink(missing_ok=True)
    (folder / "tasks.yaml").write_text(tasks, "utf-8")
    scrapy = [
        "scrapy",
        "crawl",
        "section",
        "-a",
        "task=news",
        "-a",
        f"tasks={folder}/tasks.yaml",
        "-s",
        "LOG_LEVEL=DEBUG",
    ]
    child = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.crawler.network",
            *(scrapy if verbose else ["tests.crawler.one_run", "news"]),
        ],
        cwd=folder,
        env=environment(
            REDIS_URL=redis_url,
            TEST_NAMES=json.dumps(names),
            TEST_CONNECTIONS=str(noted),
            SCRAPY_SETTINGS_MODULE="crawler.settings",
            **environ,
        ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = [] if verbose else child.stdout.strip().splitlines()
    return Section(child.returncode, json.loads(lines[-1]) if lines else {}, child.stderr, set(connections(noted)))
