"""Nodes whose TLS connections to Redis are cut again and again, also within the handshake, wait and go on."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forks import start
from tests.proxy import Proxy
from tests.redis_servers import SYSTEM, eventually, free_port, redis_server
from tests.workers.redis_access.test_redis_address import certificate, has_tls
from tests.written_rows import rows_so_far

pytestmark = pytest.mark.timeout(300)
CUTS = 50
NODES = (("schedule", "tasks.yaml"), ("work", "crawl", "-n", "1"), ("work", "extract", "-n", "1"))


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    """A proxy in front of a server that takes TLS, or where there is none a server without TLS."""
    port, folder = free_port(), tmp_path / "redis"
    folder.mkdir()
    if SYSTEM is None or not has_tls(SYSTEM):
        pytest.skip("no redis-server with TLS on this machine")
    certificate(folder, "server", certificate(folder, "ca"))
    options = {"cert-file": "server.pem", "key-file": "server.key", "ca-cert-file": "ca.pem"}
    files = [part for name, file in options.items() for part in (f"--tls-{name}", str(folder / file))]
    with redis_server(
        folder, 0, "--tls-port", str(port), "--tls-auth-clients", "no", *files, binary=SYSTEM, wait_for=port
    ):
        yield Proxy(port)


def test_nodes_go_on_and_write_every_article_once(folder: Path, environment: dict[str, str], proxy: Proxy) -> None:
    url = f"rediss://127.0.0.1:{proxy.port}/0?ssl_ca_certs={folder}/redis/ca.pem"
    proxy.is_cutting = True  # from the start on
    nodes = [start("console", node, folder, environment | {"REDIS_URL": url}) for node in NODES]
    try:
        eventually(lambda: proxy.cuts >= CUTS or any(node.poll() is not None for node in nodes), 120)
        assert [node.poll() for node in nodes] == [None] * 3, [node.communicate() for node in nodes if node.poll()]
        proxy.is_cutting = False
        eventually(lambda: rows_so_far(folder / "out" / "zh-news.jsonl") >= 12, 120)
    finally:
        for node in nodes:
            node.send_signal(signal.SIGTERM)
        ends = [(node.communicate(timeout=60), node.returncode) for node in nodes]
    assert [code for _, code in ends] == [0, 0, 0], ends
