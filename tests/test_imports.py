"""What an import loads: no library of an extra, and for `exemplar --help` hardly anything."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
OF_EXTRAS = {
    "adlfs", "aiobotocore", "azure", "boto3", "botocore", "fsspec", "gcsfs", "google.cloud", "onnxruntime", "paramiko",
    "psycopg", "pyarrow", "pymysql", "s3fs", "sqlalchemy", "torch", "warcio",
}  # fmt: skip
PROBE = """
import sys
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
print(*sys.modules)
"""
HELP = """
import sys
from console.cli import exemplar
exemplar(["--help"], standalone_mode=False)
print("", *sys.modules, sep="\\n")
"""


def modules_of(*folders: str) -> list[str]:
    """The modules of some folders, without those that open an output or a spider."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).glob("*.py"))]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def loaded(*names: str, program: str = PROBE) -> set[str]:
    command, environment = [sys.executable, "-c", program, *names], os.environ | {"LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_no_import_loads_a_library_of_an_extra() -> None:
    names = ["console.cli", *modules_of("console/commands", "crawler/task_list", "workers"), "workers.sinks.kinds"]
    modules = loaded(*names, "workers.sinks", "workers.sinks.reading")
    assert {"workers.sinks.kinds", "crawler.task_list.outputs", "console.commands.export"} <= modules
    assert {name for name in OF_EXTRAS if name in modules} == set()


def test_help_imports_no_command_and_in_english_no_catalogue() -> None:
    modules = loaded(program=HELP)
    assert modules >= {"click", "console.locale"}
    heavy = {"jinja2", "lxml", "numpy", "pydantic", "redis", "rich", "scrapy", "twisted", "yaml"}
    assert (OF_EXTRAS | heavy | {"console.locale.translator"}) & modules == set()
    assert not [name for name in modules if name.startswith("console.commands")]


def test_a_spider_loads_no_extractor_at_its_start() -> None:
    """It takes over the work of one that died, and on a busy machine each import delays its first request."""
    modules = loaded("crawler.scheduling.crawl_process")
    assert "crawler.run.section_run" in modules
    assert {"numpy", "extractors.methods.example.extractor", "extractors.page_types"} & modules == set()
