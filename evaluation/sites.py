"""Crawls of stored sites: `python -m evaluation.sites DATA` crawls each site from one example and scores the result.

DATA holds `sites/<name>/` (a document root with truth.jsonl), `nginx.conf` and `serve.sh` beside them. The figures, by
site: articles in the output against those that links lead to, duplicate rows, articles fetched again by a second run,
and the F1 of the texts. With `--add N` each site is configured by `exemplar add URL` instead, without edits, once for
each of N of its articles.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import unquote, urlsplit

from crawler.discovery.links import page_links
from extractors.html.urls import normalise

from .scores import mean, score

WAIT_FOR_SERVER = 10.0  # seconds
SETTINGS = "settings: {contact: https://example.org/our-crawler, allow_hosts: [127.0.0.1], delay: 0}\ntasks:"


@dataclass(frozen=True, slots=True)
class Site:
    """The description of a site by a user: one example, the pattern, a start page."""

    port: int
    example: str
    pattern: str
    start: str

    @property
    def base(self) -> str:
        """The URL at which the site is served."""
        return f"http://127.0.0.1:{self.port}"

    def task_list(self, name: str) -> str:
        """Return the task list of the site; `name`: of the task."""
        return f"""{SETTINGS}
  {name}:
    example: {self.base}{self.example}
    pattern: {self.base}{self.pattern}
    start: {self.base}{self.start}
    every: 1h
    output: out.jsonl
"""


SITES: Mapping[str, Site] = {
    "flink_blog_en": Site(
        18401, "/2020/06/10/flink-community-update-june20/", "/{date:%Y/%m/%d}/{slug}/", "/posts/index.html"
    ),
    "hexo_0err0r_zh": Site(18402, "/2020/10/12aa90f7.html", "/{date:%Y/%m}/{slug}.html", "/"),
    "kancai_news_gbk": Site(18403, "/a/zimeiti/shouji/2015/0207/166.html", "/a/**/{id}.html", "/"),
    "meiwen_mobile_zh": Site(18404, "/show/2664.html", "/show/{id}.html", "/"),
}


def main() -> int:
    """Measure the named sites (default: all); exit code 1 if a target is missed."""
    arguments = _arguments()
    names = arguments.sites or list(SITES)
    with tempfile.TemporaryDirectory() as work, serving(arguments.data):
        results = [
            _measure(arguments.data, name, Path(work) / f"{name}{n}", example)
            for name in names
            for n, example in enumerate(_examples(arguments.data, name, arguments.add))
        ]
    print(_table(results))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, ensure_ascii=False, indent=1), "utf-8")
    return 0 if all(result["found"] >= 0.99 * result["reachable"] for result in results) else 1


@contextmanager
def serving(data: Path) -> Iterator[None]:
    """Run the web server of the data during the block."""
    server = subprocess.Popen([str(data / "serve.sh")], stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        _wait_for(f"{SITES['hexo_0err0r_zh'].base}/")
        yield
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def reachable(site: Site, truth: Mapping[str, dict[str, Any]]) -> set[str]:
    """Return the articles with a body that links lead to from the start page, by their path."""
    from crawler.discovery.links import ASSET

    seen, queue, found = {site.start}, [site.start], set()
    while queue:
        path = queue.pop()
        if (row := _row_at(path, truth)) is not None and row["kind"] == "article" and row["body"]:
            found.add(_key(path))
        try:
            with urllib.request.urlopen(site.base + path, timeout=10) as answer:
                body, url = answer.read(), answer.url
        except URLError:
            continue
        for link in page_links(body, url).links:
            parts = urlsplit(link.url)
            target = parts.path + ("?" + parts.query if parts.query else "")
            if parts.netloc == f"127.0.0.1:{site.port}" and target not in seen and not ASSET.search(parts.path):
                seen.add(target)
                queue.append(target)
    return found


def _examples(data: Path, name: str, number: int | None) -> Sequence[str | None]:
    """Return the articles for `exemplar add`, always the same; [None] if the pattern is given."""
    if number is None:
        return [None]
    rows = _truth(data / "sites" / name)
    articles = [key for key, row in rows.items() if row["kind"] == "article" and row["body"]]
    others = random.Random(number).sample(sorted({*articles} - {_key(SITES[name].example)}), max(0, number - 1))
    return [SITES[name].example, *others][:number]


def _measure(data: Path, name: str, work: Path, example: str | None) -> dict[str, Any]:
    site = SITES[name]
    truth = _truth(data / "sites" / name)
    work.mkdir(parents=True)
    if example is None:
        (work / "tasks.yaml").write_text(site.task_list(name), "utf-8")
        added = {"example": site.example, "pattern": site.pattern, "start": site.start}
    else:
        added = _add(work, site, example)
    first = _run(work)
    rows = [json.loads(line) for line in (work / "out.jsonl").read_text("utf-8").splitlines()]
    second = _run(work)
    wanted = reachable(site, truth)
    by_path = {_key(urlsplit(row["canonical_url"]).path): row for row in rows}
    scored = {key: (by_path[key]["text"], truth[key]["body"]) for key in sorted(wanted) if key in by_path}
    scores = {key: score(text, body) for key, (text, body) in scored.items()}
    return {
        "site": name,
        "task": added,
        "reachable": len(wanted),
        "found": len(scored),
        "missing": sorted(wanted - set(by_path)),
        "rows": len(rows),
        "duplicates": len(rows) - len({row["canonical_url"] for row in rows}),
        "not_articles": [k for k in by_path if truth.get(k, {}).get("kind") not in ("article", None)],
        "fetched_again": second["fetched"],
        "f1": mean(scores.values()).f1,
        "below": sum(s.f1 < 0.8 for s in scores.values()) / max(1, len(scores)),
        "worst": sorted((round(s.f1, 3), key) for key, s in scores.items())[:5],
        "exit": [first["exit"], second["exit"]],
        "seconds": [first["seconds"], second["seconds"]],
    }


def _add(work: Path, site: Site, example: str) -> dict[str, Any]:
    """Configure the site by `exemplar add`; return the keys of the task that it wrote."""
    (work / "tasks.yaml").write_text(f"{SETTINGS}\n", "utf-8")
    command = [sys.executable, "-m", "console", "add", site.base + example, "--output", "out.jsonl", "--json"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"exemplar add {site.base}{example} ended with {done.returncode}:\n{done.stderr}{done.stdout}")
    task: dict[str, Any] = json.loads(done.stdout)["task"]
    return task


def _run(work: Path) -> dict[str, Any]:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "console", "run", "--once", "--json"],
        cwd=work,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    fetched = sum(event["fetched"] for event in events if event["event"] == "crawled")
    if done.returncode not in (0, 1) or not events:
        raise SystemExit(f"exemplar run ended with {done.returncode}:\n{done.stderr}")
    if done.returncode:
        print(done.stderr, events[-1], file=sys.stderr)
    return {"exit": done.returncode, "fetched": fetched, "seconds": round(time.monotonic() - begun, 1)}


def _truth(root: Path) -> dict[str, dict[str, Any]]:
    rows = map(json.loads, (root / "truth.jsonl").read_text("utf-8").splitlines())
    return {_key("/" + row["file"]): row for row in rows}


def _row_at(path: str, truth: Mapping[str, dict[str, Any]]) -> dict[str, Any] | None:
    return truth.get(_key(urlsplit(path).path))


def _key(path: str) -> str:
    """Return one name for a file and for the folder whose index it is."""
    path = unquote(urlsplit(normalise("http://host" + path)).path)
    return path.removesuffix("index.html")


def _wait_for(url: str) -> None:
    limit = time.monotonic() + WAIT_FOR_SERVER
    while True:
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except OSError as error:
            if time.monotonic() > limit:
                raise SystemExit(
                    f"the sites are not served ({error}); serve.sh needs nginx with http_sub_module"
                ) from None
            time.sleep(0.1)


def _table(results: list[dict[str, Any]]) -> str:
    lines = ["site               found/reachable  rows  twice  again  F1     <.8    seconds"]
    for r in results:
        lines.append(
            f"{r['site']:18} {r['found']:5}/{r['reachable']:<9}  {r['rows']:4}  {r['duplicates']:5}"
            f"  {r['fetched_again']:5}  {r['f1']:.4f} {r['below']:6.1%}  {r['seconds'][0]} + {r['seconds'][1]}"
        )
        lines.append(f"    {r['task']['example']}  →  {r['task']['pattern']}  {r['task']['start']}")
        for note in ("missing", "not_articles", "worst"):
            if r[note]:
                lines.append(f"    {note.replace('_', ' ')}: {r[note][:8]}")
    return "\n".join(lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evaluation.sites", description=__doc__.split("\n\n")[0])
    parser.add_argument("data", type=Path, help="folder with sites/, nginx.conf and serve.sh")
    parser.add_argument("sites", nargs="*", help=f"of {', '.join(SITES)}")
    parser.add_argument(
        "--add", type=int, metavar="N", help="configure by `exemplar add`, from N articles of each site in turn"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    found = parser.parse_args()
    if unknown := set(found.sites) - set(SITES):
        parser.error(f"unknown site {', '.join(unknown)}; known: {', '.join(SITES)}")
    if not (found.data / "serve.sh").exists():
        parser.error(f"{found.data} has no serve.sh")
    return found


if __name__ == "__main__":
    sys.exit(main())
