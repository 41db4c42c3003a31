"""Screenshots of stored pages: served on loopback, rendered by `evaluation.screenshots`, stored in a folder.

The folder has the form for `evaluation.visual_training`: `article/` and `list/` with one PNG per page. In addition
`pages.jsonl` has one line per page: set, id, kind, file, scripts, reason. Pages in it, including failed ones, are not
rendered again.
"""

import hashlib
import json
import mimetypes
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from tests.http_site import HttpSite, Response

from .data import DataError, DataSet, Row

KINDS = ("article", "list")
INDEX = "pages.jsonl"
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A stored page and its screenshot; `file`: relative to the folder; `reason`: why there is none."""

    set: str
    id: str
    kind: str
    file: str
    scripts: bool
    reason: str


def sample(sets: Sequence[DataSet], count: int, seed: int) -> Iterator[tuple[DataSet, Row]]:
    """Yield at most `count` articles and as many lists of each set, at random but the same for one seed."""
    for one in sets:
        for kind in KINDS:
            rows = sorted((row for row in one.rows if row.kind == kind), key=lambda row: row.id)
            random.Random(f"{seed}:{one.name}:{kind}").shuffle(rows)
            yield from ((one, row) for row in rows[:count])


def render(wanted: Sequence[tuple[DataSet, Row]], roots: dict[str, Path], cache: Path) -> list[Rendered]:
    """Return the entries of the wanted pages, rendered if they are not in the folder yet. Raises `DataError` without a
    browser.

    `roots`: each set's folder, by name.
    """
    known = read_index(cache)
    missing = [(one, row) for one, row in wanted if (one.name, row.id) not in known]
    if missing:
        _render_missing(missing, roots, cache)
        known = read_index(cache)
    return [known[key] for one, row in wanted if (key := (one.name, row.id)) in known]


def read_index(cache: Path) -> dict[tuple[str, str], Rendered]:
    """Return the pages of a folder by set and id."""
    index = cache / INDEX
    lines = index.read_text("utf-8").splitlines() if index.exists() else []
    return {(page.set, page.id): page for page in (Rendered(**json.loads(line)) for line in lines)}


def _render_missing(missing: Sequence[tuple[DataSet, Row]], roots: dict[str, Path], cache: Path) -> None:
    for kind in KINDS:
        (cache / kind).mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        sets = {one.name: one for one, _ in missing}
        servers = {name: stack.enter_context(StoredSite(roots[name], one.rows)) for name, one in sets.items()}
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = {servers[one.name].address(row): (one, row) for one, row in missing}
        for shot in _screenshots(list(urls), work):
            one, row = urls[shot["url"]]
            _keep(one, row, shot, cache)


def _screenshots(urls: Sequence[str], work: Path) -> Iterator[dict[str, Any]]:
    """Run the crawler's own command in a process of its own and yield the lines of its index."""
    (work / "urls.txt").write_text("\n".join(urls), "utf-8")
    command = [sys.executable, "-m", "evaluation.screenshots", "urls.txt", "--out", "shots", "--delay", "0"]
    environment = os.environ | {"EXEMPLAR_ALLOW_HOSTS": HOST, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(
        [*command, "--listed-only"], cwd=work, env=environment, capture_output=True, text=True, check=False
    )
    index = work / "shots" / "screenshots.jsonl"
    if not index.exists():
        raise DataError(f"no screenshots: {done.stderr.strip() or 'the command had no output'}")
    for line in index.read_text("utf-8").splitlines():
        shot: dict[str, Any] = json.loads(line)
        yield shot | {"file": work / shot["file"]}


def _keep(one: DataSet, row: Row, shot: dict[str, Any], cache: Path) -> None:
    """Move a screenshot into the folder and write its line."""
    key = hashlib.sha256(f"{one.name}/{row.id}".encode()).hexdigest()[:12]
    file = f"{row.kind}/{one.name}-{key}.png"
    if not shot["reason"]:
        (cache / file).write_bytes(shot["file"].read_bytes())
    page = Rendered(one.name, row.id, str(row.kind), "" if shot["reason"] else file, shot["scripts"], shot["reason"])
    with (cache / INDEX).open("a", encoding="utf-8") as index:
        index.write(json.dumps(asdict(page), ensure_ascii=False) + "\n")


class StoredSite(HttpSite):
    """`with StoredSite(root, rows) as site:` serves a set's folder on loopback, as the root of a host of its own.

    Compressed pages are decompressed, and links to a page's original host are redirected to this one, for its styles.
    """

    def __init__(self, root: Path, rows: Sequence[Row]):
        super().__init__(self._respond, HOST)
        self.root = root.resolve()
        self.rows = {row.file.resolve(): row for row in rows}

    def address(self, row: Row) -> str:
        """Return the URL of a page."""
        path = quote(row.file.resolve().relative_to(self.root).as_posix())
        return f"{self.url}/{path}"

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Return content type and bytes, or None."""
        file = (self.root / unquote(urlsplit(path).path).lstrip("/")).resolve()
        if file in self.rows:
            return "text/html", self._page(self.rows[file])
        if not file.is_relative_to(self.root) or not file.is_file() or file.name in ("truth.jsonl", "groups.json"):
            return None
        return mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.read_bytes()

    def _page(self, row: Row) -> bytes:
        parts = urlsplit(row.url or "")
        origins = [f'"{scheme}://{parts.netloc}/'.encode() for scheme in ("http", "https")] if parts.netloc else []
        page = row.html()
        for origin in origins:
            page = page.replace(origin, b'"/')
        return page

    def _respond(self, path: str) -> Response:
        found = self.answer(path)
        kind, body = found or ("text/plain", b"not stored")
        return 200 if found else 404, {"Content-Type": kind}, body
