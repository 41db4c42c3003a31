"""The targets of `benchmarks.outputs`, one for each kind of output: started, interrupted, and read at the end.

Servers are those of the tests: PostgreSQL, MariaDB and OpenSSH as programs of this machine, moto's for S3, and for
webhooks and search an HTTP server within this process. Each target has a folder, and ports, of its own.
"""

import ctypes
import json
import os
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from lxml import etree

from tests import services

from .output_readers import (
    Reader,
    read_csv,
    read_jsonl,
    read_kept_pages,
    read_markdown,
    read_parquet,
    read_sqlite,
    read_warc,
    urls_of_lines,
)

DISK = "disk"  # the folder that is moved away
FEED_ITEMS = 50
ANSWER_TIME = 0.3  # seconds that an HTTP server takes for a response
LOOK_EVERY = 0.005  # seconds between two readings of a feed
TABLE = "articles"
_EXCHANGE, _HERE = 2, -100  # RENAME_EXCHANGE and AT_FDCWD of renameat2(2)


class OutputTarget(ABC):
    """An output as in tasks.yaml, its interruption, and its rows.

    `newest`: it keeps only this number of rows, None: all. `faults`: other faults than missing or duplicate rows.
    `keeps_pages`: the task keeps its pages below `DISK`. `settings`: environment variables that its sink needs.
    """

    newest: int | None = None
    keeps_pages = False

    def __init__(self, output: str):
        self.output = output
        self.faults: list[str] = []
        self.settings: Mapping[str, str] = {}

    @abstractmethod
    def take_away(self) -> None:
        """Make the output unavailable."""

    @abstractmethod
    def bring_back(self) -> None:
        """Make the output available again."""

    @abstractmethod
    def urls(self) -> Iterator[str]:
        """Yield the URL of each row."""

    def note(self) -> str:
        """Return a remark on the output for the report."""
        return ""


class FolderTarget(OutputTarget):
    """A file below a folder, which is replaced by a file for a while, so that no process can create it again."""

    def __init__(self, output: str, disk: Path, reader: Callable[[], Iterator[str]]):
        super().__init__(output)
        self._disk, self._reader = disk, reader
        self._aside = disk.with_name(f"{disk.name}-away")

    def take_away(self) -> None:
        """Exchange the folder and an empty file in one step."""
        self._disk.mkdir(parents=True, exist_ok=True)
        self._aside.touch()
        _exchange(self._disk, self._aside)

    def bring_back(self) -> None:
        """Exchange them again."""
        _exchange(self._disk, self._aside)
        self._aside.unlink()

    def urls(self) -> Iterator[str]:
        """Yield the URLs that the reader finds."""
        return self._reader()


class FeedTarget(FolderTarget):
    """A feed, which is read continuously: it must be valid at every moment."""

    newest = FEED_ITEMS

    def __init__(self, output: str, disk: Path, parse: Callable[[bytes], list[str]]):
        super().__init__(output, disk, lambda: iter(parse(self._path.read_bytes())))
        self._path, self._parse, self._looks = disk / Path(output).name, parse, 0
        self._stopping = threading.Event()

    def watch(self) -> None:
        """Read the feed until `stop`."""
        while not self._stopping.wait(LOOK_EVERY):
            with suppress(FileNotFoundError, NotADirectoryError):
                data = self._path.read_bytes()
                self._looks += 1
                try:
                    self._parse(data)
                except ValueError as error:
                    self.faults.append(f"invalid with {len(data)} bytes: {error}")

    def stop(self) -> None:
        """End `watch`."""
        self._stopping.set()

    def note(self) -> str:
        """Return how often the feed was read."""
        return f"read {self._looks} times"


class KeptPagesTarget(FolderTarget):
    """Kept pages; the rows go to a file that is not interrupted."""

    keeps_pages = True


class WarcTarget(FolderTarget):
    """WARC files."""

    def __init__(self, folder: Path):
        disk = folder / DISK
        super().__init__(f"{DISK}/out.warc.gz", disk, lambda: read_warc(disk))

    def urls(self) -> Iterator[str]:
        """Yield the URLs of the pages; an incomplete file is a fault."""
        try:
            yield from super().urls()
        except ValueError as error:
            self.faults.append(str(error))


class ServerTarget(OutputTarget):
    """A server that is stopped and started again; every second time it is killed, if it can be."""

    def __init__(self, output: str, server: Any, reader: Callable[[], Iterator[str]]):
        super().__init__(output)
        self._reader, self._interruptions = reader, 0
        self._ends = [server.stop, getattr(server, "kill", server.stop)]
        self._start = server.start

    def take_away(self) -> None:
        """End the server."""
        self._ends[self._interruptions % len(self._ends)]()
        self._interruptions += 1

    def bring_back(self) -> None:
        """Start the server with its data."""
        self._start()

    def urls(self) -> Iterator[str]:
        """Yield the URLs of the rows that the server has."""
        return self._reader()


class WebhookTarget(ServerTarget):
    """A receiver of webhooks. A row that is received again with the same id is counted once."""

    def __init__(self, receiver: Any):
        super().__init__(f"http://127.0.0.1:{receiver.port}/hook?secret=whsec_c2VjcmV0", receiver, self._rows)
        self._receiver, self._again = receiver, 0

    def _rows(self) -> Iterator[str]:
        """Yield the URL of each id of a row."""
        messages: dict[str, bytes] = {}
        rows: Counter[tuple[str, str]] = Counter()
        for request in self._receiver.requests:
            if request.method != "POST":
                continue
            if messages.setdefault(request.headers["webhook-id"], request.body) != request.body:
                self.faults.append(f"message {request.headers['webhook-id']} came with two bodies")
            rows.update((row["id"], row["url"]) for row in json.loads(request.body)["rows"])
        self._again = rows.total() - len(rows)
        yield from (url for _, url in rows)

    def note(self) -> str:
        """Return how many rows were received again."""
        return f"{self._again} rows again with the same id"


def _exchange(one: Path, other: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one))


# -- one function per kind: from a folder and the body of a URL's page to its target -----------------------------------

Body = Callable[[str], bytes]
Opener = Callable[[Path, Body], AbstractContextManager[OutputTarget]]


@contextmanager
def _files(folder: Path, body: Body, *, name: str, reader: Reader) -> Iterator[OutputTarget]:
    yield FolderTarget(f"{DISK}/{name}", folder / DISK, lambda: reader(folder / DISK))


@contextmanager
def _file_address(folder: Path, body: Body) -> Iterator[OutputTarget]:
    yield FolderTarget(f"file://{folder}/{DISK}/rows/", folder / DISK, lambda: read_jsonl(folder / DISK))


@contextmanager
def _feed(folder: Path, body: Body, *, name: str, parse: Callable[[bytes], list[str]]) -> Iterator[OutputTarget]:
    target = FeedTarget(f"{DISK}/{name}", folder / DISK, parse)
    thread = threading.Thread(target=target.watch)
    thread.start()
    try:
        yield target
    finally:
        target.stop()
        thread.join()


@contextmanager
def _warc(folder: Path, body: Body) -> Iterator[OutputTarget]:
    yield WarcTarget(folder)


@contextmanager
def _kept_pages(folder: Path, body: Body) -> Iterator[OutputTarget]:
    def urls() -> Iterator[str]:
        [path] = (folder / DISK).rglob("*.pages")
        return read_kept_pages(path, body)

    yield KeptPagesTarget("out.jsonl", folder / DISK, urls)


@contextmanager
def _sql(
    folder: Path, body: Body, *, start: Callable[[], AbstractContextManager[services.SqlServer]]
) -> Iterator[OutputTarget]:
    with start() as server:
        server.run("CREATE DATABASE bench")

        def urls() -> Iterator[str]:
            return (url for (url,) in server.run(f"SELECT url FROM {TABLE}", database="bench"))

        yield ServerTarget(server.address("bench"), server, urls)


@contextmanager
def _s3(folder: Path, body: Body) -> Iterator[OutputTarget]:
    with _of_tests("store_servers").s3_server() as server:
        bucket, gate = server.bucket(), server.gate
        gate.stop, gate.start = gate.close, gate.open

        def urls() -> Iterator[str]:
            for name, data in server.objects(bucket).items():
                yield from urls_of_lines(name, data)

        target = ServerTarget(f"s3://{bucket}/rows/", gate, urls)
        target.settings = server.environment(server.endpoint)
        yield target


@contextmanager
def _sftp(folder: Path, body: Body) -> Iterator[OutputTarget]:
    with services.sshd() as server:
        address = server.address(f"{folder}/rows/?key={server.key}&known_hosts={server.known_hosts}")
        yield ServerTarget(address, server, lambda: read_jsonl(folder / "rows"))


@contextmanager
def _webhook(folder: Path, body: Body) -> Iterator[OutputTarget]:
    with _of_tests("http_receiver").Receiver() as receiver:
        receiver.answer = _slow(receiver.answer)
        yield WebhookTarget(receiver)


@contextmanager
def _search(folder: Path, body: Body) -> Iterator[OutputTarget]:
    with _of_tests("search_double").SearchDouble() as server:
        server.answer = _slow(server.answer)

        def urls() -> Iterator[str]:
            return (row["url"] for index in server.documents.values() for _, row in index.values())

        target = ServerTarget(f"opensearch+http://127.0.0.1:{server.port}/bench", server, urls)
        yield target
        target.faults += [f"index {name} was created by a row" for name in server.auto_created]


def _slow(answer: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Delay responses, so that some kills happen between a request and its response."""

    def answer_later(request: Any, connection: Any) -> None:
        time.sleep(ANSWER_TIME)
        answer(request, connection)

    return answer_later


def _atom_urls(data: bytes) -> list[str]:
    try:
        feed = etree.fromstring(data)
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error)) from None
    names = {"atom": "http://www.w3.org/2005/Atom"}
    links = feed.xpath("atom:entry/atom:link[not(@rel) or @rel='alternate']/@href", namespaces=names)
    return [str(link) for link in links] if isinstance(links, list) else []


def _json_feed_urls(data: bytes) -> list[str]:
    return [item["url"] for item in json.loads(data)["items"]]


def _of_tests(name: str) -> Any:
    """Return a module of `tests.workers`, whose functions have no types."""
    return import_module(f"tests.workers.{name}")


TARGETS: Mapping[str, Opener] = {
    "jsonl": partial(_files, name="out.jsonl", reader=read_jsonl),
    "jsonl.gz": partial(_files, name="out.jsonl.gz", reader=read_jsonl),
    "jsonl.zst": partial(_files, name="out.jsonl.zst", reader=read_jsonl),
    "csv": partial(_files, name="out.csv", reader=read_csv),
    "markdown": partial(_files, name="{title}.md", reader=read_markdown),
    "sqlite": partial(_files, name="out.db", reader=read_sqlite),
    "parquet": partial(_files, name="rows.parquet", reader=read_parquet),
    "file": _file_address,
    "warc": _warc,
    "kept pages": _kept_pages,
    "atom": partial(_feed, name="out.atom", parse=_atom_urls),
    "json feed": partial(_feed, name="out.feed.json", parse=_json_feed_urls),
    "postgresql": partial(_sql, start=services.postgres),
    "mariadb": partial(_sql, start=services.mariadb),
    "s3": _s3,
    "sftp": _sftp,
    "webhook": _webhook,
    "search": _search,
}


@contextmanager
def target_of(kind: str, folder: Path, body: Body) -> Iterator[OutputTarget]:
    """Start the target of a kind, and end it. `folder`: for this target only; `body`: that of the page of a URL."""
    with ExitStack() as stack:
        target = stack.enter_context(TARGETS[kind](folder, body))
        os.environ.update(target.settings)
        yield target
