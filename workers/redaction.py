"""Redaction of secrets in everything that is printed, stored or logged. This is the only place that does it.

Values that are secret become known where they are read (`remember`): variables in the secret parts of an address, its
password, headers with a login. Every error of this program (`workers.errors`) and every line of the log is redacted of
them, in all spellings and parts in which a library may quote them.
"""

import json
import re
from functools import lru_cache
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from .addresses import HIDDEN, secrets_of, shown

SHORT = 3  # characters; shorter secrets are not searched for in texts, since each text would lose parts of its words
WORD = 8  # characters; a shorter secret of letters and digits is not replaced within words, such as `other` in another
MOST = 1000  # secrets that a process remembers

_UNSPACED = re.compile(r"\S+")
_USER = re.compile(r"://[^:/?#@]*:(?!\d{1,5}[/?#])")  # before the password of a URL; a port is none
_SECRET_NAME = r"(?:password|passwd|pwd|token|secret|api[_-]?key|access[_-]?key)"
# `${VARIABLES}` are not replaced: they do not contain the secret.
_SECRET_VALUE = re.compile(
    rf"({_SECRET_NAME}[\"']?\s*+[:=]\s*+)(?!\$\{{)(\"[^\"]*\"|'[^']*'|[^\s&;,\"'}}]+)", re.IGNORECASE
)
# A header's value may have several words: `Authorization: Bearer abc`.
_SECRET_HEADER = re.compile(
    r"((?:proxy-)?authorization|(?:set-)?cookie)([\"']?\s*[:=]\s*)(\"[^\"]*\"|'[^']*'|[^\r\n\"'}]+)", re.IGNORECASE
)
_known: dict[str, dict[str, re.Pattern[str]]] = {}  # the forms of each secret; threads change it, each in one step


def remember(*secrets: str) -> None:
    """Have these values redacted in this process and its later children, the last `MOST` of them."""
    for secret in secrets:
        if len(secret) >= SHORT and secret not in _known:
            _known[secret] = _forms_of(secret)
    for oldest in list(_known)[:-MOST]:
        _known.pop(oldest, None)


def remember_address(address: str, *secrets: str) -> None:
    """Have the secrets of an address redacted, whose variables are replaced.

    One that is also the name of its user, host or path is not a secret, so that these names remain readable.
    """
    plain = set(re.split(r"\W+", shown(address)))
    remember(*(secret for secret in (*secrets, *secrets_of(address)) if secret not in plain))


def concealed(text: str) -> str:
    """Return a text with `***` in place of the remembered secrets, their spellings and parts."""
    folded = text.lower()
    for form, pattern in _forms(tuple(_known)).items():
        if form in folded:
            text = pattern.sub(HIDDEN, text)
    return text


def redact(text: str) -> str:
    """Conceal a text, and replace passwords in URLs and values of password, token, authorization and similar names."""
    text = _UNSPACED.sub(_without_password, concealed(text))
    text = _SECRET_HEADER.sub(r"\1\2***", text)
    return _SECRET_VALUE.sub(r"\1***", text)


def _without_password(word: re.Match[str]) -> str:
    """Replace what is between the user and the last @ of a word that has a URL."""
    before, at, after = word[0].rpartition("@")
    user = _USER.search(before) if at else None
    return f"{before[: user.end()]}***@{after}" if user else word[0]


@lru_cache(1)
def _forms(secrets: tuple[str, ...]) -> dict[str, re.Pattern[str]]:
    """Return the patterns of all forms of these secrets by the form in lower case, the longest first."""
    forms = {form.lower(): pattern for one in secrets for form, pattern in _known.get(one, {}).items()}
    return dict(sorted(forms.items(), key=lambda item: len(item[0]), reverse=True))


def _forms_of(secret: str) -> dict[str, re.Pattern[str]]:
    """Return the spellings of a secret, and its parts between reserved characters, with patterns that match them."""
    plain = {secret, unquote(secret), unquote_plus(secret)}
    coded = {form for text in plain for form in (_quoted(text), quote_plus(text, errors="replace"))}
    escaped = {form for text in plain for form in (repr(text)[1:-1], json.dumps(text)[1:-1])}
    whole = {form: _pattern(form) for form in plain | coded | escaped if len(form) >= SHORT}
    parts = {part for text in plain | escaped for part in re.split(r"[^\w.~-]+", text) if len(part) > SHORT}
    words = (parts - whole.keys()) | {form for form in whole if form.isalnum() and len(form) < WORD}
    # The library may have encoded some of a secret's characters only: a word may come behind `%5D`.
    return whole | {word: _pattern(word, r"(?:(?<!\w)|(?<=%[\da-f]{2}))", r"(?!\w)") for word in words}


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")


def _pattern(form: str, before: str = "", after: str = "") -> re.Pattern[str]:
    return re.compile(before + re.escape(form) + after, re.IGNORECASE)
