"""Reads the history of a run that has ended: from the site's log, the ledger and the outputs."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import cast

import redis

from tests.chaos.checker import COMPARED, History, OutputRow
from tests.chaos.site import Site
from workers import keys
from workers.ledger import Ledger
from workers.url_states import FINAL_STATES, fingerprint

SETS = ("waiting", "delayed", "leased", "fetched", "held")
COLUMNS = ("task", "url", "version", *COMPARED)
_STATE_OF = {"o" if state == "forgotten" else state[0]: state for state in FINAL_STATES}


def history_of(site: Site, client: "redis.Redis", out: Path) -> History:
    """Everything that the checker needs to know."""
    published = {task: {url: site.expected(url) for url in urls} for task, urls in site.articles().items()}
    places: dict[tuple[str, str], tuple[str, ...]] = {}
    counts: dict[str, dict[str, int]] = {}
    reasons: dict[str, str] = {}
    for task, urls in published.items():
        ledger = Ledger(client, task)
        counts[task] = ledger.counts().to_dict()
        places |= {(task, url): found for url, found in _places(ledger, list(urls)).items()}
        for url in urls:
            if places[task, url] not in ((), ("written",)) and (state := ledger.state_of(url)):
                reasons[url] = state[1]
    outputs: dict[tuple[str, str], list[OutputRow]] = {}
    damaged: dict[tuple[str, str], int] = {}
    for task in published:
        outputs[task, "jsonl"], damaged[task, "jsonl"] = _rows_of_files(sorted(out.glob(f"{task}.jsonl*")))
        outputs[task, "db"] = _rows_of_database(out / f"{task}.db")
        target = targets_of(out) / task / "rows.jsonl"
        outputs[task, "target"], damaged[task, "target"] = _rows_of_files([target] if target.exists() else [])
    served = Counter(url for _, url in site.served())
    requests = sorted(at for at, _ in site.requests)
    return History(published, served, places, counts, outputs, damaged, reasons, requests=requests, left=_left(client))


def _left(client: "redis.Redis") -> list[str]:
    """What Redis still holds although all is settled: bodies, claims to pages, and sums that are not zero."""
    pages = [key.decode() for key in client.scan_iter("exemplar:*:page:*") if client.hexists(key, "body")]
    sums = [f"{key}: {client.hgetall(key)}" for key in (keys.STORED, keys.QUEUED) if client.exists(key)]
    return [*pages[:3], *sums]


def targets_of(out: Path) -> Path:
    """The folder of the targets that get rows in batches, beside the disk of the outputs."""
    return out.parents[1] / "targets"


def _places(ledger: Ledger, urls: list[str]) -> dict[str, tuple[str, ...]]:
    """Each URL's place in the ledger: the open sets that hold it, and its final state."""
    sets = {name: set(cast(list[bytes], ledger.redis.zrange(ledger.keys[name], 0, -1))) for name in SETS}
    pipe = ledger.redis.pipeline(transaction=False)
    for url in urls:
        pipe.hget(*ledger.place_of(fingerprint(url)))
    codes = [code.decode("utf-8", "replace")[0] if code else "" for code in pipe.execute()]
    return {
        url: (*(name for name in SETS if fingerprint(url).encode() in sets[name]), *([_STATE_OF[code]] if code else []))
        for url, code in zip(urls, codes, strict=True)
    }


def _rows_of_files(paths: list[Path]) -> tuple[list[OutputRow], int]:
    """The rows of a JSONL output, those of files that were moved aside included, and how many lines are none.

    A file that was moved aside may end within a line: the process that wrote it was killed, and nobody writes that file
    any more. The page was not settled, so its row is in another file.
    """
    rows, damaged = [], 0
    for line in (line for path in paths for line in _lines(path)):
        try:
            row = json.loads(line)
            rows.append(OutputRow(**{name: row[name] for name in COLUMNS}))
        except (ValueError, KeyError, TypeError):
            damaged += 1
    return rows, damaged


def _lines(path: Path) -> list[bytes]:
    lines = path.read_bytes().splitlines(keepends=True)
    if path.suffix != ".jsonl" and lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    return lines


def _rows_of_database(path: Path) -> list[OutputRow]:
    if not path.exists():
        return []
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        return [OutputRow(*row) for row in connection.execute(f"SELECT {', '.join(COLUMNS)} FROM articles")]
