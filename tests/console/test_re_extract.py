"""`exemplar re-extract`: kept pages of the sample site, extracted again without a request."""

import json
from pathlib import Path

from console.sample_site import SiteServer, truth
from console.sample_site.content import EXAMPLES
from tests.console.calls import edit
from tests.console.conftest import Exemplar
from tests.written_rows import rows_of


def test_pages_of_two_designs_are_extracted_again(folder: Path, site: SiteServer, exemplar: Exemplar) -> None:
    edit(folder, "defaults:\n", "defaults:\n  keep_pages: 30d\n")
    edit(folder, EXAMPLES["zh"], truth("zh")[12].path)
    site.relaunch(unpublished=11)
    assert exemplar("run", "zh-news", "--once", "--json").code == 0
    site.relaunch("new", unpublished=8)
    assert exemplar("run", "zh-news", "--once", "--json").code == 0
    before = rows_of(folder / "out/zh-news.jsonl")
    assert len(before) == len(truth("zh")) - 8
    asked = len(site.requests)

    unchanged = json.loads(exemplar("re-extract", "zh-news", "--dry-run", "--json").out)
    assert (unchanged["pages"], unchanged["changed"]) == (len(before), 0)

    done = exemplar("re-extract", "zh-news", "--method", "density", "--dry-run", "--json")
    trial = json.loads(done.out)
    assert (done.code, trial["pages"], trial["same"] + trial["changed"]) == (0, len(before), len(before))
    assert trial["changed"] == trial["rows"] > 0
    assert rows_of(folder / "out/zh-news.jsonl") == before

    done = exemplar("re-extract", "zh-news", "--method", "density").succeeded(f"{trial['rows']} row")
    assert "set them there" in done.err
    new = rows_of(folder / "out/zh-news.jsonl")[len(before) :]
    assert len(new) == trial["rows"]
    versions = {row["url"]: row for row in before}
    for row in new:
        assert (row["version"], row["fetched_at"]) == (2, versions[row["url"]]["fetched_at"])
        assert row["text"] != versions[row["url"]]["text"]
    assert len(site.requests) == asked

    exemplar("rename", "zh-news", "lanpu").succeeded()
    assert json.loads(exemplar("re-extract", "lanpu", "--dry-run", "--json").out)["pages"] == len(before)


def test_what_can_not_be_extracted_again_is_named(folder: Path, exemplar: Exemplar) -> None:
    assert "unknown task" in exemplar("re-extract", "zh-news").err
    exemplar("re-extract", "zh-news", "--method", "denisty").failed(2, "did you mean 'density'")
