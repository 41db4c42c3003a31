"""Validation of single values of a task list: each function returns the valid value or raises `BadValueError`.

`check_…` return the value unchanged, `to_…` convert it. Values of another type than the parameter's are reported by
pydantic; a function that gets an `object` is called before. `${VARIABLES}` in values are checked here, and expanded
only where they are used.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import PurePath
from urllib.parse import urlsplit

from pydantic import ValidationInfo

from crawler.patterns.pattern import Pattern
from crawler.task_list.mistakes import BadValueError, TaskError, nearest, show, suggest
from extractors.html.urls import is_normal, split_web
from extractors.registry import METHODS as KNOWN_METHODS
from workers import variables
from workers.addresses import VARIABLE, encoded
from workers.sinks.kinds import KINDS, Kind, kind_of, known_kinds, known_schemes, scheme_of, suffixes_at
from workers.sinks.paths import DAYS
from workers.variables import AmbiguousAddress, expand_address

METHODS = tuple(KNOWN_METHODS)
ALL_PLACEHOLDERS = tuple(sorted({name for kind in KINDS.values() for name in kind.placeholders}))
DEFAULTS_EXAMPLE = "http://section.invalid/"  # stands for the example while `defaults:` are checked alone
AllowedHost = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network | None, str, int | None]
TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"  # RFC 9110, section 5.6.2


def to_tuple(value: object) -> object:
    """Return a list as a tuple, which strict pydantic requires, and a single value as a tuple of one."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def check_url(value: str) -> str:
    """Accept the http or https URL of one page."""
    if is_normal(value):
        return value
    if invalid := re.search(r"\s", value):
        raise BadValueError("white space in a URL", "delete it", offset=invalid.start())
    if invalid := re.search(r"[{}]", value):
        raise BadValueError("is a pattern, not the URL of one page", "copy it from the browser", offset=invalid.start())
    if split_web(value) is None:
        hint = f"write http://{value}" if re.match(r"[\w-]+\.[\w.-]+(/|$)", value) else "copy it from the browser"
        raise BadValueError(f"invalid URL {show(value)}", hint)
    return value


def to_pattern(value: object, info: ValidationInfo) -> Pattern:
    """Parse a URL pattern; a relative one starts at the task's example."""
    if isinstance(value, Pattern):
        return value
    if not isinstance(value, str):
        raise BadValueError(f"must be text, not {show(value)}", "write a URL pattern")
    # The example is missing here if it is invalid, or while `defaults:` are checked.
    return Pattern.parse(value, info.data.get("example", DEFAULTS_EXAMPLE))


def to_start_pattern(value: object, info: ValidationInfo) -> Pattern:
    """Parse the pattern of start pages; all of its URLs must be enumerable."""
    pattern = to_pattern(value, info)
    if not pattern.enumerable:
        hint = "write a URL, optionally with {date:…} or {n:1..5}; \\* and \\[ are the literal characters"
        raise BadValueError("the URLs of this pattern cannot be enumerated", hint)
    return pattern


def to_day(value: object) -> object:
    """Parse a day such as 2024-12-31."""
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise BadValueError(f"{show(value)} is not a day", "write it as 2024-12-31") from None


def to_keyword(value: object) -> object:
    """Convert a number to text: YAML reads a word such as 2024 as a number."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def check_output(value: str) -> str:
    """Accept an output: a path or an address of a known kind, with the placeholders that this kind has."""
    if not value.strip():
        raise BadValueError("empty", "write out/{task}.jsonl")
    _check_text_of_path(value)
    masked, kind = _masked(value), kind_of(value)
    # If a variable such as ${PG_DSN} contains the suffix, it is checked where the variable is expanded.
    if kind is None and not re.search(r"\$\{[^}]*\}$", value):
        _refuse_kind_of_output(value)
    if scheme_of(value):
        _check_rest_of_address(value)
        _check_login(value)
        masked = encoded(masked)
    _check_placeholders(masked, ("task", *(kind.placeholders if kind else ALL_PLACEHOLDERS)), kind)
    return value


def _refuse_kind_of_output(output: str) -> None:
    """Raise `BadValueError` for an output of an unknown kind, with the kind that is probably meant."""
    scheme, path = scheme_of(output), output.partition("?")[0]
    suffixes, suffix = suffixes_at(scheme), PurePath(path).suffix.lower()
    if scheme and scheme not in known_schemes():
        near, what = nearest(scheme, known_schemes()), f"unknown kind of output {scheme}:"
        raise BadValueError(what, f"did you mean {near}:?" if near else known_kinds())
    if suffix.rstrip() in suffixes:
        what = "a slash or a space" if path == output else "a query"
        raise BadValueError(f"the output ends with {what}", f"did you mean {path.rstrip('/ ')}?")
    near = nearest(suffix, suffixes) if suffix else None
    where, known = (
        (f" at {scheme}:", f"use an address that ends in {', '.join(suffixes)}") if scheme else ("", known_kinds())
    )
    what = f"unknown kind of output {suffix}{where}" if suffix else "the output has no suffix"
    raise BadValueError(what, f"did you mean {near}?" if near else known)


def _check_rest_of_address(output: str) -> None:
    scheme, _, rest = output.partition(":")
    if not rest.strip("/"):
        first = "bucket" if scheme in ("az", "gs", "s3") else "host"
        example = "sqlite:///articles.db" if scheme == "sqlite" else f"{scheme}://{first}/path"
        raise BadValueError(f"no path after {scheme}:", f"write {example}")
    if scheme == "sqlite" and not rest.startswith("///"):
        raise BadValueError("no path after sqlite:", "write sqlite:///articles.db")


def _check_login(address: str) -> str:
    """Return an address with `x` for each variable; from now on messages do not contain its own secrets."""
    try:
        return expand_address(address, {match[1]: "x" for match in VARIABLE.finditer(address)})
    except AmbiguousAddress as error:
        raise BadValueError(str(error)) from None


def _check_placeholders(path: str, known: Sequence[str], kind: Kind | None = None) -> None:
    """Accept known placeholders; `kind`: that of the output which has them."""
    for match in re.finditer(r"\{([^{}]*)\}|[{}]", path):
        name, _, form = (match[1] or "").partition(":")
        if name in DAYS and name in known:
            if form and (wrong := re.search(r"%(?![YymdjGV]).?|\.\.", form)):
                hint = "write %Y/%m/%d; known: %Y %y %m %d %j %G %V"
                raise BadValueError(f"unknown part {wrong[0]} of a date", hint, offset=match.start())
        elif name not in known or form or not match[1]:
            all_known = f"known: {', '.join(f'{{{other}}}' for other in known)}"
            if kind and name in ALL_PLACEHOLDERS:
                raise BadValueError(f"an output of kind {kind.name} has no {match[0]}", all_known, offset=match.start())
            near = nearest(name, known) if name else None
            hint = all_known if near is None and len(known) > 1 else f"did you mean {{{near or 'task'}}}?"
            raise BadValueError(f"unknown placeholder {match[0]}", hint, offset=match.start())


def check_folder(value: str) -> str:
    """Accept the path of a folder; it may contain {task} and variables."""
    if not value.strip():
        raise BadValueError("empty", "write pages/{task}")
    _check_text_of_path(value)
    _check_placeholders(_masked(value), ("task",))
    if re.match(r"[A-Za-z][A-Za-z0-9+]+:", value):
        raise BadValueError("is not a path", "pages are kept in a folder; write pages/{task}")
    return value


def _check_text_of_path(value: str) -> None:
    """Check a path or an address: no NUL, no Windows path, complete variables."""
    if "\0" in value:
        raise BadValueError("a NUL character", "file names cannot contain it; remove it", offset=value.find("\0"))
    if re.match(r"[A-Za-z]:\\|\\\\", value):
        raise BadValueError("Windows paths do not exist on this machine", "write out/{task}.jsonl")
    check_variables(value)


def check_render(value: object) -> object:
    """Accept true, false and auto."""
    if not isinstance(value, bool) and value != "auto":
        raise BadValueError(f"{show(value)} is neither true, false nor auto", "write render: true")
    return value


def check_secret(value: object) -> object:
    """Accept text that is not empty. No message contains it."""
    if not isinstance(value, str) or not value:
        raise BadValueError("must be text", "put it in quotes, or write ${NAME}")
    check_variables(value)
    return value


def check_notify(value: object) -> object:
    """Accept the address of a service for notices: `scheme://…`, or a variable. No message contains it."""
    if not isinstance(value, str) or not value.strip():
        raise BadValueError("must be text", "write an address for apprise, such as mailto://… or ${NOTIFY_URL}")
    check_variables(value)
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s]", value) and not VARIABLE.match(value):
        raise BadValueError(
            "is not an address for apprise", "it begins with a scheme, such as json://, mailto:// or tgram://"
        )
    return value


def check_proxy(value: str) -> str:
    """Accept http://host:port, with or without a login; parts of it may be variables."""
    check_variables(value)
    address = _check_login(value)
    if not is_proxy(address) and not re.fullmatch(r"\$\{[^}]*\}(:.*)?", value):
        raise BadValueError("not a usable proxy", "write http://host:3128, or ${PROXY} for an address with a password")
    return value


def is_proxy(url: str) -> bool:
    """Whether a URL is that of a usable proxy: `http://`, with or without user and password."""
    try:
        parts = urlsplit(url)
        return parts.scheme == "http" and bool(parts.hostname) and parts.path in ("", "/") and parts.port != 0
    except ValueError:
        return False


def to_filter(value: object) -> object:
    """Convert one word or a list of words to a filter with these keywords."""
    return {"keywords": value} if isinstance(value, str | list | tuple | int) else value


def check_contact(value: str) -> str:
    """Accept an http(s) URL or an e-mail address."""
    mail = re.fullmatch(r"(?:mailto:)?[^@\s:/]+@[^@\s/]+\.[^@\s/]+", value)
    if not mail and (split_web(value) is None or re.search(r"\s", value)):
        hint = "write https://example.org/our-crawler or crawler@example.org"
        raise BadValueError(f"{show(value)} is neither a URL nor an e-mail address", hint)
    return value


def to_allowed_host(value: str) -> str:
    """Normalise a host, host:port, IP address or network of `allow_hosts`."""
    text = value.strip().lower()
    try:
        allowed_host(text)
    except ValueError as error:
        hint = "write 127.0.0.1, host.example, host.example:8080 or 10.0.0.0/8"
        raise BadValueError(f"{show(value)} is not a host: {error}", hint) from None
    return text


def allowed_host(text: str) -> AllowedHost:
    """Return the network or the name, and the port, of `127.0.0.1:8080`, `10.0.0.0/8`, `::1`, `[::1]:8080`, `a.b:80`.

    Raises `ValueError` for other texts.
    """
    if "/" in text or (text.count(":") > 1 and not text.startswith("[")):
        return ipaddress.ip_network(text, strict=False), "", None
    parts = re.fullmatch(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::([0-9]{1,5}))?", text)
    if not parts or (parts[2] and not 0 < int(parts[2]) < 65536):
        raise ValueError("not a name, an address or a range")
    port = int(parts[2]) if parts[2] else None
    try:
        return ipaddress.ip_network(parts[1].strip("[]")), "", port
    except ValueError:
        if parts[1].startswith("["):
            raise
        return None, parts[1].rstrip("."), port


def check_name(name: str) -> str:
    """Accept a task's name, which is also part of file names and Redis keys."""
    if len(name) > 100:
        raise BadValueError("the name is longer than 100 characters", "shorten it")
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "news"
    if not re.fullmatch(r"[\w.-]+", name):
        raise BadValueError("a task's name may contain only letters, digits, - _ and .", f"write {plain}")
    if name.startswith("."):
        raise BadValueError("a task's name cannot start with a dot", f"write {plain}")
    return name


def one_of(known: Sequence[str], what: str) -> Callable[[str], str]:
    """Return a function that accepts one of the known values."""

    def check(value: str) -> str:
        if value not in known:
            raise BadValueError(f"unknown {what} {show(value)}", suggest(value, known))
        return value

    return check


def check_headers(headers: dict[str, str]) -> dict[str, str]:
    """Accept headers whose names are tokens and whose values are one line."""
    return _check_lines(headers, "header", "\r\n\0", "a header's value must be one line")


def check_cookies(cookies: dict[str, str] | None) -> dict[str, str] | None:
    """Accept cookies whose names are tokens and whose values are one line without semicolons."""
    return cookies and _check_lines(cookies, "cookie", "\r\n\0;", "a cookie's value must be one line without ;")


def _check_lines(values: dict[str, str], what: str, refused: str, message: str) -> dict[str, str]:
    for name, value in values.items():
        if not re.fullmatch(TOKEN, name):
            raise BadValueError(f"{show(name)} is not a {what} name", "copy it from the browser", inner=(name,))
        if {*refused} & {*VARIABLE.sub("", value)}:
            raise BadValueError(message, "write each on a line of its own", inner=(name,))
        check_variables(value)
    return values


def expand(text: str, environ: Mapping[str, str]) -> str:
    """Return `text` with its variables replaced. Raises `TaskError` for one that is not set, with the nearest name."""
    try:
        return variables.expand(text, environ)
    except variables.VariableNotSet as error:
        near = nearest(error.name, environ)
        raise TaskError(f"{error}; did you mean {near}?" if near else str(error)) from None


def check_variables(text: str) -> None:
    """Raise `BadValueError` if a `${` in `text` does not begin a variable."""
    at = _masked(text).find("${")
    if at >= 0:
        raise BadValueError("${ without a variable's name", "write ${NAME} or ${NAME:-default}", offset=at)


def _masked(text: str) -> str:
    """Return a text with each variable replaced by as many `x`."""
    return VARIABLE.sub(lambda found: "x" * len(found[0]), text)
