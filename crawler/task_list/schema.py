"""The JSON Schema of tasks.yaml, which `docs.site.task_schema` writes, and a sample tasks.yaml."""

import json
import shutil
from pathlib import Path

SCHEMA_FILE = Path(__file__).with_name("tasks.schema.json")
SCHEMA_BESIDE_TASKS = ".exemplar/tasks.schema.json"  # path at which `exemplar init` writes it, relative to tasks.yaml
MODELINE = f"# yaml-language-server: $schema={SCHEMA_BESIDE_TASKS}"
SAMPLE_FILE = Path(__file__).with_name("sample.yaml")
NO_CONTACT = "# contact: https://example.org/our-crawler"


def write_schema(path: Path) -> None:
    """Write the schema to `path`; create its folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SCHEMA_FILE, path)


def sample(contact: str = "") -> str:
    """Return a sample tasks.yaml with one task that is paused; `contact` is a URL or an e-mail address, or empty."""
    text = SAMPLE_FILE.read_text("utf-8")
    return text.replace(NO_CONTACT, f"contact: {json.dumps(contact)}") if contact else text
