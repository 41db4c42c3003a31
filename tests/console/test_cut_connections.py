"""Nodes whose TLS connections to Redis are cut again and again, also within the handshake, wait and go on."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from console.sample_site import SiteServer
from tests.cutting_proxy import CuttingProxy
from tests.forks import start
from tests.redis_servers import SYSTEM, free_port, redis_server
from tests.workers.redis_access.test_redis_address import certificate, has_tls

pytestmark = pytest.mark.timeout(300)
NODES = (("schedule", "tasks.yaml"), ("work", "crawl", "-n", "1"), ("work", "extract", "-n", "1"))
CUTTING = 40.0  # seconds


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[CuttingProxy]:
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
        yield CuttingProxy(port)


def test_nodes_go_on_and_write_every_article_once(
    folder: Path, site: SiteServer, environment: dict[str, str], proxy: CuttingProxy
) -> None:
    url = f"rediss://127.0.0.1:{proxy.port}/0?ssl_ca_certs={folder}/redis/ca.pem"
    proxy.is_cutting = True  # from the start on
    nodes = [start("console", list(node), folder, environment | {"REDIS_URL": url}) for node in NODES]
    try:
        limit = time.monotonic() + CUTTING
        while time.monotonic() < limit and all(node.poll() is None for node in nodes):
            time.sleep(0.1)
        assert [node.poll() for node in nodes] == [None] * 3, [node.communicate() for node in nodes if node.poll()]
        assert proxy.cuts > 20
        proxy.is_cutting = False
        file = folder / "out" / "zh-news.jsonl"
        limit = time.monotonic() + 120
        while not file.exists() or file.read_bytes().count(b"\n") < 12:
            assert time.monotonic() < limit, "the articles are not written"
            time.sleep(0.1)
    finally:
        for node in nodes:
            node.send_signal(signal.SIGTERM)
        ends = [(node.communicate(timeout=60), node.returncode) for node in nodes]
    assert [code for _, code in ends] == [0, 0, 0], ends
