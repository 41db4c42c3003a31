"""The cost of a re-extraction compared with that of the extractor alone, and the size of kept pages.

    python -m benchmarks.re_extract --pages 10000
    python -m benchmarks.re_extract --site DATA/sites/NAME --site DATA/sites/OTHER

Pages of the sample site, in all of its designs, each with a different text, are kept in groups of ten, as by workers;
then they are extracted again. For comparison the extractor alone runs on the same pages, in one process, with its pages
in memory. The measure is the CPU time of all processes. With `--site` the size of the articles of stored sites is
measured (`truth.jsonl` names them); with `--pages 0` nothing else.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from statistics import median

import redis

from benchmarks.pages import SAMPLE_SITE, articles_of, publish_config, sample_articles, stored
from console.sample_site import render_site
from console.sample_site.content import EXAMPLES
from workers.extraction.page_decision import judge_page
from workers.extraction.re_extraction import ReExtraction, section_for
from workers.extraction_config import ExtractionConfig
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.pages.kept_pages import KeptPages, kept_pages_of
from workers.redis_access.connection import connect
from workers.redis_access.embedded import Embedded
from workers.sinks import SourcePage

OWN_URLS = r"http://paper\.example/zh/\d+\.html"  # matches no canonical link, so that each page has its own row
MONTH = 30 * 86400.0
GROUP = 10  # pages that a worker writes together
MOST_RATIO, MOST_ROOM = 1.25, 0.15


def main() -> int:
    """Measure; return 1 if a target is missed."""
    options = _arguments()
    shares = [_room(folder) for folder in options.site]
    if options.pages == 0:
        return int(any(share > MOST_ROOM for share in shares))
    with tempfile.TemporaryDirectory(prefix="re-extract-", dir=options.folder) as name, Embedded(Path(name)) as url:
        ratio = measure(connect(url), Path(name), options.pages, options.processes)
    return int(ratio > MOST_RATIO or any(share > MOST_ROOM for share in shares))


def measure(connection: "redis.Redis", folder: Path, number: int, processes: int | None) -> float:
    """Keep and extract pages; return the CPU time of a run without changes as a multiple of the extractor's."""
    config = ExtractionConfig(
        "paper",
        SAMPLE_SITE + EXAMPLES["zh"],
        OWN_URLS,
        ("out.jsonl",),
        str(folder),
        near_duplicates="keep",
        keep_pages=MONTH,
    )
    publish_config(connection, config, render_site(SAMPLE_SITE)[EXAMPLES["zh"]].body)
    ledger = Ledger(connection, config.task)
    kept = kept_pages_of(config, clock=ledger.clock)
    pages = _pages(number)
    section = section_for(ledger, kept, example=None, method=None)

    began = time.process_time()
    for page in pages:
        judge_page(section, page, {})
    alone = time.process_time() - began
    print(f"extractor alone: {1000 * alone / number:.2f} ms a page")

    raw = sum(len(page.body) for page in pages)
    began = time.process_time()
    _keep(kept, pages)
    print(f"keeping: {1000 * (time.process_time() - began) / number:.2f} ms a page; ", end="")
    print(f"{kept.path.stat().st_size / raw:.1%} of {raw / 1e6:.0f} MB, each page once: {len(pages)}")
    ReExtraction(ledger, kept, section, processes=processes).run()  # stores the rows, so that later none differs

    began, cpu = time.monotonic(), _cpu()
    report = ReExtraction(ledger, kept, section, processes=processes).run()
    ratio = (_cpu() - cpu) / alone
    print(
        f"again, {report.same} same: {1000 * (_cpu() - cpu) / number:.2f} ms a page, {ratio:.2f} × the extractor, ",
        end="",
    )
    print(f"{time.monotonic() - began:.1f} s")
    section.close()
    kept.close()
    return ratio


def _pages(number: int) -> list[StoredPage]:
    """Return articles of the sample site, each with a text of its own."""
    bodies = sample_articles("zh")
    chance = random.Random(1)
    return [
        stored(f"{SAMPLE_SITE}/zh/{place}.html", body.replace(b"</p>", f" {chance.randrange(10**9)}</p>".encode(), 3))
        for place, body in ((place, bodies[place % len(bodies)]) for place in range(number))
    ]


def _keep(kept: KeptPages, pages: Sequence[StoredPage]) -> None:
    for start in range(0, len(pages), GROUP):
        with kept.exclusive():
            kept.write_pages([SourcePage(page.url, page, (_row(page),)) for page in pages[start : start + GROUP]])


def _row(page: StoredPage) -> dict[str, object]:
    hash_ = sha256(page.body).hexdigest()
    rows = {"task": "paper", "canonical_url": page.url, "version": 1, "content_hash": hash_}
    return rows | {"near_duplicate_of": None, "listed_on": None}


def _room(folder: Path) -> float:
    """Print and return the size of the kept articles of a stored site as a share of their original size."""
    pages = [stored(f"https://{folder.name}.example/{file}", body) for file, body in articles_of(folder)]
    random.Random(1).shuffle(pages)
    raw = sum(len(page.body) for page in pages)
    with tempfile.TemporaryDirectory(prefix="room-") as name:
        kept = KeptPages(Path(name) / "site.pages", keep=MONTH)
        began = time.process_time()
        _keep(kept, pages)
        seconds = time.process_time() - began
        kept.close()
        share = kept.path.stat().st_size / raw
    middle = median(len(page.body) for page in pages)
    print(f"{folder.name}: {len(pages)} pages, median {middle / 1000:.1f} KB: {share:.1%} ", end="")
    print(f"of {raw / 1e6:.1f} MB, {1000 * seconds / len(pages):.1f} ms a page")
    return share


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--folder", type=Path, help="where the files are written")
    parser.add_argument("--site", type=Path, action="append", default=[], help="a stored site, with truth.jsonl")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
