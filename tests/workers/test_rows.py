from datetime import UTC, date, datetime
from hashlib import sha256

from extractors import Article, Block
from workers.rows import row_of

ARTICLE = Article(
    "One.\n\nTwo.", (Block("paragraph", "One."), Block("paragraph", "Two.")), "example", 0.9, "the example fits",
    url="http://a.example/1?from=rss", canonical_url="http://elsewhere.example/", title="Title",
    published=datetime(2026, 3, 12, 8, tzinfo=UTC), modified=date(2026, 3, 13), keywords=("a", "字"),
)  # fmt: skip


def row(article=ARTICLE, **more):
    known = {"task": "t", "url": "http://a.example/1", "canonical_url": "http://a.example/one"}
    return row_of(article, **known | {"fetched_at": datetime(2026, 3, 12, 9, tzinfo=UTC)} | more)


def test_the_run_s_urls_stand_and_not_what_the_page_says():
    assert (row()["url"], row()["canonical_url"]) == ("http://a.example/1", "http://a.example/one")


def test_times_are_iso_8601_with_zone():
    assert row()["published"] == "2026-03-12T08:00:00+00:00"
    assert row()["modified"] == "2026-03-13"
    assert row()["fetched_at"] == "2026-03-12T09:00:00+00:00"


def test_the_hash_is_of_title_and_text_alone():
    assert row()["content_hash"] == sha256(b"Title\nOne.\n\nTwo.").hexdigest()
    assert row(url="http://a.example/2", version=2)["content_hash"] == row()["content_hash"]
    assert row(Article("Other.", (), "m", 1.0, ""))["content_hash"] == sha256(b"\nOther.").hexdigest()
