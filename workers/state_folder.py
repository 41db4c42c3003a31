"""The folder in which a machine keeps what belongs to a task list, such as the data of the embedded Redis."""

import os
from pathlib import Path

STATE_FOLDER = "EXEMPLAR_STATE"  # environment variable: the folder to use in any case


def state_folder(folder: Path | None = None) -> Path:
    """Return the folder of the system's state: `$EXEMPLAR_STATE`, or `.exemplar` in `folder` (default: here)."""
    named = os.environ.get(STATE_FOLDER)
    return Path(named) if named else (folder or Path.cwd()) / ".exemplar"
