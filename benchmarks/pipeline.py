"""Articles per CPU second, from a site to a file, compared with Scrapy and trafilatura in its callback.

    python -m benchmarks.pipeline --pages 1000
    python -m benchmarks.pipeline --pages 1000 --folder PAGES

nginx serves the articles of one section of the sample site, each with a menu of 25 KB (35 KB together), or the pages of
a folder; they should be of one section, too, as a task's pages are. One side is the command
`exemplar run --once` with its spider, its workers and the embedded Redis, the other a tuned Scrapy spider that writes a
JSONL file. Both crawl a small and a large site in turns; the difference between the CPU times of all processes is the
time for the pages, without starts and ends.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.nginx import LINKS_A_LIST, served, task_list, write_lists
from benchmarks.pages import SAMPLE_SITE
from benchmarks.processes import environment, run
from benchmarks.spider_cost import PLAIN, WORDS
from evaluation.sample_site import DESIGNS, SECTIONS, render_site, truth
from workers.errors import ExemplarError

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SMALL = 20  # pages of the small site
MENU = 25_000  # bytes of the menu around an article of the sample site


def main() -> None:
    """Crawl both sites by both programs in turns, and print the articles per CPU second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="HTML files to serve in place of the sample site's articles")
    asked = parser.parse_args()
    if find_spec("trafilatura") is None:
        raise SystemExit("this benchmark requires trafilatura: pip install -c constraints.txt '.[bench]'")
    with tempfile.TemporaryDirectory(prefix="pipeline-") as name:
        root = Path(name)
        write_site(root, pages_of(asked.folder), asked.pages)
        with served(root) as address:
            rates = [measure(address, root, asked.pages) for _ in range(asked.rounds)]
    ours, theirs = (median(rate[side] for rate in rates) for side in (0, 1))
    ratio = median(ours / theirs for ours, theirs in rates)
    print(f"{ours:.1f} articles per CPU second, Scrapy with trafilatura {theirs:.1f}; ratio {ratio:.2f}")


def measure(address: str, root: Path, pages: int) -> tuple[float, float]:
    """Return the articles per CPU second of both programs, starts and ends not counted."""
    ours = exemplar(address, root, pages) - exemplar(address, root, SMALL)
    theirs = scrapy(address, root, pages) - scrapy(address, root, SMALL)
    return (pages - SMALL) / ours, (pages - SMALL) / theirs


def pages_of(folder: Path | None) -> Iterator[bytes]:
    """Yield the pages of a folder, or the articles of a section of the sample site with menus, repeatedly."""
    if folder is None:
        rng = random.Random(1)
        words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 11))) for _ in range(WORDS)]
        links = "".join(f'<li class="item"><a href="/menu/{word}/">{word}</a></li>\n' for word in words)
        menu = f'<nav><ul class="menu">{links[:MENU].rpartition("<li")[0]}</ul></nav>'.encode()
        site = render_site(SAMPLE_SITE, DESIGNS[0])
        bodies = [site[article.path].body.replace(b"</body>", menu + b"</body>") for article in truth(SECTIONS[-1])]
    else:
        bodies = [file.read_bytes() for file in sorted(folder.rglob("*.html"))]
    while True:
        yield from bodies


def write_site(root: Path, bodies: Iterator[bytes], pages: int) -> None:
    """Write /p/0.html …, and a folder of list pages for each of the two sites."""
    (root / "p").mkdir()
    for number, body in zip(range(pages), bodies, strict=False):
        name = "".join(DIGITS[int(digit)] for digit in str(number))  # pages that differ only in numbers are block pages
        own = body.replace(b"<title>", f"<title>{name} ".encode(), 1).replace(b"</p>", f" {name}.</p>".encode(), 1)
        (root / "p" / f"{number}.html").write_bytes(own)
    for size in (SMALL, pages):
        write_lists(root / f"list-{size}", "p", size)


def exemplar(address: str, root: Path, pages: int) -> float:
    """Return the CPU seconds of `exemplar run --once` and all its processes. Raises `ExemplarError`."""
    with tempfile.TemporaryDirectory(prefix="run-", dir=root) as folder:
        tasks = Path(folder) / "tasks.yaml"
        tasks.write_text(task_list("t", address, f"list-{pages}", "p", pages))
        return _cpu(folder, pages, "-m", "console", "run", "--once", str(tasks))


def scrapy(address: str, root: Path, pages: int) -> float:
    """Return the CPU seconds of a spider with trafilatura. Raises `ExemplarError`."""
    with tempfile.TemporaryDirectory(prefix="scrapy-", dir=root) as folder:
        code = "import sys; from benchmarks import pipeline; pipeline.scrapy_child(*sys.argv[1:])"
        return _cpu(folder, pages, "-c", code, address, str(pages), f"{folder}/a.jsonl")


def scrapy_child(address: str, pages: str, output: str) -> None:
    """Run a spider that follows the links of the lists and extracts each page in its callback."""
    import scrapy
    from scrapy.crawler import CrawlerProcess

    trafilatura = import_module("trafilatura")  # extra `bench`
    last = (int(pages) - 1) // LINKS_A_LIST

    class Articles(scrapy.Spider):
        name = "articles"

        async def start(self) -> AsyncIterator[Any]:
            for number in range(last + 1):
                yield scrapy.Request(f"{address}/list-{pages}/{number}.html", callback=self.listed)

        def listed(self, response: Any) -> Iterator[Any]:
            for link in response.css("a::attr(href)").getall():
                yield response.follow(link, callback=self.article)

        def article(self, response: Any) -> None:
            row = trafilatura.extract(response.text, url=response.url, with_metadata=True, output_format="json")
            if row is not None:
                file.write(json.dumps(json.loads(row), ensure_ascii=False) + "\n")

    with Path(output).open("w", encoding="utf-8") as file:
        process = CrawlerProcess(PLAIN)
        process.crawl(Articles)
        process.start()


def _cpu(folder: str, pages: int, *words: str) -> float:
    """Return the CPU seconds of a Python program that writes a row of most pages into a folder."""
    spent, done = run([sys.executable, *words], cwd=folder, capture_output=True, env=environment())
    if done.returncode:
        raise ExemplarError(f"{' '.join(words[:3])}: {done.stderr[-500:]}")
    rows = len(Path(folder, "a.jsonl").read_text("utf-8").splitlines())
    if rows < 0.8 * pages:
        raise ExemplarError(f"{rows} rows of {pages} pages")
    return spent


if __name__ == "__main__":
    main()
