"""`pictures: keep`: from a site's pictures to files beside the outputs, which the rows show."""

import itertools
import re
from pathlib import Path

import pytest

from evaluation.sample_site import PATTERNS, Response, truth
from tests.site.server import LoggedRequest, SiteServer
from tests.written_rows import rows_of
from workers.picture_links import file_name

from .calls import IMPATIENT
from .conftest import Done, Exemplar

HTML = {"Content-Type": "text/html; charset=utf-8"}
JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256))
WEBP = b"RIFF\0\1\0\0WEBPVP8 " + bytes(9)
DELAY = 0.3  # seconds
LEAST = 0.5  # of the delay: a busy machine may hold one request
[ARTICLE, *_] = [article.path for article in truth("zh")]

RIVER, PHOTO, FLAKY = "/img/river.png", "/img/photo?w=1&h=2", "/img/flaky.webp"
GONE, PAGE, DRAWING = "/img/gone.png", "/img/page.jpg", "/img/drawing.svg"


@pytest.fixture
def pictures(site: SiteServer) -> list[str]:
    """The addresses of the pictures of one article: all that a picture may turn out to be."""
    elsewhere = site.url.replace("127.0.0.1", "127.0.0.2") + "/img/private.gif"
    urls = [*(site.url + path for path in (PHOTO, FLAKY, GONE, PAGE, DRAWING)), elsewhere]
    shown = "".join(f'<img src="{url}" alt="a &amp; b">' for url in urls).replace("w=1&h", "w=1&amp;h")
    page = site._pages[ARTICLE]
    site.override(ARTICLE, body=re.sub(rb"<img [^>]*>", rb"\g<0>" + shown.encode(), page.body, count=1))
    once = iter([503])

    def flaky(request: LoggedRequest) -> Response:
        return Response(next(once, 200), {"Content-Type": "image/webp"}, WEBP)

    site.override(PHOTO, status=200, headers={"Content-Type": "text/plain"}, body=JPEG)
    site.override(FLAKY, flaky)
    site.override(PAGE, status=200, headers=HTML, body=b"<p>Please log in to see this picture.</p>")
    return [site.url + RIVER, *urls]


def write_tasks(folder: Path, site: SiteServer, outputs: str) -> None:
    (folder / "tasks.yaml").write_text(
        f"""settings: {{contact: https://example.org/c, allow_hosts: [127.0.0.1], delay: {DELAY}}}
tasks:
  news:
    example: {site.url}{ARTICLE}
    pattern: {site.url}{PATTERNS["zh"]}
    start: {site.url}/zh/news/
    every: 1h
    limit: 3
    pictures: keep
    output: {outputs}
""",
        "utf-8",
    )


def run(exemplar: Exemplar) -> Done:
    return exemplar("run", "--once", "--json").succeeded()


def test_pictures_are_fetched_once_and_shown_from_files_beside_the_rows(
    site: SiteServer, tmp_path: Path, exemplar: Exemplar, pictures: list[str]
) -> None:
    write_tasks(
        tmp_path,
        site,
        f"""[
      {{to: "out/{{task}}.jsonl", fields: [url, title, html, markdown, blocks]}}, articles.db,
      "md/{{date:%Y/%m}}/{{id}}.md", {{to: "file://{tmp_path}/store/{{task}}/", fields: [url, html]}}]""",
    )
    done = run(exemplar)
    river, photo, flaky, gone, page, drawing, private = pictures
    stored = {file_name(url): body for url, body in [(photo, JPEG), (flaky, WEBP)]}
    for folder in ("out", "md", "store/news"):
        files = {path.name: path.read_bytes() for path in (tmp_path / folder / "pictures").iterdir()}
        assert files == {**stored, file_name(river): site._pages[RIVER].body}, folder
    # The rows show the files; a drawing stays where it is; what the page named stays in the blocks
    [row] = [row for row in rows_of(tmp_path / "out/news.jsonl") if row["url"] == site.url + ARTICLE]
    shown = [f"pictures/{file_name(url)}" for url in (river, photo, flaky, gone, page)]
    shown += [drawing, f"pictures/{file_name(private)}"]
    assert re.findall(r'<img src="([^"]*)"', row["html"]) == shown
    assert re.findall(r"!\[[^]]*]\(([^)]*)\)", row["markdown"]) == shown
    assert pictures == [image for block in row["blocks"] for image in block.get("images", ())]
    [article] = [path for path in (tmp_path / "md").rglob("[!.]*.md") if ARTICLE in path.read_text("utf-8")]
    links = re.findall(r"!\[[^]]*]\((\.\./[^)]*)\)", article.read_text("utf-8"))
    assert [(article.parent / link).resolve().exists() for link in links] == [True] * 3 + [False] * 3
    # What is no picture is listed, and an article does not wait for it
    assert done.accounting["news:pictures"]["written"] == 3
    assert [done.accounting["news:pictures"][state] for state in ("rejected", "failed")] == [2, 1]
    problems = exemplar("status", "--problems", "news:pictures", "--json").events
    assert {problem["url"]: problem["reason"] for problem in problems} == {
        gone: "http 404",
        page: "not a picture: text/html",
        private: "address 127.0.0.2 is not public; if it is yours, list its host under `settings.allow_hosts` in "
        "tasks.yaml or in EXEMPLAR_ALLOW_HOSTS",
    }
    assert "exemplar accept" not in exemplar("status", "--problems", "news:pictures").out
    # Pages and pictures have one pace
    moments = sorted(request.time for request in site.requests if request.path != "/robots.txt")
    assert min(later - earlier for earlier, later in itertools.pairwise(moments)) > LEAST * DELAY
    asked = [request.path for request in site.requests if request.path.startswith("/img/")]
    assert sorted(asked) == sorted([RIVER, PHOTO, FLAKY, FLAKY, GONE, PAGE])
    run(exemplar)
    assert [request.path for request in site.requests if request.path.startswith("/img/")] == asked


def test_a_folder_of_pictures_that_cannot_be_written_is_reported_and_nothing_is_lost(
    site: SiteServer, tmp_path: Path, exemplar: Exemplar, pictures: list[str]
) -> None:
    site.override(FLAKY, status=200, headers={"Content-Type": "image/webp"}, body=WEBP)
    write_tasks(tmp_path, site, '{to: "out/{task}.jsonl", fields: [url, html]}')
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "pictures").write_text("in the way")
    done = exemplar("run", "--once", "--json", **IMPATIENT).failed(1)
    assert (done.accounting["news"]["written"], done.accounting["news:pictures"]["fetched"]) == (3, 3)
    [problem] = {event["text"] for event in done.events if event["event"] == "trouble"}
    assert f"{tmp_path}/out/pictures" in problem
    (tmp_path / "out" / "pictures").unlink()
    asked = len(site.requests)
    run(exemplar)
    assert len([*(tmp_path / "out" / "pictures").iterdir()]) == 3
    assert [request for request in site.requests[asked:] if request.path.startswith("/img/")] == []
