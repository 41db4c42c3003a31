import gzip

import pytest

from evaluation.data import domain_of
from evaluation.labelled_pages import read_labelled
from extractors.errors import TrainingMistakes
from tests.extractors.page_types.made import article_page, list_page, write_folder


def test_rows_are_read_with_what_is_known_of_them(tmp_path):
    first, *_ = read_labelled(write_folder(tmp_path / "town"))
    assert (first.source, first.site, first.row.id, first.article) == ("town", "site0.example", "0:list", False)
    assert first.parsed().page.url == "https://www.site0.example/town/list.html"


def test_a_folder_below_sites_is_a_document_root(tmp_path):
    root = tmp_path / "sites" / "a_town"
    (root / "news").mkdir(parents=True)
    (root / "news" / "index.html").write_text(list_page(), "utf-8")
    (root / "1.html.gz").write_bytes(gzip.compress(article_page().encode()))
    rows = '{"file": "news/index.html", "kind": "list"}\n\n{"file": "1.html.gz", "kind": "article", "url": null}\n'
    (root / "truth.jsonl").write_text(rows + '{"file": "none.html", "kind": "redirect"}\n', "utf-8")
    pages = read_labelled(tmp_path)
    assert [page.url for page in pages] == ["http://a-town.example/news/", "http://a-town.example/1.html.gz"]
    assert all(page.parsed() is not None for page in pages)


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.news.example.co.uk/1", "example.co.uk"), ("http://a.example/", "a.example"), (None, ""),
        ("no address", ""),
    ],
)  # fmt: skip
def test_domains(url, domain):
    assert domain_of(url) == domain


@pytest.mark.parametrize("row", ['{"file": "a.html", "kind": "list"}', '{"file": "a.html", "kind": "other"}', ""])
def test_pages_of_one_kind_teach_nothing(tmp_path, row):
    (tmp_path / "truth.jsonl").write_text(row, "utf-8")
    with pytest.raises(TrainingMistakes, match="no page of kind article"):
        read_labelled(tmp_path)
