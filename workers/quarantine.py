"""Quarantine: pages that could not be used are kept as files, so that a person can look at them."""

import json
import os
from pathlib import Path

from .inbox import StoredPage

STATE_FOLDER = "EXEMPLAR_STATE"


def state_folder(folder: Path | None = None) -> Path:
    """Where this installation keeps its state: `$EXEMPLAR_STATE`, or `.exemplar` in the folder (default: here)."""
    named = os.environ.get(STATE_FOLDER)
    return Path(named) if named else (folder or Path.cwd()) / ".exemplar"


def quarantine(state: Path, task: str, name: str, page: StoredPage, reason: str) -> Path:
    """Keep the page's bytes and why they are here; the path of the page. A full disk must not stop the worker."""
    folder = state / "quarantine" / task
    path = folder / f"{name}.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.body)
        note = {"url": page.url, "reason": reason, "type": page.content_type, "fetched_at": page.fetched_at.isoformat()}
        path.with_suffix(".json").write_text(json.dumps(note, ensure_ascii=False, indent=1), "utf-8")
    except OSError:
        return folder
    return path
