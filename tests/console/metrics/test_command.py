"""`exemplar metrics`: printed, as a file, and served."""

import re
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import redis

from tests.console.conftest import Crawled, Exemplar
from tests.forks import Fork, began
from tests.redis_servers import free_port, redis_server
from workers.redis_access.embedded import Embedded

AWAY = "redis://127.0.0.1:1/0"
TOKEN = "a-token-of-metrics"


@contextmanager
def exporter(folder: Path, environment: Mapping[str, str], *arguments: str) -> Iterator[str]:
    """A running exporter; its address."""
    process = Fork("console", ["metrics", "--listen", *arguments], folder, environment)
    try:
        began(process)
        address = re.search(r"http://\S+/metrics", process.said())
        assert address is not None, process.said()
        yield address[0]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()


def answer(url: str, **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(url, headers=headers), timeout=20) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def test_it_prints_what_a_run_left(crawled: Crawled, in_process: Exemplar) -> None:
    done = in_process("metrics")
    assert (done.code, done.err) == (0, "")
    written = dict(re.findall(r'exemplar_urls\{server="embedded",state="written",task="(.+?)"\} ([\d.]+)', done.out))
    settled = dict(
        re.findall(r'exemplar_urls_settled_total\{server="embedded",state="written",task="(.+?)"\} ([\d.]+)', done.out)
    )
    assert written == settled
    assert {name: int(float(number)) for name, number in written.items()} == {
        name: row["written"] for name, row in crawled.done.accounting.items()
    }
    assert 'exemplar_runs_total{outcome="finished",server="embedded",task="zh-news"} 1.0' in done.out


def test_a_file_is_replaced(tmp_path: Path, in_process: Exemplar, redis_url: str, connection: "redis.Redis") -> None:
    path = tmp_path / "exemplar.prom"
    path.write_text("old", "utf-8")
    done = in_process("metrics", "--output", str(path), REDIS_URL=redis_url)
    assert (done.code, done.out) == (0, "")
    assert re.search(r'^exemplar_up\{server=".+"\} 1\.0$', path.read_text("utf-8"), re.M)
    assert [one.name for one in tmp_path.iterdir() if "prom" in one.name] == ["exemplar.prom"]


def test_without_redis_it_says_so_in_a_metric(in_process: Exemplar) -> None:
    done = in_process("metrics", REDIS_URL=AWAY)
    assert (done.code, done.err) == (0, "")
    assert 'exemplar_up{server="127.0.0.1:1/0"} 0.0' in done.out


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        (["--listen", "8301"], "write HOST:PORT"),
        (["--listen", "127.0.0.1:x"], "write HOST:PORT"),
        (["--listen", "0.0.0.0:8301"], "EXEMPLAR_METRICS_TOKEN"),
        (["--listen", "127.0.0.1:0", "--output", "x.prom"], "not both"),
    ],
)
def test_a_mistake_is_explained(arguments: list[str], mistake: str, in_process: Exemplar) -> None:
    in_process("metrics", *arguments).failed(2, mistake)


def test_it_goes_on_when_redis_goes_away(tmp_path: Path, environment: dict[str, str]) -> None:
    port = free_port()
    up = f'exemplar_up{{server="127.0.0.1:{port}/0"}}'
    with exporter(tmp_path, environment | {"REDIS_URL": f"redis://127.0.0.1:{port}/0"}, "127.0.0.1:0") as address:
        with redis_server(tmp_path / "redis", port):
            assert f"{up} 1.0" in answer(address)[1]
        started = time.monotonic()
        status, text = answer(address)
        assert (status, time.monotonic() - started < 10) == (200, True)
        assert f"{up} 0.0" in text
        assert answer(address, Host="evil.example")[0] == 421
        assert answer(address.replace("/metrics", "/"))[0] == 404


def test_beyond_this_machine_it_needs_the_token(tmp_path: Path, environment: dict[str, str]) -> None:
    variables = environment | {"REDIS_URL": AWAY, "EXEMPLAR_METRICS_TOKEN": TOKEN}
    with exporter(tmp_path, variables, "0.0.0.0:0") as address:
        here = address.replace("0.0.0.0", "127.0.0.1")
        assert answer(here)[0] == 401
        assert answer(here, Authorization="Bearer wrong")[0] == 401
        status, text = answer(here, Authorization=f"Bearer {TOKEN}", Host="crawler.example")
        assert (status, "exemplar_up" in text, TOKEN in text) == (200, True, False)


def test_it_reads_the_embedded_redis_only_while_that_runs(
    crawled: Crawled, environment: dict[str, str], exemplar: Exemplar
) -> None:
    """An exporter does not hold the embedded Redis: other commands can use it."""
    with exporter(crawled.folder, environment, "127.0.0.1:0") as address:
        assert 'exemplar_up{server="embedded"} 0.0' in answer(address)[1]
        assert exemplar("status").code == 0
        with Embedded(crawled.folder / ".exemplar"):
            assert 'exemplar_up{server="embedded"} 1.0' in answer(address)[1]
