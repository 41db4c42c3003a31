"""One spelling for every URL."""

from pathlib import Path
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.html.urls import is_normal, normalise, origin_of, split_web, web_url
from tests.tables import rows

BASES = ("https://news.example/2024/a.html?b=1", "http://127.0.0.1:8080/x/", "http://user@[::1]/", "")
REFERENCES = (
    "/a/b.html", "/a/../b", "/a?b=/./c", "/a\nb", "/", "//other.example/x", "/\\other.example", "b.html", "../c",
    "?q=1",
    "https://a.example", "https://a.example/ b", "http://a.example:99999/", "http://", "http://a b/", "https://[::1",
    "/a#b", "mailto:a@b.example", "javascript:void(0)", " /a ", "HTTPS://A.example/",
)  # fmt: skip


@pytest.mark.parametrize(("one", "other", "is_same"), rows(Path(__file__).with_name("urls.txt")))
def test_spellings_of_one_page_become_one(one, other, is_same):
    assert (normalise(one) == normalise(other)) is (is_same == "yes")


@pytest.mark.parametrize(
    "text",
    ["mailto:a@b.c", "/a/../b", "", "http://", "http://h:99999/", "http://[::1", "javascript:x", "http://h\udfff/"],
)
def test_what_is_no_web_address_stays_as_it_is(text):
    assert normalise(text) == text
    assert split_web(text) is None


def test_decoding_never_makes_a_new_escape():
    assert normalise("http://h/%%34%31") == "http://h/%2541"


@given(st.text() | st.text(alphabet="http:/.%41?&#aA\\é新 []@").map(lambda tail: "http://h" + tail))
def test_twice_is_once_and_nothing_raises(text):
    once = normalise(text)
    assert normalise(once) == once


@given(
    st.sampled_from(("http://", "https://", "HTTP://")),
    st.sampled_from(("h", "a.b-c.d", "H.x", "127.0.0.1", "..", "[::1]")),
    st.sampled_from(("", ":80", ":8080", ":443", ":0", ":65535", ":080")),
    st.text("ab0A-._~!$&'()*+,;=:@/[].%?#\\ {}é", max_size=10),
)
def test_what_is_recognised_as_normal_does_not_change(scheme, host, port, rest):
    url = f"{scheme}{host}{port}/{rest}"
    parts = split_web(normalise(url))
    assert origin_of(url) == (parts and (parts.scheme, parts.netloc))
    if is_normal(url):  # by comparison, a fragment makes `normalise` take the long way
        assert parts is not None
        assert normalise(f"{url}#") == url


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
