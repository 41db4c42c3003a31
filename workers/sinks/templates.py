"""Templates of outputs: text with `$names`, from a file that an output names."""

from collections.abc import Collection
from pathlib import Path
from string import Template

from workers.errors import OutputError

from .kinds import Target


def read_template(target: Target, names: Collection[str]) -> Template:
    """Return the template of an output. Raises `OutputError` if it cannot be read, or has a name not among `names`."""
    path = target.folder / Path(target.options.template).expanduser()
    where = f"task {target.task}: output {target.label}: template {path}"
    try:
        template = Template(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise OutputError(f"{where} cannot be read: {why}") from None
    if not template.is_valid():
        raise OutputError(f"{where} has a $ that does not begin a name; write $$ for a dollar sign")
    if unknown := sorted({*template.get_identifiers()} - {*names}):
        raise OutputError(f"{where}: unknown ${unknown[0]}; known: {', '.join(sorted(names))}")
    return template
