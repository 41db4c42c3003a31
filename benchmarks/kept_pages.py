"""The size of the kept articles of stored sites, and the CPU time of keeping a page.

    python -m benchmarks.kept_pages DATA/sites/NAME DATA/sites/OTHER

Pages are kept in groups of ten, as by workers, in any order. `truth.jsonl` of a site names its articles.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from statistics import median

from benchmarks.pages import articles_of, stored
from workers.page_store import StoredPage
from workers.pages.kept_pages import KeptPages
from workers.sinks import SourcePage

MONTH = 30 * 86400.0
GROUP = 10  # pages that a worker writes together
MOST_ROOM = 0.15


def main() -> int:
    """Measure; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path, nargs="+", help="stored sites, with truth.jsonl")
    shares = [measure(folder) for folder in parser.parse_args().sites]
    return int(any(share > MOST_ROOM for share in shares))


def measure(folder: Path) -> float:
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


def _keep(kept: KeptPages, pages: Sequence[StoredPage]) -> None:
    for start in range(0, len(pages), GROUP):
        with kept.exclusive():
            kept.write_pages([SourcePage(page.url, page, (_row(page),)) for page in pages[start : start + GROUP]])


def _row(page: StoredPage) -> dict[str, object]:
    hash_ = sha256(page.body).hexdigest()
    rows = {"task": "paper", "canonical_url": page.url, "version": 1, "content_hash": hash_}
    return rows | {"near_duplicate_of": None, "listed_on": None}


if __name__ == "__main__":
    sys.exit(main())
