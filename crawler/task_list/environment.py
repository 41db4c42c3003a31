"""`${VARIABLES}` in a task list, expanded only where they are used."""

from collections.abc import Mapping

from crawler.task_list.mistakes import BadValueError, TaskError, nearest
from workers import variables
from workers.addresses import VARIABLE


def expand(text: str, environ: Mapping[str, str]) -> str:
    """Return `text` with its variables replaced. Raises `TaskError` for one that is not set, with the nearest name."""
    try:
        return variables.expand(text, environ)
    except variables.VariableNotSet as error:
        near = nearest(error.name, environ)
        raise TaskError(f"{error}; did you mean {near}?" if near else str(error)) from None


def check_variables(text: str) -> None:
    """Raise `BadValueError` if a `${` in `text` does not begin a variable."""
    at = VARIABLE.sub(lambda found: "x" * len(found[0]), text).find("${")
    if at >= 0:
        raise BadValueError("${ without a variable's name", "write ${NAME} or ${NAME:-default}", offset=at)
