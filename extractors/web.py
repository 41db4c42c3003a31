"""References on a page → absolute addresses on the Web."""

from urllib.parse import urljoin

from .urls import split_web


def web_url(base: str, reference: str) -> str | None:
    """Return `reference` as an absolute http(s) URL, or None if it isn't one."""
    reference = reference.strip()
    if not reference or reference.startswith("#"):
        return None
    try:
        joined = reference if reference.startswith(("https://", "http://")) else urljoin(base, reference)
    except ValueError:
        return None
    return joined if split_web(joined) else None
