"""`exemplar metrics`: printed, and as a file."""

import re

from tests.console.conftest import Crawled, Exemplar

AWAY = "redis://127.0.0.1:1/0"


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


def test_without_redis_it_says_so_in_a_metric(in_process: Exemplar) -> None:
    done = in_process("metrics", REDIS_URL=AWAY)
    assert (done.code, done.err) == (0, "")
    assert 'exemplar_up{server="127.0.0.1:1/0"} 0.0' in done.out
