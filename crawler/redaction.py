"""Redaction of secrets in everything that is printed: mistakes, logs, status."""

import re

_URL_PASSWORD = re.compile(r"(?<=://)([^:/?#@\s]*):[^\s/?#]*@")
_SECRET_NAME = r"(?:password|passwd|pwd|token|secret|api[_-]?key|access[_-]?key)"
# `${VARIABLES}` are not replaced: they do not contain the secret.
_SECRET_VALUE = re.compile(
    rf"({_SECRET_NAME}[\"']?\s*+[:=]\s*+)(?!\$\{{)(\"[^\"]*\"|'[^']*'|[^\s&;,\"'}}]+)", re.IGNORECASE
)
# A header's value may have several words: `Authorization: Bearer abc`.
_SECRET_HEADER = re.compile(
    r"((?:proxy-)?authorization|(?:set-)?cookie)([\"']?\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|[^\r\n\"'}]+)", re.IGNORECASE
)


def redact(text: str) -> str:
    """Replace passwords in URLs and values of password, token, authorization and similar names by `***`."""
    text = _URL_PASSWORD.sub(r"\1:***@", text)
    text = _SECRET_HEADER.sub(r"\1\2***", text)
    return _SECRET_VALUE.sub(r"\1***", text)
