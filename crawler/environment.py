"""`${VARIABLES}` in a task list, expanded only where they are used, and secrets kept out of what is printed."""

import re
from collections.abc import Mapping

from crawler.mistakes import BadValueError, TaskError, nearest

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_URL_PASSWORD = re.compile(r"(?<=://)([^:/?#@\s]*):[^\s/?#]*@")
_SECRET_NAME = r"[\w-]*(?:password|passwd|pwd|token|secret|api[_-]?key|access[_-]?key)"
_SECRET_VALUE = re.compile(rf"({_SECRET_NAME}[\"']?\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|[^\s&;,\"'}}]+)", re.IGNORECASE)
# A header's value has words: `Authorization: Bearer abc`.
_SECRET_HEADER = re.compile(
    r"((?:proxy-)?authorization|(?:set-)?cookie)([\"']?\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|[^\r\n\"'}]+)", re.IGNORECASE
)


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


def redact(text: str) -> str:
    """Return `text` with passwords in URLs and the values of password, token, authorization … as `***`."""
    text = _URL_PASSWORD.sub(r"\1:***@", text)
    text = _SECRET_HEADER.sub(r"\1\2***", text)
    return _SECRET_VALUE.sub(r"\1***", text)
