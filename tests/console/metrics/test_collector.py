"""What a scrape of Redis gives, in the format of Prometheus."""

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import redis
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from console.metrics import METRICS, ExemplarCollector, registry_of
from crawler.run.run_report import RunReport, keep_report
from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import loads
from crawler.task_list.publication import periods_of, publish
from tests.console.conftest import Exemplar
from tests.console.web.conftest import NAMES, TASKS
from workers import keys
from workers.ledger import Ledger
from workers.reporting.presence import Presence
from workers.task_state.renaming import rename_task
from workers.task_state.task_figures import totals_of
from workers.url_states import Found

Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]
AWAY = "redis://127.0.0.1:1/0"


@pytest.fixture
def filled(connection: "redis.Redis", tmp_path: Path) -> "redis.Redis":
    """Two tasks, one of which has run; one that was removed; a dead and a living process; an alarm."""
    tasks = loads(f"tasks:\n{TASKS}")
    publish(connection, tasks, tmp_path / "tasks.yaml")
    Schedule(connection).plan(periods_of(tasks.tasks))
    for name in (NAMES[0], "removed"):
        ledger = Ledger(connection, name)
        ledger.add([Found(f"https://news.example/0/a/{number}.html", number) for number in range(5)])
        for leased, state in zip(ledger.lease(3), ("written", "written", "failed"), strict=True):
            ledger.settle(leased.fingerprint, state, "")
    for hour, outcome in enumerate(("finished", "finished", "no browser")):
        times = (f"2026-11-22T1{hour}:00:00+00:00", f"2026-11-22T1{hour}:01:10+00:00")
        keep_report(connection, RunReport(NAMES[0], *times, outcome, lists=2, new=4))
    alarm = {"kind": "section quiet", "state": "open", "since": 1, "opened": 1, "last": 1, "count": 1, "evidence": ""}
    connection.hset(keys.ALARMS, NAMES[0], json.dumps([alarm]))
    Presence(connection, "extract").show(workers=3, pages_per_second=2.5)
    return connection


@pytest.fixture
def scrape(redis_url: str) -> "Scrape":
    return Scrape(redis_url)


class Scrape:
    def __init__(self, url: str):
        self.url = url

    def text(self, **options: int) -> str:
        return generate_latest(registry_of(ExemplarCollector("main", self.url, **options))).decode()

    def __call__(self, **options: int) -> Samples:
        samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
        for family in text_string_to_metric_families(self.text(**options)):
            for sample in family.samples:
                labels = frozenset((name, value) for name, value in sample.labels.items() if value)
                assert (sample.name, labels) not in samples, "a series that is there twice"
                samples[sample.name, labels] = sample.value
        return samples


def value(samples: Samples, name: str, server: str = "main", **labels: str) -> float | None:
    return samples.get((f"exemplar_{name}", frozenset({"server": server, **labels}.items())))


def test_a_task_has_its_figures(filled: "redis.Redis", scrape: Scrape) -> None:
    samples, task = scrape(), NAMES[0]
    assert value(samples, "up") == 1
    assert [value(samples, "urls", task=task, state=state) for state in ("waiting", "written", "failed")] == [2, 2, 1]
    assert value(samples, "urls_settled_total", task=task, state="written") == 2
    assert value(samples, "runs_total", task=task, outcome="finished") == 2
    assert value(samples, "runs_total", task=task, outcome="no_browser") == 1
    assert value(samples, "last_run_success", task=task) == 0
    assert value(samples, "last_run_new_urls", task=task) == 4
    assert value(samples, "last_run_duration_seconds", task=task) == 70
    assert value(samples, "task_alarms_open", task=task, kind="section_quiet") == 1
    assert value(samples, "alarms_open", kind="section_quiet") == 1
    assert value(samples, "alarms_open", kind="blocked") == 0
    assert (value(samples, "next_run_timestamp_seconds", task=NAMES[1]) or 0) > 1e9
    assert value(samples, "urls", task=NAMES[1], state="written") == 0
    assert value(samples, "urls_settled_total", task=NAMES[1], state="failed") == 0, "a counter begins with 0"
    assert value(samples, "runs_total", task=NAMES[1], outcome="no_browser") == 0
    [workers] = [number for (name, _), number in samples.items() if name == "exemplar_extraction_workers"]
    assert workers == 3


def test_a_task_that_was_removed_has_no_series_of_its_own(filled: "redis.Redis", scrape: Scrape) -> None:
    text = scrape.text()
    assert 'task="removed"' not in text
    assert value(scrape(), "tasks", state="removed") == 1


def test_a_redis_that_is_away_is_down_and_has_no_other_metrics(scrape: Scrape) -> None:
    scrape.url = AWAY
    samples = scrape()
    assert value(samples, "up") == 0
    assert {name for name, _ in samples} == {"exemplar_up", "exemplar_build_info"}


def test_the_command_says_in_a_metric_that_redis_is_away(in_process: Exemplar) -> None:
    done = in_process("metrics", REDIS_URL=AWAY)
    assert (done.code, done.err) == (0, "")
    assert 'exemplar_up{server="127.0.0.1:1/0"} 0.0' in done.out


def test_totals_only_grow(connection: "redis.Redis") -> None:
    ledger = Ledger(connection, "t")
    ledger.add([Found("https://news.example/1")])
    for state in ("failed", "written"):
        [leased] = ledger.lease(1)
        assert ledger.settle(leased.fingerprint, "failed" if state == "failed" else "written", "")
        assert not ledger.settle(leased.fingerprint, "written", "")
        assert ledger.retry(leased.url) == (state == "failed")
    assert totals_of(connection, ["t"])["t"].settled == {"failed": 1, "written": 1}
    assert ledger.counts().states["failed"] == 0
    report = RunReport("t", "2026-11-22T10:00:00+00:00", "2026-11-22T10:01:00+00:00", "finished")
    keep_report(connection, report)
    rename_task(connection, "t", "u")
    assert totals_of(connection, ["u"])["u"].runs == {"finished": 1}


def test_all_metrics_are_there_with_type_and_a_sentence(filled: "redis.Redis", scrape: Scrape) -> None:
    families = {family.name: family for family in text_string_to_metric_families(scrape.text())}
    known = {metric.name.removesuffix("_total"): metric for metric in METRICS}
    assert {*known} - {*families} <= {"exemplar_processes_died"}
    for name, family in families.items():
        assert (family.type, family.documentation) == (known[name].kind, known[name].help)
        assert re.fullmatch(r"[A-Zm].*\.", family.documentation)


def test_promtool_accepts_the_text(filled: "redis.Redis", scrape: Scrape, promtool: str) -> None:
    checked = subprocess.run([promtool, "check", "metrics"], input=scrape.text(), capture_output=True, text=True)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
