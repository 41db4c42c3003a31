"""`${VARIABLES}` in a task list, expanded only where they are used."""

import re
from collections.abc import Mapping

from crawler.mistakes import BadValueError, TaskError, nearest

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def expand(text: str, environ: Mapping[str, str]) -> str:
    """Return `text` with `${NAME}` and `${NAME:-default}` replaced; the default also stands for an empty variable.

    Raises `TaskError` that names a variable that isn't set.
    """

    def value(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        if default is not None:
            return environ.get(name) or default
        if name in environ:
            return environ[name]
        near = nearest(name, environ)
        hint = f"; did you mean {near}?" if near else ""
        raise TaskError(f"the environment variable {name} is not set{hint}")

    return VARIABLE.sub(value, text)


def check_variables(text: str) -> None:
    """Raise `BadValueError` if a `${` in `text` starts no variable."""
    at = VARIABLE.sub(lambda found: "x" * len(found[0]), text).find("${")
    if at >= 0:
        raise BadValueError("${ without a variable's name", "write ${NAME} or ${NAME:-default}", offset=at)
