"""A redesign of the sample site in mid-run, from the first page of the new template to the last row."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from crawler.task_list.file import load
from evaluation.sample_site import EXAMPLES, shingle_f1, tasks_yaml, truth
from tests.console.conftest import Done, Exemplar
from tests.site.server import LoggedRequest, SiteServer
from tests.written_rows import rows_of

Run = Callable[[], Done]
TASK = "en-stories"
HIGH = 0.9  # confidence
RIGHT = 0.9  # mean F1; a few texts have a teaser more beside some examples, and which is proposed depends on the order


def write_tasks(folder: Path, site: SiteServer, more: str = "") -> None:
    """The English section alone, with a comment that must be kept."""
    before, _, _ = tasks_yaml(site.url).partition("  zh-news:\n")
    after = tasks_yaml(site.url).partition(f"  {TASK}:\n")[2]
    after = after.replace(EXAMPLES["en"], truth("en")[9].path)  # one that is published from the beginning
    text = f"{before}  {TASK}:  # the harbour\n{after}".replace("every: 1h\n", f"every: 1h\n{more}", 1)
    (folder / "tasks.yaml").write_text(text, "utf-8")


def rows(folder: Path) -> list[dict[str, Any]]:
    return rows_of(folder / f"out/{TASK}.jsonl")


def f1(row: dict[str, Any]) -> float:
    [article] = [article for article in truth("en") if row["canonical_url"].endswith(article.path)]
    return shingle_f1(row["text"], article.text)


def redesigned_after(site: SiteServer, path: str, unpublished: int) -> None:
    """From the request of `path` on the site has its new design; that page has the old one still."""
    page = site.answer("GET", path, "test")
    site.requests.clear()

    def answer(request: LoggedRequest) -> Any:
        site.relaunch("new", unpublished)
        return page

    site.override(path, answer)


@pytest.fixture
def run_once(exemplar: Exemplar, redis_url: str) -> Run:
    """Run all tasks of the folder once, on the Redis of the tests."""
    return lambda: exemplar("run", "--once", REDIS_URL=redis_url).succeeded()


def test_a_redesign_in_mid_run_is_noticed_adopted_and_the_gap_extracted_again(
    tmp_path: Path, site: SiteServer, run_once: Run, on_redis: Exemplar
) -> None:
    write_tasks(tmp_path, site, "  concurrency: 1\n")
    site.relaunch(unpublished=8)
    run_once()
    site.relaunch(unpublished=2)
    redesigned_after(site, truth("en")[2].path, 2)  # the newest article is fetched first, in the old design
    run_once()
    before = rows(tmp_path)
    assert len(before) == 12
    assert mean(f1(row) for row in before if row["confidence"] >= HIGH) >= RIGHT

    listed = on_redis("proposals")
    assert (listed.code, TASK in listed.out, "proposed" in listed.out) == (0, True, True)
    shown = on_redis("proposals", TASK)
    assert "--adopt" in shown.out
    assert "fits" in shown.out
    proposal = json.loads(on_redis("proposals", TASK, "--json").out)
    assert (proposal["state"], proposal["test"]["counts"]["lost"]) == ("proposed", 0)

    tested = on_redis("backtest", TASK, "--example", proposal["url"], "--json")
    assert (tested.code, json.loads(tested.out)["counts"]["lost"]) == (0, 0)

    adopted = on_redis("proposals", TASK, "--adopt").succeeded()
    assert "note:" not in adopted.err
    assert load(tmp_path / "tasks.yaml")[TASK].example == proposal["url"]
    assert "# the harbour" in (tmp_path / "tasks.yaml").read_text("utf-8")

    asked = len(site.requests)
    site.relaunch("new")
    run_once()
    fetched = [request.path for request in site.requests[asked:] if request.path in {a.path for a in truth("en")}]
    assert sorted(fetched) == sorted(article.path for article in truth("en")[:2])  # no page of the gap
    newest = {row["canonical_url"]: row for row in rows(tmp_path)}
    assert len(newest) == len(truth("en"))
    assert len({(row["canonical_url"], row["version"]) for row in rows(tmp_path)}) == len(rows(tmp_path))
    # Only what was not exact, or not certain to be, is written again.
    inexact = {row["canonical_url"] for row in before if row["confidence"] < HIGH or f1(row) < 1}
    assert {row["canonical_url"] for row in rows(tmp_path) if row["version"] == 2} <= inexact
    assert mean(map(f1, newest.values())) >= RIGHT
    assert json.loads(on_redis("proposals", TASK, "--json").out)["state"] == "adopted"
    assert "already been adopted" in on_redis("proposals", TASK, "--adopt").err


def test_what_is_no_proposal_is_named(folder: Path, on_redis: Exemplar) -> None:
    assert "no example is proposed" in on_redis("proposals").err
    on_redis("proposals", "zh-news").failed(2, "unknown task")
    assert on_redis("proposals", "--adopt").code == 2
    assert on_redis("backtest", "zh-news").code == 2
