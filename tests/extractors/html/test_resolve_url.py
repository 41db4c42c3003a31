from urllib.parse import urljoin

import pytest

from extractors.html.resolve_url import web_url
from extractors.html.urls import split_web

BASES = ("https://news.example/2024/a.html?b=1", "http://127.0.0.1:8080/x/", "http://user@[::1]/", "")
REFERENCES = (
    "/a/b.html", "/a/../b", "/a?b=/./c", "/a\nb", "/", "//other.example/x", "/\\other.example", "b.html", "../c",
    "?q=1",
    "https://a.example", "https://a.example/ b", "http://a.example:99999/", "http://", "http://a b/", "https://[::1",
    "/a#b", "mailto:a@b.example", "javascript:void(0)", " /a ", "HTTPS://A.example/",
)  # fmt: skip


def joined(base: str, reference: str) -> str | None:
    if reference.startswith(("https://", "http://")):
        return reference if split_web(reference) else None  # left as it was written
    try:
        url = urljoin(base, reference.replace("\\", "/"))
    except ValueError:
        return None
    return url if split_web(url) else None


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("reference", REFERENCES)
def test_short_cuts_give_what_the_standard_library_gives(base, reference):
    assert web_url(base, reference) == joined(base, reference.strip())


@pytest.mark.parametrize("reference", ["", "  ", "#top"])
def test_reference_to_the_page_itself_is_none(reference):
    assert web_url(BASES[0], reference) is None
