"""Kept pictures: their names, their folders, and workers that die while they store them."""

from datetime import UTC, datetime
from itertools import count

import pytest
import redis

from extractors.html.sanitising import sanitise
from tests.samples import sample
from tests.workers.extraction.test_re_extraction import again
from tests.workers.helpers import TASK, article, deliver, publish, rows
from tests.workers.interruptions import Disk
from workers import keys
from workers.extraction_config import RowFilter
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.picture_links import MOST, file_name, linked, pictures_in
from workers.sinks import OutputOptions
from workers.sinks.picture_folder import folder_beside
from workers.task_state.forgetting import forget_task
from workers.task_state.renaming import rename_task
from workers.url_states import Found, fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker

HTML_FIELDS = OutputOptions(fields=(("url", "url"), ("html", "html")), pictures="pictures/")
PICTURES = {f"http://cdn.example/{number}.png": b"\x89PNG" + bytes(4000 * number) for number in range(1, 7)}


def test_a_picture_is_shown_from_the_file_that_its_address_names():
    url, code = "https://a.example/x.PNG?a=1&b=%22", '<p>&lt;img src="http://a.example/code.png"&gt;</p>'
    html = sanitise(f'{code}<img src="{url.replace("&", "&amp;")}" alt="&lt;img src=&quot;">')
    assert pictures_in(html) == [url]
    shown = linked(html, "../pictures/")
    assert shown == f'{code}<img src="../pictures/{file_name(url)}" alt="&lt;img src=&quot;">'
    assert sanitise(shown) == shown  # Markdown and feeds clean it again
    assert sanitise('<img src="pictures/x.png"><a href="pictures/' + 32 * "0" + '">') == "<img><a></a>"


def test_drawings_and_what_is_beyond_the_most_stay_where_they_are():
    urls = [f"http://a/{number}.png" for number in range(MOST + 1)]
    html = "".join(f'<img src="{url}">' for url in ["http://a/x.SVG?1", *urls, *urls])
    assert pictures_in(html) == urls[:-1]
    assert linked(html, "").count("http") == 3


@pytest.mark.parametrize(
    ("output", "folder", "way"),
    [
        ("news.jsonl", "pictures", "pictures/"),
        ("/data/{date}/news-{published:%Y/%m}.csv", "/data/pictures", "../../pictures/"),
        ("${DIR:-{x}}/md/{date:%Y/%m}/{title}.md", "${DIR:-{x}}/md/pictures", "../../pictures/"),
        ("rows/news.parquet", "rows/news/pictures", "../pictures/"),
        ("s3://b/news/?region=${A}", "s3://b/news/pictures?region=${A}", "../pictures/"),
        ("sftp://u:${P}@h/x/{date}-{batch}.jsonl.zst", "sftp://u:${P}@h/x/pictures", "pictures/"),
        *((other, None, None) for other in ("a.db", "sqlite:///a.db", "https://h/hook", "a.atom", "a.warc.gz", "${X}")),
        ("s3://b/{batch}.jsonl", None, None),  # an invalid address
    ],
)
def test_the_folder_is_beside_the_first_part_of_a_path_that_varies(output, folder, way):
    assert (folder_beside(output, HTML_FIELDS) or (None, None)) == (folder, way)


def fetched(connection):
    """Pictures as a spider handed them over; says their names."""
    ledger = Ledger(connection, keys.pictures_of(TASK))
    ledger.add([Found(url) for url in PICTURES])
    ledger.lease(len(PICTURES))
    pages = {fingerprint(url): StoredPage(url, body, "image/png", datetime.now(UTC)) for url, body in PICTURES.items()}
    Inbox(connection).deliver(ledger, pages)
    return ledger, list(pages)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


def store(redis_url, name):
    """Store the pictures as a worker."""
    worker = ExtractionWorker(redis.Redis.from_url(redis_url), name)
    worker.extract_pages(keys.pictures_of(TASK), list(map(fingerprint, PICTURES)))


def test_a_worker_that_dies_loses_no_picture(connection, redis_url, tmp_path):
    """The short form kills it at every eighth step."""
    expected = {file_name(url): body for url, body in PICTURES.items()}
    for kill in count(1, sample(8, 1)):
        connection.flushall()
        folder = tmp_path / str(kill)
        publish(connection, folder, "out.jsonl", output_options={"out.jsonl": HTML_FIELDS.to_json()})
        ledger, _ = fetched(connection)
        folder.mkdir()
        is_through = Disk(folder).run(store, redis_url, "first", kill_at=kill)
        present = files(folder / "pictures")
        assert present.items() <= expected.items()
        assert ledger.counts().states["written"] <= len(present)
        ledger.free("first")
        store(redis_url, "second")
        assert files(folder / "pictures") == expected
        assert ledger.counts().states["written"] == len(PICTURES)
        if is_through:
            break
    assert kill > 3


def test_pictures_in_a_store_and_one_whose_body_is_damaged(connection, s3, bucket, tmp_path):
    output = f"s3://{bucket}/rows/"
    publish(connection, tmp_path, output, output_options={output: HTML_FIELDS.to_json()})
    ledger, names = fetched(connection)
    connection.hset(f"{ledger.keys['page']}:{names[0]}", "body", b"damaged")
    ExtractionWorker(connection, "w").extract_pages(ledger.task, names)
    assert {state: n for state, n in ledger.counts().states.items() if n} == {"written": 5, "failed": 1}
    stored = {file_name(url): body for url, body in [*PICTURES.items()][1:]}
    assert s3.objects(bucket) == {f"rows/pictures/{name}": body for name, body in stored.items()}


def test_pictures_of_articles_that_are_extracted_again_are_wanted(connection, worker, tmp_path):
    page = article(1).replace(b"</p>", b'</p><p><img src="http://cdn.example/1.png"></p>', 1)
    publish(connection, tmp_path, keep_pages=1e6, drop=RowFilter(("Story",)))
    worker.extract_pages(TASK, deliver(connection, {1: page}))
    publish(connection, tmp_path, keep_pages=1e6, output_options={"out.jsonl": HTML_FIELDS.to_json()})
    assert again(worker) == {"changed": 1}
    assert Ledger(connection, keys.pictures_of(TASK)).open_urls("waiting")[0]["url"] == "http://cdn.example/1.png"
    assert file_name("http://cdn.example/1.png") in rows(tmp_path)[0]["html"]


def test_a_renamed_or_forgotten_task_takes_its_pictures_along(connection):
    fetched(connection)
    Ledger(connection, TASK).add([Found("http://a/")])
    rename_task(connection, TASK, "new")
    assert Ledger(connection, keys.pictures_of("new")).counts().states["fetched"] == len(PICTURES)
    assert connection.smembers(keys.FETCHED) == {b"new:pictures"}
    forget_task(connection, "new")
    assert {key for key in connection.scan_iter("exemplar:*") if b"reply" not in key} <= {
        b"exemplar:task:new:counts",
        b"exemplar:epoch",
        b"exemplar:stored",
    }
    assert set(connection.hvals(keys.STORED)) <= {b"0"}
