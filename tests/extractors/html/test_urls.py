"""One spelling for every URL."""

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.html.urls import is_normal, normalise, origin_of, split_web, web_url

SAME_PAGE = [
    ("HTTP://News.Example/a", "http://news.example/a"),
    ("http://news.example:80/a", "http://news.example/a"),
    ("https://news.example:443/a", "https://news.example/a"),
    ("http://news.example", "http://news.example/"),
    ("http://news.example/a#comments", "http://news.example/a"),
    ("http://news.example/a/b/c/./../../g", "http://news.example/a/g"),  # RFC 3986, section 5.2.4
    ("http://news.example/../../a", "http://news.example/a"),
    ("http://news.example/a/..", "http://news.example/"),
    ("http://news.example/%e6%96%b0", "http://news.example/新"),
    ("http://news.example/%7Ea%2db", "http://news.example/~a-b"),
    ("http://新闻.example/", "http://xn--efvy88h.example/"),
    ("  http://news.example/a\n", "http://news.example/a"),
    ("http://news.example\\a\\b", "http://news.example/a/b"),
    ("http://news.example/a b", "http://news.example/a%20b"),
    ("http://news.example/?utm_source=x&id=7&spm=a.b", "http://news.example/?id=7"),
    ("http://news.example/a?gclid=1", "http://news.example/a"),
    ("http://news.example/a?from=timeline&isappinstalled=0", "http://news.example/a"),
    ("http://[::1]:80/", "http://[::1]/"),
    ("http://news.example/a;jsessionid=1A2B.node1/b.html;JSESSIONID=3?c=4", "http://news.example/a/b.html?c=4"),
    ("http://news.example/a?sid=0123456789abcdef0123456789ABCDEF&PHPSESSID=x&t=1", "http://news.example/a?t=1"),
]
OTHER_PAGE = [
    ("http://news.example/a", "http://news.example/A"),
    ("http://news.example/a", "http://news.example/a/"),
    ("http://news.example/?a=1&b=2", "http://news.example/?b=2&a=1"),
    ("http://news.example/?from=hangzhou", "http://news.example/"),
    ("http://news.example/?sid=17", "http://news.example/"),
    ("http://news.example/show?s=0123456789abcdef0123456789abcdef", "http://news.example/show"),
    ("http://news.example/a;1", "http://news.example/a"),
    ("http://news.example/a%2Fb", "http://news.example/a/b"),
    ("http://news.example:8080/", "http://news.example/"),
    ("http://news.example:443/", "https://news.example/"),
]

BASES = ("https://news.example/2024/a.html?b=1", "http://127.0.0.1:8080/x/", "http://user@[::1]/", "")
REFERENCES = (
    "/a/b.html", "/a/../b", "/a?b=/./c", "/a\nb", "/", "//other.example/x", "/\\other.example", "b.html", "../c",
    "?q=1",
    "https://a.example", "https://a.example/ b", "http://a.example:99999/", "http://", "http://a b/", "https://[::1",
    "/a#b", "mailto:a@b.example", "javascript:void(0)", " /a ", "HTTPS://A.example/",
)  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME_PAGE)
def test_spellings_of_one_page_become_one(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), OTHER_PAGE)
def test_what_a_server_may_tell_apart_stays_apart(one, other):
    assert normalise(one) != normalise(other)


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


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("straße.de", "xn--strae-oqa.de"),
        ("Bücher.example", "xn--bcher-kva.example"),
        ("βόλος.example", "xn--nxasmm1c.example"),
        ("１２７。0.0.1", "127.0.0.1"),
    ],
)
def test_hosts_are_named_as_browsers_name_them(host, name):
    assert normalise(f"http://{host}/") == f"http://{name}/"


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
