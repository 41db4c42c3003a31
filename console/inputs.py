"""The input of `exemplar extract`: files, folders, URLs, a list of URLs, standard input."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import click

from workers.page_store import LARGEST_PAGE

PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml", ".html.gz", ".htm.gz")
LIST_HEAD = 4096  # bytes by which a list of URLs is distinguished from a page


@dataclass(frozen=True, slots=True)
class PageIn:
    """A page to extract or explain. `name`: its file or URL; `role`: `example` for the example itself, else `page`."""

    name: str
    body: bytes
    url: str | None = None
    content_type: str | None = None
    fetched_at: datetime | None = None
    role: str = "page"
    screenshot: bytes | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """A page that is unavailable, and why."""

    name: str
    reason: str


def pages(sources: Sequence[str], examples: Sequence[str] = ()) -> tuple[list[PageIn], Iterator[PageIn | Missing]]:
    """Return the examples' pages, and the pages of all sources: local ones first, then fetched ones.

    All URLs are fetched together, including the examples', because a process can fetch only once. Raises
    `click.UsageError` for a source that does not exist, or an example that is unavailable.
    """
    local: list[Path | None] = []
    urls: list[str] = []
    for source in sources:
        if is_url(source):
            urls.append(source)
        elif source == "-":
            local.append(None)
        elif (listed := url_list(path := _existing(source))) is not None:
            urls += listed
        else:
            local.append(path)
    fetched = _fetched([*urls, *filter(is_url, examples)])
    example_pages = [_example(example, fetched) for example in examples]
    return example_pages, _all(local, [fetched[url] for url in dict.fromkeys(urls)])


def is_url(text: str) -> bool:
    """Whether a source is a URL."""
    return text.startswith(("http://", "https://"))


def is_one_page(sources: Sequence[str]) -> bool:
    """Whether the sources are a single page: no folder, and no list of URLs. Raises `click.UsageError` as `pages`."""
    [source, *further] = sources
    if further or is_url(source) or source == "-":
        return not further
    path = _existing(source)
    return not path.is_dir() and url_list(path) is None


def url_list(path: Path) -> list[str] | None:
    """Return the URLs of a text file, one per line (`#` begins a comment); None if it is another kind of file.

    The first line decides. Raises `click.UsageError` for a later line that is no URL.
    """
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            head = file.read(LIST_HEAD)
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    lines = (line.strip() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    if not first.startswith((b"http://", b"https://")) or b" " in first:
        return None
    urls = []
    for number, line in enumerate(path.read_text("utf-8-sig", "replace").splitlines(), 1):
        url = line.strip()
        if url and not url.startswith("#"):
            if not is_url(url) or " " in url:
                raise click.UsageError(f"{path}:{number}: {url!r} is not a URL; a list of URLs has one in each line")
            urls.append(url)
    return urls


def _existing(source: str) -> Path:
    path = Path(source)
    if not path.exists():
        raise click.UsageError(f"{source}: no such file or folder; name a page, a folder, a URL or -")
    return path


def _example(source: str, fetched: Mapping[str, PageIn | Missing]) -> PageIn:
    page = fetched[source] if is_url(source) else _file(_existing(source))
    if isinstance(page, Missing):
        raise click.UsageError(f"example {page.name}: {page.reason}")
    return page


def _all(local: Sequence[Path | None], fetched: Iterable[PageIn | Missing]) -> Iterator[PageIn | Missing]:
    for path in local:
        if path is None:
            yield _page("-", sys.stdin.buffer.read)
        elif path.is_dir():
            yield from _folder(path)
        else:
            yield _file(path)
    yield from fetched


def _folder(path: Path) -> Iterator[PageIn | Missing]:
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.name.lower().endswith(PAGE_SUFFIXES))
    if not files:
        raise click.UsageError(f"{path}: no page in this folder; pages end in {', '.join(PAGE_SUFFIXES[:3])}")
    for file in files:
        yield _file(file)


def _file(path: Path) -> PageIn | Missing:
    import gzip
    import zlib

    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            return _page(str(path), file.read)
    except (OSError, EOFError, zlib.error) as error:
        return Missing(str(path), getattr(error, "strerror", None) or str(error))


def _page(name: str, read: Callable[[int], bytes]) -> PageIn | Missing:
    body = read(LARGEST_PAGE + 1)
    if len(body) > LARGEST_PAGE:
        return Missing(name, f"larger than {LARGEST_PAGE // 2**20} MB, the limit for a page")
    return PageIn(name, body)


def _fetched(urls: Sequence[str]) -> dict[str, PageIn | Missing]:
    if not urls:
        return {}
    from crawler.fetching.single_pages import fetch

    return {
        url: Missing(url, answer)
        if isinstance(answer, str)
        else PageIn(url, answer.body, answer.url, answer.content_type, answer.fetched_at)
        for url, answer in fetch(urls).items()
    }
