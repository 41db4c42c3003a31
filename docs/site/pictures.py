"""Pictures of the real program and the sample site: `python -m docs.site.pictures FOLDER`.

The console, the terminal and a report, in both languages. Each becomes a WebP file of at most `LARGEST` bytes.
"""

import html
import io
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.text import Text

from crawler.rendering.chromium import find_browser
from crawler.task_list.schema import sample
from docs.site import console_pictures
from evaluation.sample_site import SiteServer, tasks_yaml, truth

WIDTH, HEIGHT = 1280, 900  # pixels; what is below is cut off
TERMINAL_WIDTH = 920
LARGEST = 80_000
COLUMNS = 110  # of the terminal
LOCALES = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}
SECTIONS = {"en": "en-stories", "zh": "zh-news"}  # of the sample site
OF_CONSOLE = ("articles", "tasks")
EXAMPLE = truth("en")[3]
LAST_PAGE = (
    "[...document.querySelectorAll('details.page')].at(-1).open = true; scrollTo(0, document.body.scrollHeight);"
)
LAST_PAGE += "[...document.querySelectorAll('details.page')].at(-1).scrollIntoView()"
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #14181a; }
pre { margin: 0; padding: 20px 24px; color: #e8ebe9; font: 12.5px/1.4 monospace; white-space: pre-wrap; }
.prompt { color: #5fc9b4; }
</style><pre><span class="prompt">$</span> COMMAND
OUTPUT</pre>"""


def names() -> list[str]:
    """Return the names of the pictures."""
    of_console = [f"console-{name}-{language}" for name in OF_CONSOLE for language in LOCALES]
    others = [f"{name}-{language}" for name in ("report", "terminal-add") for language in LOCALES]
    return [*others, *of_console]


def main(target: Path) -> None:
    """Write all pictures into a folder, which is emptied."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary, SiteServer() as site:
        work = Path(temporary)
        for language, locale in LOCALES.items():
            with _page() as page:
                page.goto(_report(work / f"report-{language}", site, SECTIONS[language], locale).as_uri())
                page.evaluate(LAST_PAGE)  # of those that were extracted
                _save(page.screenshot(), target / f"report-{language}.webp")
        with _page() as page:  # another one: the report's policy would forbid styles
            page.set_viewport_size({"width": TERMINAL_WIDTH, "height": HEIGHT})
            for language, locale in LOCALES.items():
                page.set_content(_terminal(work / language, site, locale))
                _save(page.locator("pre").screenshot(), target / f"terminal-add-{language}.webp")
        console_pictures.main(work / "console")
        for name in OF_CONSOLE:
            for language in LOCALES:
                taken = work / "console" / f"{name}-{language}-light-{WIDTH}.png"
                _save(taken.read_bytes(), target / f"console-{name}-{language}.webp")


@contextmanager
def _page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        browser.close()


def _environment(locale: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("EXEMPLAR_", "REDIS_URL", "LC_"))}
    return own | {
        "EXEMPLAR_ALLOW_HOSTS": "127.0.0.1",
        "LANG": locale,
        "COLUMNS": str(COLUMNS),
        "TERM": "xterm-256color",
    }


def _report(folder: Path, site: SiteServer, task: str, locale: str) -> Path:
    """Try a section of the sample site, and return the report."""
    folder.mkdir()
    (folder / "tasks.yaml").write_text(tasks_yaml(site.url), "utf-8")
    command = [sys.executable, "-m", "console", "try", task, "--report", "why.html"]
    subprocess.run(command, cwd=folder, env=_environment(locale), check=True, capture_output=True)
    return folder / "why.html"


def _terminal(folder: Path, site: SiteServer, locale: str) -> str:
    """Add a section on a terminal, and return what it shows as a page."""
    folder.mkdir()
    (folder / "tasks.yaml").write_text(sample("https://example.org/our-crawler") + "  delay: 0\n", "utf-8")
    arguments = ["add", site.url + EXAMPLE.path, "--name", "harbour-news"]
    shown = _on_a_terminal([sys.executable, "-m", "console", *arguments], folder, _environment(locale))
    recorder = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    recorder.print(Text.from_ansi(shown), soft_wrap=True)
    output = recorder.export_html(inline_styles=True, code_format="{code}")
    return TERMINAL.replace("COMMAND", html.escape(" ".join(("exemplar", *arguments)))).replace("OUTPUT", output)


def _on_a_terminal(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command on a terminal of its own, and return what it wrote."""
    ours, its = pty.openpty()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=its, stdout=its, stderr=its)
    os.close(its)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the last process has closed it
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    if process.wait() != 0:
        raise SystemExit(written.decode("utf-8", "replace"))
    return written.decode("utf-8").replace("\r\n", "\n")


def _save(picture: bytes, target: Path) -> None:
    """Write a picture with as many colours as `LARGEST` allows."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.crop((0, 0, image.width, min(image.height, HEIGHT)))
    for colours in (256, 128, 64, 32):
        few = image.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.convert("RGB").save(target, lossless=True, method=6)
        if target.stat().st_size <= LARGEST:
            return
    raise SystemExit(f"{target.name} has more than {LARGEST} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
