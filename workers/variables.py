"""`${VARIABLES}` of the environment in outputs and headers: expanded only where they are used, never stored."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from .addresses import VARIABLE, encoded, is_ambiguous, login_span, secret_spans
from .errors import ExemplarError
from .redaction import remember_address

AMBIGUOUS = (
    "the end of the password is ambiguous: write @ / ? # : in a user or password as %40 %2F %3F %23 %3A, "
    "and any later @ as %40"
)


class VariableNotSet(ExemplarError):
    """A text names a variable that is not set on this machine."""

    def __init__(self, name: str):
        super().__init__(f"the environment variable {name} is not set")
        self.name = name


class AmbiguousAddress(ExemplarError):
    """An address whose login part cannot be told from its path."""

    def __init__(self) -> None:
        super().__init__(AMBIGUOUS)


def expand(text: str, environ: Mapping[str, str]) -> str:
    """Return `text` with `${NAME}` and `${NAME:-default}` replaced; the default also stands for an empty variable.

    Raises `VariableNotSet`.
    """
    return VARIABLE.sub(lambda match: _value(match, environ), text)


def expand_address(text: str, environ: Mapping[str, str], *, is_strict: bool = True) -> str:
    """Return an address with its variables replaced and its login part percent-encoded; its secrets are remembered.

    A variable's value in the login part is taken literally. The first `:` of one that is the whole login separates user
    and password. Raises `VariableNotSet`, and `AmbiguousAddress` if `is_strict`.
    """
    masked = VARIABLE.sub(lambda match: "x" * len(match[0]), text)
    start, stop = login_span(masked)
    has_password = ":" in masked[start:stop]

    def in_login(match: re.Match[str]) -> str:
        user, *password = _value(match, environ).split(":", 0 if has_password else 1)
        return ":".join(quote(part, safe="", errors="surrogateescape") for part in (user, *password))

    login = VARIABLE.sub(in_login, text[start:stop])
    address = expand(text[:start], environ) + login + expand(text[stop:], environ)
    spans, secrets = secret_spans(text), []
    for match in VARIABLE.finditer(text):
        is_in_web = match.start() > masked.find("/", start) > 0 and text.lower().startswith("http")
        if is_in_web or any(match.start() < end and match.end() > begin for begin, end in spans):
            secrets.append(_value(match, environ))
    remember_address(address, *secrets)
    is_certain = not VARIABLE.sub("", text[start:stop].partition(":")[2]) and VARIABLE.search(text, start, stop)
    if is_strict and not is_certain and is_ambiguous(address):
        raise AmbiguousAddress
    return encoded(address)


def _value(match: re.Match[str], environ: Mapping[str, str]) -> str:
    name, default = match[1], match[2]
    if default is not None:
        return environ.get(name) or default
    if name not in environ:
        raise VariableNotSet(name)
    return environ[name]
