"""CPU time until the first extractor of a process is ready, and until it has extracted its first page.

    python -m benchmarks.start --rounds 11

New interpreters run in turns: without an import, with an import of NumPy or of lxml alone, with an extractor, with its
first page (an article of the sample site). Bytecode is written before. The times are those of the whole processes.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.pages import SAMPLE_SITE
from benchmarks.processes import run
from evaluation.sample_site import DESIGNS, SECTIONS, render_site, truth

READY = "from extractors import Section; section = Section(None)"
CODE = {
    "the interpreter": "",
    "NumPy": "import numpy",
    "lxml": "import lxml.etree",
    "an extractor is ready": READY,
    "its first page is extracted": f"import sys; {READY}; section.extract(open(sys.argv[1], 'rb').read(), sys.argv[2])",
}


def main() -> None:
    """Print the median of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    asked = parser.parse_args()
    path = truth(SECTIONS[0])[0].path
    with tempfile.TemporaryDirectory(prefix="start-") as folder:
        page = Path(folder) / "page.html"
        page.write_bytes(render_site(SAMPLE_SITE, DESIGNS[0])[path].body)
        times: dict[str, list[float]] = {name: [] for name in CODE}
        for turn in range(asked.rounds + 1):
            for name, code in CODE.items():
                seconds = cpu(code, str(page), SAMPLE_SITE + path)
                times[name] += [seconds] if turn else []  # the first turn writes bytecode
    for name, taken in times.items():
        print(f"{name:28} {median(taken) * 1000:5.0f} ms, least {min(taken) * 1000:.0f}")


def cpu(code: str, *arguments: str) -> float:
    """Return the CPU seconds of an interpreter that runs some code."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return run([sys.executable, "-c", code, *arguments], check=True, env=environment)[0]


if __name__ == "__main__":
    main()
