"""Addresses with a login: of outputs, proxies, Redis servers and services for notices. Which parts are secret, and the
form in which every library finds the same host in them.

Every message of this program names an address by `shown`. The login part of an address is between `://` and the last
`@` before the path.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
HIDDEN = "***"

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PORT_ONLY = re.compile(r"[^/?#:@]*:\d{1,5}(?:[/?#]|$)")
_USER = re.compile(r"[^/?#:@]*")
_PARAMETER = re.compile(r"[?&;#]([^=&;#?]+)=([^&;#]*(?:[&;][^=&;#]*(?![^&;#]))*)")  # with parts that have no `=`
_SECRET_NAME = re.compile(
    r"passw|passphrase|pass$|pwd|token|bearer|secret|signature|credential|auth|keys?$|keyid$|^(?:sig|sas|code|jwt)$"
)
_KEY_FILES = ("key", "sslkey")  # parameters that name the file of a key,
_NAMES_FILES = re.compile("sftp|mysql|mariadb|postgres", re.IGNORECASE)  # in addresses with these schemes
_KEY_ID = re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}")  # key ids of AWS
_TOKEN = re.compile(r"(?<=/)(?=[^/?#]*\d)(?=[^/?#]*[A-Za-z])[A-Za-z0-9_-]{20,}(?=[/?#]|$)")  # tokens as parts of a path
_WORDS = re.compile(r"[a-z]+(?:[-_][a-z]+)*|[\d-]+")  # parts of words and numbers, which are not tokens


def shown(address: str) -> str:
    """Return an output's address for messages: `***` for passwords, tokens and keys. It never raises.

    `${VARIABLES}` are not replaced. Any part that may be a secret is treated as one: text before an `@` in a path
    after a port, or a long part of an http path with both letters and digits.
    """
    text, end = "", 0
    for start, stop in secret_spans(address):
        text += address[end:start] + _hidden(address[start:stop])
        end = stop
    return text + address[end:]


def has_secret(address: str) -> bool:
    """Whether an address in tasks.yaml contains a secret itself, instead of a `${VARIABLE}`."""
    return shown(address) != address


def login_span(address: str) -> tuple[int, int]:
    """Return the place of the login part, without its `@`; an empty one if there is none."""
    if not (scheme := _ADDRESS.match(address)):
        return 0, 0
    start = scheme.end()
    path = re.compile(r"[/?#]|$").search(address, start)
    return start, max(start, address.rfind("@", start, path.start() if path else None))


def encoded(address: str) -> str:
    """Return an address with its login part percent-encoded. `%40` remains, and any other `%` becomes `%25`."""
    start, stop = login_span(address)
    login = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", address[start:stop])
    parts = (quote(part, safe="%", errors="surrogateescape") for part in login.split(":", 1))
    return address[:start] + ":".join(parts) + address[stop:]


def is_ambiguous(address: str) -> bool:
    """Whether a later `@` may end the login part, because a password may contain an unencoded `/`, `?` or `#`."""
    start, stop = login_span(address)
    first, *later = re.split(r"[/?#]", address[start:], maxsplit=1)
    is_place = stop == start and (
        first.startswith("[") or (address[:4].lower() in ("http", "sftp") and _PORT_ONLY.match(first))
    )
    return bool(start) and ":" in first[: stop - start or None] and "@" in "".join(later) and not is_place


def secrets_of(address: str) -> tuple[str, ...]:
    """Return the secrets in an address, in their written form."""
    spans = [address[start:stop] for start, stop in secret_spans(address)]
    return tuple(dict.fromkeys(secret for secret in spans if secret and VARIABLE.sub("", secret)))


def _hidden(secret: str) -> str:
    """Return the replacement of a secret; only variables are kept, without their defaults."""
    if not secret or VARIABLE.sub("", secret):
        return HIDDEN if secret else ""
    return VARIABLE.sub(lambda match: match[0] if match[2] is None else f"${{{match[1]}:-{HIDDEN}}}", secret)


def secret_spans(address: str) -> list[tuple[int, int]]:
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
        yield from ((at + start, at + stop) for start, stop in secret_spans(variable[2]))


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
        if _SECRET_NAME.search(name) and not (name in _KEY_FILES and _NAMES_FILES.match(address)):
            rest = re.split("[&#]", address[match.end(2) :], maxsplit=1)[0]  # `;name=` may be a part of a password
            yield match.start(2), match.end(2) + len(rest)


def _path_spans(address: str) -> Iterator[tuple[int, int]]:
    if not address.lower().startswith(("http://", "https://")):
        return
    path_end = re.search(r"[?#]|$", address)
    for match in _TOKEN.finditer(address, address.index("//") + 2, path_end.start() if path_end else len(address)):
        if not _WORDS.fullmatch(match[0]):
            yield match.span()


def _key_spans(address: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _KEY_ID.finditer(address))
