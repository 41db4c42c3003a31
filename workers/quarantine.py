"""Quarantine: pages that could not be extracted are kept as files for a person to look at."""

import json
import os
from pathlib import Path

from .page_store import StoredPage

STATE_FOLDER = "EXEMPLAR_STATE"


def state_folder(folder: Path | None = None) -> Path:
    """Return the folder of the system's state: `$EXEMPLAR_STATE`, or `.exemplar` in `folder` (default: here)."""
    named = os.environ.get(STATE_FOLDER)
    return Path(named) if named else (folder or Path.cwd()) / ".exemplar"


def quarantine(state: Path, task: str, name: str, page: StoredPage, reason: str) -> Path:
    """Write the page's bytes and the reason to files; return the page's path. A full disk is ignored."""
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
