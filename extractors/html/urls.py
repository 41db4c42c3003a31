"""URLs: one spelling for each page, and the references on a page as absolute addresses.

Two URLs that surely name the same page become the same text. Rules: RFC 3986 section 6.2.2 (case, percent-escapes, dot
segments) and 6.2.3 (default port, empty path), plus what a browser does to a link's text (white space, backslashes),
plus tracking parameters and ids of sessions that never choose the page. Names of hosts: UTS 46, https://www.unicode.org/reports/tr46/.
Unchanged: the order of parameters, trailing slashes, `www.`, user names, and all else that may matter to a server.
"""

import re
from functools import lru_cache
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import idna

from .encodings.decoders import encode_as

LONGEST_HOST = 1000  # characters; valid host names have up to 253
DEFAULT_PORTS = {"http": 80, "https": 443}
TRACKING_PREFIXES = ("utm_",)
TRACKING_NAMES = frozenset({
    "gclid", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "spm", "bd_vid",
    "isappinstalled", "jsessionid", "phpsessid",
})  # fmt: skip
# WeChat adds from=… when a page is shared; other values of `from` may choose the page.
TRACKING_PAIRS = frozenset({"from=timeline", "from=singlemessage", "from=groupmessage"})
# phpBB (sid) and vBulletin (s) write these into links for visitors without cookies, beside what chooses the page.
_SESSION = re.compile(r"(?:sid|s)=[0-9a-f]{32}", re.IGNORECASE)
SESSION_IN_PATH = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# A stray % that would become part of an escape once its neighbour is decoded (`%%34%31`).
_STRAY_PERCENT = re.compile(r"%(?=[0-9A-Fa-f]?%)")
_UNSAFE = re.compile(r"[^!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_MANY_SLASHES = re.compile(r"\A((?:https?:)?)/{3,}", re.IGNORECASE)
_BEFORE_QUERY = re.compile(r"^[^?#]*")
_NO_HOST = re.compile(r"[\s<>\\^|\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # "forbidden host code points" of the URL standard
_TAB_OR_NEWLINE = re.compile(r"[\t\r\n]")
# The form of most links: lower case, no port or an unusual one, a path without dot segments, escapes and `;`, no query.
_NORMAL = re.compile(
    r"(?P<origin>https?://[a-z0-9.-]+(?::(?!(?:80|443)/)[1-9][0-9]{0,3})?)"
    r"/(?:[!$&'()*+,\-0-9:=@A-Z\[\]_a-z~/]|(?<!/)\.)*"
)
_EDGES = "".join(map(chr, range(0x21)))  # C0 controls and space, as the URL standard strips them

_ABSOLUTE = re.compile(r"https?://[A-Za-z0-9.-]+(?:[/?]|\Z)")  # surely an absolute URL; others are examined
_FROM_ROOT = re.compile(r"/(?![/\\])(?!.*/\.)[^\\\t\r\n]*\Z")  # surely a path below the host, and nothing else
CACHED_LENGTH = 1_000  # characters of base and reference whose result is kept
_ORIGIN = re.compile(r"(https?://[A-Za-z0-9.-]+(?::\d{1,4})?)(?:[/?]|\Z)")


@lru_cache(maxsize=8192)  # a crawl normalises each of its URLs some eight times
def normalise(url: str) -> str:
    """Return the project's one spelling of `url`; applying it twice changes nothing more.

    Text that is not an absolute http(s) URL (mailto:, relative, malformed) is returned without outer white space and
    otherwise unchanged: the caller decides whether it may be fetched. Never raises.
    """
    if _NORMAL.fullmatch(url):
        return url
    text = _TAB_OR_NEWLINE.sub("", url.strip(_EDGES))
    parts = split_web(text)
    if parts is None:
        return text
    path = remove_dot_segments(SESSION_IN_PATH.sub("", escape(parts.path))) or "/"
    query = drop_tracking(escape(parts.query))
    return f"{parts.scheme}://{_authority(parts)}{path}" + (f"?{query}" if query else "")


def is_normal(url: str) -> bool:
    """Whether `url` surely is an absolute http(s) URL in normal form; a quick check, false for some that are."""
    return _NORMAL.fullmatch(url) is not None


def origin_of(url: str) -> tuple[str, str] | None:
    """Return scheme and authority (`h:8080`) of the normal form of `url`; None if it is not an absolute http(s) URL."""
    if match := _NORMAL.fullmatch(url):
        scheme, _, authority = match["origin"].partition("://")
        return scheme, authority
    parts = split_web(normalise(url))
    return (parts.scheme, parts.netloc) if parts else None


def split_web(url: str) -> SplitResult | None:
    """Return the parts of an absolute http(s) URL, or None if `url` is not one (no host, bad host or port, no http)."""
    try:
        parts = urlsplit(_BEFORE_QUERY.sub(lambda head: head[0].replace("\\", "/"), url, count=1))
        host = parts.hostname if parts.scheme in DEFAULT_PORTS else None
        usable = bool(host) and (parts.port or 0) >= 0
    except ValueError:
        return None
    return parts if usable and not _NO_HOST.search(host or "") else None


def escape(text: str) -> str:
    """Return `text` (a path or a query) in its one spelling, in which a character is either always or never escaped.

    Non-ASCII text becomes UTF-8 escapes; escapes are upper-case; escaped letters, digits and `-._~` are decoded.
    """
    text = _STRAY_PERCENT.sub("%25", _UNSAFE.sub(_percent, text))
    return _ESCAPE.sub(_tidy_escape, text)


def with_slashes(reference: str) -> str:
    """Return a reference of a page with slashes for the backslashes before its query, and two before a host.

    Browsers interpret it so; Python's versions differ in what they make of more slashes.
    """
    if "\\" in reference:
        reference = _BEFORE_QUERY.sub(lambda head: head[0].replace("\\", "/"), reference, count=1)
    return _MANY_SLASHES.sub(r"\1//", reference)


def with_encoded_query(reference: str, encoding: str) -> str:
    """Return a reference of a page whose query has no characters outside ASCII, but their bytes in the page's encoding.

    As in browsers, characters that the encoding lacks become numeric references; the path does not change.
    """
    if reference.isascii() or encoding == "utf-8" or "?" not in reference.partition("#")[0]:
        return reference
    path, mark, rest = reference.partition("?")
    query, sign, fragment = rest.partition("#")
    return path + mark + _NOT_ASCII.sub(lambda run: quote(encode_as(run[0], encoding)), query) + sign + fragment


def drop_tracking(query: str) -> str:
    """Return `query` (without `?`) without the parameters that record where the reader came from, or the session."""
    pairs = [pair for pair in query.split("&") if not is_tracking(pair)]
    return "&".join([pair for pair in pairs if not _SESSION.fullmatch(pair)] or pairs)


def is_tracking(pair: str) -> bool:
    """Whether `pair` (`name=value`) never chooses the page."""
    name = pair.partition("=")[0].lower()
    return name.startswith(TRACKING_PREFIXES) or name in TRACKING_NAMES or pair in TRACKING_PAIRS


def remove_dot_segments(path: str) -> str:
    """Return `path` with `.` and `..` resolved (RFC 3986 section 5.2.4); `..` at the top is ignored."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            del kept[max(1, len(kept) - 1) :]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept)


def ascii_host(host: str) -> str:
    """Return `host` in lower case, names outside ASCII as IDNA (`xn--…`); if that fails, only in lower case.

    Mapped by UTS 46 without its transitional forms, as browsers do it: `straße.de` is not `strasse.de`.
    """
    if host.isascii() or len(host) > LONGEST_HOST:
        return host.lower()
    try:
        mapped = idna.uts46_remap(host, std3_rules=False, transitional=False)
        labels = (host.lower() if _NO_HOST.search(mapped) else mapped).split(".")
        return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels)
    except UnicodeError:
        return host.lower()


def _authority(parts: SplitResult) -> str:
    host = ascii_host(parts.hostname or "")
    host = f"[{host}]" if ":" in host else host
    user, at, _ = parts.netloc.rpartition("@")
    port = "" if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f":{parts.port}"
    return f"{_UNSAFE.sub(_percent, user)}{at}{host}{port}"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


def _tidy_escape(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else match[0].upper()


def web_url(base: str, reference: str) -> str | None:
    """Return `reference` as an absolute http(s) URL, or None if it is not one."""
    reference = reference.strip()
    if not reference or reference[0] == "#":
        return None
    if _ABSOLUTE.match(reference):
        return reference
    origin = _origin(base) if _FROM_ROOT.match(reference) else None
    if origin:
        return origin + reference
    is_short = len(base) + len(reference) <= CACHED_LENGTH
    return _joined_before(base, reference) if is_short else _joined(base, reference)


def _joined(base: str, reference: str) -> str | None:
    try:
        whole = reference.startswith(("https://", "http://"))
        joined = reference if whole else urljoin(base, with_slashes(reference))
    except ValueError:
        return None
    return joined if split_web(joined) else None


_joined_before = lru_cache(1_000)(_joined)  # the links of a body are read for its blocks, and again for its HTML


@lru_cache(16)
def _origin(base: str) -> str | None:
    """Return scheme and host of a plain base; None for others."""
    found = _ORIGIN.match(base)
    return found[1] if found else None
