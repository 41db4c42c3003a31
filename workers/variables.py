"""`${VARIABLES}` of the environment in outputs and headers: expanded only where they are used, never stored."""

import re
from collections.abc import Mapping

from .errors import ExemplarError

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class VariableNotSet(ExemplarError):
    """A text names a variable that is not set on this machine."""

    def __init__(self, name: str):
        super().__init__(f"the environment variable {name} is not set")
        self.name = name


def expand(text: str, environ: Mapping[str, str]) -> str:
    """Return `text` with `${NAME}` and `${NAME:-default}` replaced; the default also stands for an empty variable.

    Raises `VariableNotSet`.
    """

    def value(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        if default is not None:
            return environ.get(name) or default
        if name not in environ:
            raise VariableNotSet(name)
        return environ[name]

    return VARIABLE.sub(value, text)
