"""`exemplar re-extract`: kept pages of the sample site, extracted again without a request."""

import json
from pathlib import Path

from evaluation.sample_site import EXAMPLES, truth
from tests.console.calls import edit
from tests.console.conftest import Exemplar
from tests.site.server import SiteServer
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

    unchanged = json.loads(exemplar("re-extract", "zh-news", "--json").out)
    assert (unchanged["pages"], unchanged["same"]) == (len(before), len(before))

    edit(folder, "  zh-news:\n", "  zh-news:\n    method: density\n")
    asked = len(site.requests)
    done = exemplar("re-extract", "zh-news").succeeded("refused")
    new = rows_of(folder / "out/zh-news.jsonl")[len(before) :]
    assert f"{len(new)} changed" in done.out
    assert len(new) > 0
    versions = {row["url"]: row for row in before}
    for row in new:
        assert (row["version"], row["fetched_at"]) == (2, versions[row["url"]]["fetched_at"])
        assert row["text"] != versions[row["url"]]["text"]
    assert len(site.requests) == asked


def test_what_can_not_be_extracted_again_is_named(folder: Path, exemplar: Exemplar) -> None:
    assert "has found a URL" in exemplar("re-extract", "zh-news").err
