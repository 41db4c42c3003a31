"""Feeds: valid by their specifications, the newest entries, whole at any moment."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import feedparser
import pytest
from lxml import etree

from tests.workers.batch_sink_suite import batch, batches_of
from tests.workers.kills import KILLS, deliver_with_kills
from tests.workers.naughty import as_stored, naughty_rows
from tests.workers.sink_suite import row
from workers.errors import OutputError, SinkUnavailable
from workers.sinks.feeds import FeedSink, item_of
from workers.sinks.kinds import Target
from workers.sinks.options import OutputOptions

ATOM = "{http://www.w3.org/2005/Atom}"
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
START = datetime(2026, 3, 12, 8, 30, tzinfo=UTC)


def open_sink(folder, name, query="", **options):
    target = Target(f"deep/{name}{query}", name, "t", folder, options=OutputOptions(**options))
    return FeedSink(target)


def entries(folder, name):
    """The entries as other programs see them."""
    data = (folder / "deep" / name).read_bytes()
    if name.endswith(".atom"):
        return [in_atom(entry) for entry in etree.fromstring(data).iterfind(f"{ATOM}entry")]
    return [in_json(item) for item in json.loads(data)["items"]]


def in_atom(entry):
    names = ("id", "title", "author/name", "content", "summary")
    texts = {name: entry.findtext(ATOM + name.replace("/", f"/{ATOM}")) or "" for name in names}
    url = entry.find(f"{ATOM}link[@rel='alternate']").get("href")
    return SimpleNamespace(**texts, url=url, author=texts["author/name"])


def in_json(item):
    item = {"content_html": "", "summary": "", "authors": [{"name": ""}], **item}
    return SimpleNamespace(**item, author=item["authors"][0]["name"], content=item["content_html"])


def dated(number, **more):
    return row(number, fetched_at=(START + timedelta(minutes=number)).isoformat(), **more)


def urls(folder, name):
    return [entry.url for entry in entries(folder, name)]


def is_valid_atom(data):
    """What RFC 4287 demands of a feed as ours."""
    feed = etree.fromstring(data)
    assert feed.tag == f"{ATOM}feed"
    for element in (feed, *feed.iterfind(f"{ATOM}entry")):
        for wanted in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{wanted}")) == 1
        assert len(element.findall(f"{ATOM}author")) <= 1
        assert STAMP.fullmatch(element.findtext(f"{ATOM}updated"))
        assert STAMP.fullmatch(element.findtext(f"{ATOM}published") or element.findtext(f"{ATOM}updated"))
        assert element.findtext(f"{ATOM}id").startswith("urn:uuid:")
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    found = feed.findall(f"{ATOM}entry")
    assert all(len(entry.findall(f"{ATOM}link[@rel='alternate']")) == 1 for entry in found)
    assert len({entry.findtext(f"{ATOM}id") for entry in found}) == len(found)


def is_valid_json_feed(data):
    """What JSON Feed 1.1 demands of a feed as ours."""
    feed = json.loads(data.decode())
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert isinstance(feed["title"], str)
    known = {"id", "url", "title", "content_html", "content_text", "summary", "image", "date_published"}
    known |= {"date_modified", "authors", "tags", "language", "_exemplar"}
    for item in feed["items"]:
        assert not set(item) - known
        assert isinstance(item["id"], str)
        assert "content_html" in item or "content_text" in item
        assert STAMP.fullmatch(item["date_modified"])
        assert all(set(author) == {"name"} for author in item.get("authors", []))
    assert len({item["id"] for item in feed["items"]}) == len(feed["items"])


VALID = {"news.atom": is_valid_atom, "news.feed.json": is_valid_json_feed}


@pytest.fixture(params=VALID)
def name(request):
    return request.param


def test_a_check_creates_an_empty_valid_feed(tmp_path, name):
    sink = open_sink(tmp_path, name)
    sink.check()
    assert entries(tmp_path, name) == []
    VALID[name]((tmp_path / "deep" / name).read_bytes())
    sink.write(batch(1, row(1)))
    sink.check()
    assert len(entries(tmp_path, name)) == 1


def test_other_readers_understand_the_feed(tmp_path, name):
    blocks = [
        {"kind": "heading", "text": "A & B", "level": 2},
        {"kind": "paragraph", "text": "See the <place> now", "links": [{"text": "<place>", "url": "http://b.example/?x&y"}]},
        {"kind": "list", "text": "one\ntwo"},
        {"kind": "table", "text": "a\tb\nc\td"},
        {"kind": "caption", "text": 'a "view"', "images": ["http://a.example/i.png"]},
        {"kind": "embed", "text": "", "links": [{"text": "", "url": "http://v.example/1"}]},
        {"kind": "quote", "text": "said"},
        {"kind": "code", "text": "if a < b:\n  c"},
    ]  # fmt: skip
    one = row(
        1,
        published="2026-03-12T16:00:00+08:00",
        modified="2026-03-13",
        author="田中",
        keywords=["harbour", "海"],
        language="en",
        description="In short",
        image="http://a.example/1.jpg",
        blocks=blocks,
    )
    open_sink(tmp_path, name).write(batch(1, one))
    data = (tmp_path / "deep" / name).read_bytes()
    VALID[name](data)
    content = (
        "<h2>A &amp; B</h2>\n"
        '<p>See the <a href="http://b.example/?x&amp;y">&lt;place&gt;</a> now</p>\n'
        "<ul><li>one</li><li>two</li></ul>\n"
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>\n"
        '<figure><img src="http://a.example/i.png" alt="a &quot;view&quot;">'
        "<figcaption>a &quot;view&quot;</figcaption></figure>\n"
        '<p><a href="http://v.example/1">http://v.example/1</a></p>\n'
        "<blockquote><p>said</p></blockquote>\n"
        "<pre>if a &lt; b:\n  c</pre>"
    )
    if name == "news.atom":
        parsed = feedparser.parse(data)
        assert not parsed.bozo
        assert (parsed.feed.title, parsed.feed.link) == ("t", "http://a.example/")
        [entry] = parsed.entries
        assert (entry.title, entry.link, entry.author) == ("题 1", "http://a.example/1?x", "田中")
        assert (entry.published, entry.updated) == ("2026-03-12T08:00:00Z", "2026-03-13T00:00:00Z")
        assert [tag.term for tag in entry.tags] == ["harbour", "海"]
        assert entry.summary == "In short"
        assert etree.fromstring(data).findtext(f"{ATOM}entry/{ATOM}content") == content
    else:
        [item] = json.loads(data)["items"]
        item.pop("_exemplar")
        assert item == {
            "id": item_of(one)["id"], "url": "http://a.example/1?x", "title": "题 1", "content_html": content,
            "date_modified": "2026-03-13T00:00:00Z", "summary": "In short", "image": "http://a.example/1.jpg",
            "date_published": "2026-03-12T08:00:00Z", "authors": [{"name": "田中"}], "tags": ["harbour", "海"],
            "language": "en",
        }  # fmt: skip


def test_naughty_strings_come_back(tmp_path, name):
    rows = list(naughty_rows())
    sink = open_sink(tmp_path, name, "?items=1000")
    for start in range(0, len(rows), 200):
        sink.write(batch(start, *rows[start : start + 200]))
    data = (tmp_path / "deep" / name).read_bytes()
    VALID[name](data)
    by_url = {entry.url: entry for entry in entries(tmp_path, name)}
    assert len(by_url) == len(rows) > 400
    for one in rows:
        entry = by_url[one["url"]]
        expected = (as_stored(one["title"]) or one["canonical_url"], as_stored(one["author"]))
        if name == "news.atom":
            expected = tuple(
                re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text) for text in expected
            )
        assert (entry.title, entry.author) == expected


def test_nothing_of_a_page_becomes_markup(tmp_path, name):
    bad = '"><script>alert(1)</script><a href="javascript:x">'
    blocks = [
        {"kind": kind, "text": bad, "links": [{"text": "script", "url": "javascript:alert(1)"}], "images": ["data:x"]}
        for kind in ("paragraph", "heading", "list", "table", "code", "quote", "caption", "embed", "other")
    ]
    sink = open_sink(tmp_path, name)
    sink.write(batch(1, row(1, title=bad, blocks=blocks), row(2, text=bad)))
    for entry in entries(tmp_path, name):
        assert "<script" not in entry.content
        assert "<a" not in entry.content
        assert "&lt;script&gt;" in entry.content


def test_the_content_is_the_html_of_the_article_cleaned_again(tmp_path, name):
    html = "<ol><li>one</li></ol><p onclick='x()'><img src='https://a.example/p.jpg'></p>"
    sink = open_sink(tmp_path, name)
    sink.write(batch(1, row(1, html=html, blocks=[{"kind": "paragraph", "text": "one"}])))
    [entry] = entries(tmp_path, name)
    assert entry.content == '<ol><li>one</li></ol><p><img src="https://a.example/p.jpg"></p>'


def test_only_the_newest_are_kept(tmp_path, name):
    sink = open_sink(tmp_path, name, "?items=3")
    for number in (1, 5, 3, 2, 4):
        sink.write(batch(number, dated(number)))
    assert urls(tmp_path, name) == [dated(number)["url"] for number in (5, 4, 3)]
    sink.write(batch(6, dated(6, published="2020-01-01"), dated(7, published="2030-01-01"), dated(8)))
    assert urls(tmp_path, name) == [dated(number)["url"] for number in (8, 7, 5)]


def test_a_new_version_replaces_its_entry_and_an_old_one_that_comes_again_does_not(tmp_path, name):
    sink = open_sink(tmp_path, name)
    sink.write(batch(1, row(1), row(2)))
    before = {entry.url: entry.id for entry in entries(tmp_path, name)}
    newer = row(1, version=2, title="new")
    sink.write(batch(2, newer))
    sink.write(batch(2, newer, again=True))
    sink.write(batch(1, row(1), row(2), again=True))
    after = entries(tmp_path, name)
    assert {entry.url: entry.id for entry in after} == before
    assert {entry.title for entry in after} == {"new", "题 2"}


def test_chosen_fields_only(tmp_path, name):
    sink = open_sink(tmp_path, name, fields=(("headline", "title"), ("description", "description")))
    sink.write(batch(1, row(1, description="In short", author="a", blocks=[{"kind": "paragraph", "text": "long"}])))
    [entry] = entries(tmp_path, name)
    assert (entry.title, entry.summary, entry.author) == ("题 1", "In short", "")
    VALID[name]((tmp_path / "deep" / name).read_bytes())
    assert b"long" not in (tmp_path / "deep" / name).read_bytes()


@pytest.mark.parametrize(
    "content", [b"", b"notes", b"<feed/>", b"[]", b'{"version": "https://jsonfeed.org/version/1.1"}']
)
def test_a_file_of_somebody_else_is_not_overwritten(tmp_path, name, content):
    sink = open_sink(tmp_path, name)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / name).write_bytes(content)
    for call in (sink.check, lambda: sink.write(batch(1, row(1)))):
        with pytest.raises(SinkUnavailable, match="is not a feed written by this program") as unavailable:
            call()
        assert sink.name in str(unavailable.value)
    assert (tmp_path / "deep" / name).read_bytes() == content
    (tmp_path / "deep" / name).unlink()
    sink.write(batch(1, row(1)))
    assert len(entries(tmp_path, name)) == 1


def test_a_feed_without_its_items_begins_again(tmp_path, name):
    sink = open_sink(tmp_path, name)
    sink.write(batch(1, row(1)))
    (tmp_path / "deep" / f".{name}.items").unlink()
    sink.write(batch(2, row(2)))
    assert urls(tmp_path, name) == [row(2)["url"]]


def test_two_writers_lose_nothing(tmp_path, name):
    def write(first):
        sink = open_sink(tmp_path, name)
        for number in range(first, first + 15):
            sink.write(batch(number, dated(number)))

    with ThreadPoolExecutor() as threads:
        list(threads.map(write, (0, 15, 30)))
    assert urls(tmp_path, name) == [dated(number)["url"] for number in range(44, -1, -1)]


def test_processes_that_are_killed_leave_each_row_once_and_a_whole_feed(tmp_path, name):
    def is_whole():
        if (tmp_path / "deep" / name).exists():
            VALID[name]((tmp_path / "deep" / name).read_bytes())

    rows = deliver_with_kills(
        lambda: open_sink(tmp_path, name, "?items=1000"),
        batches_of(5, dated, text="x" * 500),
        kills=KILLS // 2,
        after_kill=is_whole,
    )
    assert urls(tmp_path, name) == [one["url"] for one in reversed(rows)]
    assert {path.name for path in (tmp_path / "deep").iterdir()} <= {name, f".{name}.items", f".{name}.tmp"}


@pytest.mark.parametrize("query", ["?items=0", "?items=1001", "?items=5&title=x"])
def test_a_number_of_items_that_is_none_is_refused(tmp_path, name, query):
    with pytest.raises(OutputError, match=r"items must be a number from 1 to 1000, as in \?items=50"):
        open_sink(tmp_path, name, query)
