"""Readers of outputs: the URL of each row, or page, in an output, read as by a user's program."""

import csv
import gzip
import io
import json
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import zstandard

from workers.pages.kept_pages import KeptPages

Reader = Callable[[Path], Iterator[str]]  # returns the URL of each row in a file or folder
PAGES_AT_ONCE = 100  # kept pages that are read together


def read_jsonl(path: Path) -> Iterator[str]:
    """Yield the URLs of JSON lines, plain or compressed; for a folder those of all its files."""
    for file in files_below(path):
        if ".jsonl" in file.name or ".ndjson" in file.name:
            yield from urls_of_lines(file.name, file.read_bytes())


def read_csv(path: Path) -> Iterator[str]:
    """Yield the URLs of CSV files."""
    csv.field_size_limit(2**30)
    for file in files_below(path):
        lines = io.StringIO(unpacked(file.name, file.read_bytes()).removeprefix("\ufeff"), newline="")
        yield from (row["url"] for row in csv.DictReader(lines))


def read_sqlite(path: Path) -> Iterator[str]:
    """Yield the URLs of a database, or of the one in a folder."""
    [path] = path.glob("*.db") if path.is_dir() else [path]
    with closing(sqlite3.connect(path)) as database:
        yield from (url for (url,) in database.execute("SELECT url FROM articles"))


def read_parquet(path: Path) -> Iterator[str]:
    """Yield the URLs of a Parquet file or of those in a folder. The files of `out.parquet` are in the folder `out`."""
    from pyarrow import parquet

    for file in files_below(path if path.exists() else path.with_suffix("")):
        if file.suffix == ".parquet":
            yield from parquet.ParquetFile(file).read(["url"]).column("url").to_pylist()


def read_markdown(path: Path) -> Iterator[str]:
    """Yield the URLs of a folder of Markdown files: the first `url:` of each. `path` may be that of its files."""
    for file in files_below(path if path.is_dir() else path.parent):
        if file.suffix == ".md":
            lines = file.read_text("utf-8").splitlines()
            yield next(line.partition(":")[2].strip().strip("\"'") for line in lines if line[:4] == "url:")


def read_warc(path: Path) -> Iterator[str]:
    """Yield the URLs of the responses in the WARC files of a folder, complete and open ones.

    Raises `ValueError` if a file has an incomplete record, or a page lacks metadata records.
    """
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    for file in files_below(path):
        if not file.name.endswith(".warc.gz"):
            continue
        urls: dict[str, list[str]] = {"response": [], "metadata": [], "warcinfo": []}
        with file.open("rb") as stream:
            try:
                for record in ArchiveIterator(stream, no_record_parse=True):
                    size = len(record.raw_stream.read())
                    if size != record.length:
                        raise ValueError(f"{file.name}: a record of {record.length} bytes has {size}")
                    urls[record.rec_type].append(record.rec_headers.get_header("WARC-Target-URI"))
            except (ArchiveLoadFailed, EOFError) as error:
                raise ValueError(f"{file.name} is not whole: {error}") from None
        if urls["response"] != urls["metadata"]:
            raise ValueError(f"{file.name}: {len(urls['response'])} responses, {len(urls['metadata'])} metadata")
        yield from urls["response"]


def read_kept_pages(path: Path, page: Callable[[str], bytes]) -> Iterator[str]:
    """Yield the URLs of the pages in a file of kept pages whose body is that of `page`."""
    with closing(sqlite3.connect(path)) as database:
        ids = [page_id for (page_id,) in database.execute("SELECT id FROM pages ORDER BY id")]
    with closing(KeptPages(path)) as pages:
        for start in range(0, len(ids), PAGES_AT_ONCE):
            for kept in pages.read(ids[start : start + PAGES_AT_ONCE]):
                if kept.page.body == page(kept.url):
                    yield kept.url


def read_command(command: str) -> list[str]:
    """Return the lines that a command prints."""
    return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout.splitlines()


def files_below(path: Path) -> list[Path]:
    """Return a file, or the files that are not hidden in a folder and below it."""
    if not path.is_dir():
        return [path]
    files = (file for file in path.rglob("*") if file.is_file())
    return sorted(file for file in files if not any(part[0] == "." for part in file.relative_to(path).parts))


def urls_of_lines(name: str, data: bytes) -> Iterator[str]:
    """Yield the URLs of JSON lines; `name`: the file's name, whose suffix gives the compression."""
    yield from (json.loads(line)["url"] for line in unpacked(name, data).split("\n") if line)


def unpacked(name: str, data: bytes) -> str:
    """Return the text of a file, which may be compressed."""
    if name.endswith(".gz"):
        data = gzip.decompress(data)
    elif name.endswith(".zst"):
        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return data.decode("utf-8")


READERS: dict[str, Reader] = {  # by a part of the address
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".csv": read_csv,
    ".db": read_sqlite,
    ".sqlite": read_sqlite,
    ".parquet": read_parquet,
    ".md": read_markdown,
    "markdown": read_markdown,
    ".warc.gz": read_warc,
}
