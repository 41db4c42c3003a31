"""Addresses of outputs in messages: without passwords, tokens and keys.

Every message of this program names an output by `shown(address)`. A library's message on an address is passed through
`concealed` first, since libraries quote addresses and parts of them in various forms.
"""

import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from ..variables import VARIABLE

HIDDEN = "***"
SHORT = 3  # characters; a secret up to this length is replaced only as a whole word, not within words

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PORT_ONLY = re.compile(r"[^/?#:@]*:\d{1,5}(?:[/?#]|$)")
_USER = re.compile(r"[^/?#:@]*")
_PARAMETER = re.compile(r"[?&;#]([^=&;#?]+)=([^&;#]*)")
_SECRET_NAME = re.compile(
    r"passw|passphrase|pass$|pwd|token|secret|signature|credential|auth|keys?$|keyid$|^(?:sig|sas|code|jwt)$"
)
_KEY_ID = re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}")  # key ids of AWS
_TOKEN = re.compile(r"(?<=/)(?=[^/?#]*\d)(?=[^/?#]*[A-Za-z])[A-Za-z0-9_-]{20,}(?=[/?#]|$)")  # tokens as parts of a path
_WORDS = re.compile(r"[a-z]+(?:[-_][a-z]+)*|[\d-]+")  # parts of words and numbers, which are not tokens


def shown(address: str) -> str:
    """Return an output's address for messages: `***` for passwords, tokens and keys. It never raises.

    `${VARIABLES}` are not replaced. Any part that may be a secret is treated as one: text before an `@` in a path
    after a port, or a long part of an http path with both letters and digits.
    """
    text, end = "", 0
    for start, stop in _secret_spans(address):
        text += address[end:start] + _hidden(address[start:stop])
        end = stop
    return text + address[end:]


def has_secret(address: str) -> bool:
    """Whether an address in tasks.yaml contains a secret itself, instead of a `${VARIABLE}`."""
    return shown(address) != address


def concealed(text: str, *addresses: str) -> str:
    """Return `text` with the secrets of `addresses` replaced by `***`, in the spellings in which libraries quote them.

    The addresses have their variables replaced, as in `Target.address`.
    """
    forms = {form for address in addresses for secret in secrets_of(address) for form in _spellings(secret)}
    for address in addresses:
        text = text.replace(address, shown(address))
    for form in sorted(forms, key=len, reverse=True):
        pattern = re.escape(form)
        text = re.sub(pattern if len(form) >= SHORT else rf"(?<!\w){pattern}(?!\w)", HIDDEN, text)
    return text


def secrets_of(address: str) -> tuple[str, ...]:
    """Return the secrets in an address, in their written form."""
    spans = [address[start:stop] for start, stop in _secret_spans(address)]
    return tuple(dict.fromkeys(secret for secret in spans if secret and VARIABLE.sub("", secret)))


def _hidden(secret: str) -> str:
    """Return the replacement of a secret; only variables are kept, without their defaults."""
    if not secret or VARIABLE.sub("", secret):
        return HIDDEN if secret else ""
    return VARIABLE.sub(lambda match: match[0] if match[2] is None else f"${{{match[1]}:-{HIDDEN}}}", secret)


def _secret_spans(address: str) -> list[tuple[int, int]]:
    """Return the places of the secrets in an address, in order; they do not overlap."""
    # `${NAME:-default}` contains characters that separate the parts of an address
    masked = VARIABLE.sub(lambda match: "x" * len(match[0]), address)
    spans = sorted({*_login_spans(masked), *_parameter_spans(masked), *_path_spans(masked), *_key_spans(masked)})
    spans += [span for match in VARIABLE.finditer(address) if match[2] for span in _default_spans(match)]
    chosen: list[tuple[int, int]] = []
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, stop))
        elif stop > chosen[-1][1]:
            chosen[-1] = (chosen[-1][0], stop)
    return chosen


def _default_spans(variable: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the secrets in the default of a variable: all of it if the name means a secret, such as `${API_KEY:-…}`."""
    if _SECRET_NAME.search(re.sub(r"[^a-z]", "", variable[1].lower())):
        yield variable.span(2)
    else:
        at = variable.start(2)
        yield from ((at + start, at + stop) for start, stop in _secret_spans(variable[2]))


def _login_spans(address: str) -> Iterator[tuple[int, int]]:
    """Yield the password before the last `@`: some libraries allow passwords with `/`, `?`, `#` and `@`."""
    if not (scheme := _ADDRESS.match(address)):
        return
    start, is_web = scheme.end(), scheme[0].lower().startswith("http")
    user = _USER.match(address, start)
    last = address.rfind("@", start)
    if user is None or last < 0:
        return
    mark = address[user.end() : user.end() + 1]
    if mark == ":" and not (is_web and _PORT_ONLY.match(address, start)):
        yield user.end() + 1, last
    elif mark == "@" and is_web:
        yield start, user.end()  # a token in place of a user name


def _parameter_spans(address: str) -> Iterator[tuple[int, int]]:
    for match in _PARAMETER.finditer(address):
        name = re.sub(r"[^a-z]", "", unquote(match[1]).lower())
        if _SECRET_NAME.search(name):
            yield match.span(2)


def _path_spans(address: str) -> Iterator[tuple[int, int]]:
    if not address.lower().startswith(("http://", "https://")):
        return
    path_end = re.search(r"[?#]|$", address)
    for match in _TOKEN.finditer(address, address.index("//") + 2, path_end.start() if path_end else len(address)):
        if not _WORDS.fullmatch(match[0]):
            yield match.span()


def _key_spans(address: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _KEY_ID.finditer(address))


def _spellings(secret: str) -> set[str]:
    plain = {secret, unquote(secret), unquote_plus(secret)}
    quoted = {
        form for text in plain for form in (quote(text, safe="", errors="replace"), quote_plus(text, errors="replace"))
    }
    escaped = {form for text in plain for form in (repr(text)[1:-1], json.dumps(text)[1:-1])}
    return {form for form in plain | quoted | escaped if form}
