"""Secrets kept out of what is printed: mistakes, logs, status."""

import re

_URL_PASSWORD = re.compile(r"(?<=://)([^:/?#@\s]*):[^\s/?#]*@")
_SECRET_NAME = r"(?:password|passwd|pwd|token|secret|api[_-]?key|access[_-]?key)"
# What `${VARIABLES}` stand for is not written there.
_SECRET_VALUE = re.compile(
    rf"({_SECRET_NAME}[\"']?\s*+[:=]\s*+)(?!\$\{{)(\"[^\"]*\"|'[^']*'|[^\s&;,\"'}}]+)", re.IGNORECASE
)
# A header's value has words: `Authorization: Bearer abc`.
_SECRET_HEADER = re.compile(
    r"((?:proxy-)?authorization|(?:set-)?cookie)([\"']?\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|[^\r\n\"'}]+)", re.IGNORECASE
)


def redact(text: str) -> str:
    """Return `text` with passwords in URLs and the values of password, token, authorization … as `***`."""
    text = _URL_PASSWORD.sub(r"\1:***@", text)
    text = _SECRET_HEADER.sub(r"\1\2***", text)
    return _SECRET_VALUE.sub(r"\1***", text)
