"""`exemplar demo`: crawls the sample site with the embedded Redis and shows its articles."""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from console import sample_site
from console.locale import in_language
from console.options import examples
from console.terminal import plain_table, say, wide_console
from workers.processes import ending_with_parent
from workers.redesign.backtest import shingle_f1

SHOWN = 40  # characters of a title that are shown


@click.command(epilog=examples("exemplar demo", "exemplar demo --folder try-it"))
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Folder to work in.  [default: a new one]"
)
def command(folder: Path | None) -> None:
    """Serve a small news site on loopback (Chinese in GBK, English in UTF-8), crawl it, and show the articles."""
    work = folder or Path(tempfile.mkdtemp(prefix="exemplar-demo-"))
    work.mkdir(parents=True, exist_ok=True)
    with sample_site.SiteServer() as server:
        (work / "tasks.yaml").write_text(sample_site.tasks_yaml(server.url), "utf-8")
        say(f"the sample site is served at {server.url}; its two tasks are in {work / 'tasks.yaml'}")
        code = _run(work)
    _show(_rows(work), work)
    raise click.exceptions.Exit(code)


def _run(work: Path) -> int:
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "EXEMPLAR_STATE")}
    command = [sys.executable, "-m", "console", "run", str(work / "tasks.yaml"), "--once", "--json"]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.DEVNULL, preexec_fn=ending_with_parent(signal.SIGTERM)
    )
    return done.returncode


def _rows(work: Path) -> list[dict[str, Any]]:
    files = sorted((work / "out").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def _show(rows: list[dict[str, Any]], work: Path) -> None:
    texts = {page["path"]: page["text"] for page in sample_site.recorded() if "text" in page}
    articles = plain_table(("task", "published", "title", "author"), ("characters", "F1", "method"))
    for row in sorted(rows, key=lambda row: (row["task"], row["published"] or "")):
        known = texts.get(urlsplit(row["canonical_url"]).path)
        f1 = f"{shingle_f1(row['text'], known):.3f}" if known else "–"
        title, published = (row["title"] or "")[:SHOWN], (row["published"] or "")[:16]
        articles.add_row(row["task"], published, title, row["author"] or "", str(len(row["text"])), f1, row["method"])
    console = wide_console()
    console.print(articles)
    compared = in_language(f"{len(rows)} articles. F1 compares each text with the original.")
    console.print(f"\n{compared}", highlight=False)
    for file in sorted((work / "out").glob("*")):
        if file.suffix in (".jsonl", ".db"):
            console.print(f"  {file}", highlight=False, soft_wrap=True)
