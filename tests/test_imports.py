"""What an import loads: no library of an extra, and `exemplar --help` is quick."""

import subprocess
import sys
from pathlib import Path

from benchmarks.processes import run

ROOT = Path(__file__).parent.parent
OF_EXTRAS = {
    "adlfs", "aiobotocore", "azure", "boto3", "botocore", "fsspec", "gcsfs", "google.cloud", "onnxruntime", "paramiko",
    "psycopg", "pyarrow", "pymysql", "s3fs", "sqlalchemy", "torch", "warcio",
}  # fmt: skip
HELP_CPU = 0.3  # seconds
PROBE = """
import sys
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
print(*sys.modules)
"""


def modules_of(*folders: str) -> list[str]:
    """The modules of some folders, without those that open an output or a spider."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).glob("*.py"))]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def loaded(*names: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROBE, *names], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_no_import_loads_a_library_of_an_extra() -> None:
    names = ["console.cli", *modules_of("console/commands", "crawler/task_list", "workers"), "workers.sinks.kinds"]
    modules = loaded(*names, "workers.sinks", "workers.sinks.reading")
    assert {"workers.sinks.kinds", "crawler.task_list.outputs", "console.commands.export"} <= modules
    assert {name for name in OF_EXTRAS if name in modules} == set()


def test_help_takes_little_time_of_the_processor() -> None:
    command = [sys.executable, "-m", "console", "--help"]
    times = [run(command, check=True, capture_output=True, cwd=ROOT)[0] for _ in range(5)]
    assert min(times) < HELP_CPU, times


def test_a_spider_loads_no_extractor_at_its_start() -> None:
    """It takes over the work of one that died, and on a busy machine each import delays its first request."""
    modules = loaded("crawler.scheduling.crawl_process")
    assert "crawler.run.section_run" in modules
    assert {"numpy", "extractors.methods.example.extractor", "extractors.page_types"} & modules == set()
