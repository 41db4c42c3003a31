"""The state folder, in which a machine keeps the data of a task list, such as those of the embedded Redis."""

import os
from pathlib import Path

STATE_FOLDER = "EXEMPLAR_STATE"  # environment variable: a folder that is used in place of the default


def state_folder(folder: Path | None = None) -> Path:
    """Return the folder of the system's state: `$EXEMPLAR_STATE`, or `.exemplar` in `folder` (default: here)."""
    named = os.environ.get(STATE_FOLDER)
    return Path(named) if named else (folder or Path.cwd()) / ".exemplar"
