"""URL patterns a person can write without knowing regular expressions."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.patterns.pattern import Pattern, PatternError

MATCHES = [
    ("http://h/a/{date:%Y/%m%d}/{id}.html", "http://h/a/2012/0312/345.html"),
    ("http://h/a/{slug}/[{date:%Y/%m%d}/]{id}.html", "http://h/a/x/345.html"),
    ("http://h/a/{slug}/[{date:%Y/%m%d}/]{id}.html", "http://h/a/x/2012/0312/345.html"),
    ("http://h/**/{id}.html", "http://h/a/b/345.html"),
    ("https://h/{date:%Y-%m}/{date:%d}/c_{id}.htm", "https://h/2024-02/29/c_1.htm"),
    ("http://h/{date:%d-%b-%Y}", "http://h/01-May-2024"),
    ("http://h/{date:%y%m}", "http://h/2412"),
    ("http://h/{n:01..50}", "http://h/07"),
    ("http://h/[a[b]]c", "http://h/abc"),
    ("http://*.h.example/{id}", "http://news.h.example/1"),
    (r"http://\[::1\]:8080/{id}", "http://[::1]:8080/1"),
    (r"http://h/\[\*\{a\}\\", "http://h/[*{a}%5C"),
    (r"http://h/?tags\[\]={id}", "http://h/?tags[]=1"),
    ("http://新闻.example/新/{id}", "http://xn--efvy88h.example/%e6%96%b0/1"),
    ("http://H.Example:80/{id}", "https://h.example:443/1?utm_source=x#top"),
    (r"re:https?://h/(a|b)\d+", "http://h/b12"),
]
MISSES = [
    ("http://h/{date:%Y/%m%d}/", "http://h/2023/0229/"),
    ("http://h/{date:%Y}/{date:%Y%m%d}/", "http://h/2023/20240101/"),
    ("http://h/{date:%m-%d}", "http://h/02-30"),
    ("http://h/{n:1..50}", "http://h/51"),
    ("http://h/{n:01..50}", "http://h/7"),
    ("http://h/*.html", "http://h/a/b.html"),
    ("http://h/a/*", "http://h/a/"),
    ("http://h/**/{id}.html", "http://h/share?url=/1.html"),
    ("http://h/{slug}", "http://h/index.html"),
    ("http://h/{slug}", "http://h/login?next=/"),
    ("http://h/v?id={id}", "http://h/v?id=1&page=2"),
    ("http://h/{id}", "http://user@h/1"),
    ("http://h/{id}", "http://h:8080/1"),
    ("http://*.example/{id}", "http://evil.com/.example/1"),
    ("re:http://h/a", "http://h/ab"),
]


@pytest.mark.parametrize(("pattern", "url"), MATCHES)
def test_matches(pattern, url):
    assert Pattern.parse(pattern).match(url)


@pytest.mark.parametrize(("pattern", "url"), MISSES)
def test_does_not_match(pattern, url):
    parsed = Pattern.parse(pattern)
    assert parsed.match(url) is None
    assert parsed.difference(url)


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("http://h/a/{id}.html", "http://h/a/7.html?from=home&page=2"),
        ("http://h/a/{id}.html", "http://h//a///7.html"),
        ("http://h/a/{date:%Y%m%d}[_{slug}].html", "http://h/a/20260102.html?x"),
    ],
)
def test_a_query_and_repeated_slashes_that_the_pattern_lacks_are_left_out(pattern, url):
    match = Pattern.parse(pattern).match(url)
    assert match.url == re.sub(r"(?<!:)/+", "/", url.partition("?")[0])


def test_part_of_a_date_is_a_span_of_days():
    february = Pattern.parse("http://h/{date:%Y/%m}/").match("http://h/2024/02/")
    assert february.span == (date(2024, 2, 1), date(2024, 2, 29))
    assert Pattern.parse("http://h/{date:%Y}/").match("http://h/2024/").date is None
    assert Pattern.parse("http://h/{date:%m%d}/").match("http://h/0229/").span is None


def test_named_groups_of_a_regular_expression_are_read():
    pattern = Pattern.parse(r"re:http://h/(?P<year>\d{4})(?P<month>\d\d)/(?P<slug>[^/]+)/(?P<id>\d+)")
    match = pattern.match("http://h/202405/a/7")
    assert (match.span[0], match.ids) == (date(2024, 5, 1), ("7",))


@pytest.mark.parametrize(
    ("pattern", "prefixes"),
    [
        ("http://h:1/a/b/{date:%Y}/{id}.html", ["http://h:1/a/b/", "http://h:1/a/", "http://h:1/"]),
        ("http://h/a/c_{id}.html", ["http://h/a/", "http://h/"]),
        ("http://h/?u=/a/{id}", ["http://h/"]),
        ("http://[www.]h/a/{id}", []),
        (r"re:https?://h\.example/a/\d+", ["http://h.example/a/", "http://h.example/"]),
        (r"re:http://h/a/b?/\d+", ["http://h/a/", "http://h/"]),
        (r"re:http://(a|b)/\d+", []),
    ],
)
def test_prefixes_are_the_directories_above_what_varies(pattern, prefixes):
    assert Pattern.parse(pattern).prefixes() == prefixes


@pytest.mark.parametrize(
    ("pattern", "folders"),
    [
        ("http://[www.]h/a/{date:%Y}/{id}", ["http://www.h/a/", "http://www.h/"]),
        (r"re:https?://www\.h/(a|b)/\d+/\d+", ["http://www.h/"]),
    ],
)
def test_where_the_host_is_not_certain_it_is_that_of_the_example(pattern, folders):
    assert Pattern.parse(pattern, "http://www.h/a/2024/7").prefixes() == folders


def test_enumerates_months_once_each():
    urls = Pattern.parse("http://h/{date:%Y%m}").enumerate(date(2023, 11, 20), date(2024, 1, 3))
    assert list(urls) == ["http://h/202401", "http://h/202312", "http://h/202311"]


@pytest.mark.parametrize(
    ("pattern", "urls"),
    [
        ("http://h/{n:8..10}", ["8", "9", "10"]),
        ("http://h/{n:10..8}", ["10", "9", "8"]),
        ("http://h/{n:08..10}", ["08", "09", "10"]),
        ("http://h/list[_{n:2..3}]", ["list_2", "list_3", "list"]),
        ("http://h/a[{date:%Y%m%d}-{id}]", ["a"]),
        ("http://h/a", ["a"]),
    ],
)
def test_enumerates_numbers_in_the_order_written(pattern, urls):
    today = date(2024, 1, 1)
    assert list(Pattern.parse(pattern).enumerate(today, today)) == [f"http://h/{each}" for each in urls]


PARTS = [
    "{date:%Y}",
    "{date:%d}",
    "{date:%b}",
    "{date:%-m-%-d}",
    "{n:1..3}",
    "{n:08..11}",
    "[x]",
    "/",
]


@given(
    st.lists(st.sampled_from(PARTS), max_size=6).map(lambda parts: "http://h/-" + "-".join(parts)),
    st.dates(date(1970, 1, 1), date(2068, 12, 31)),
)
def test_enumerated_urls_match_their_own_pattern(text, day):
    pattern = Pattern.parse(text)
    urls = list(pattern.enumerate(day, day))
    assert urls
    for url in urls:
        match = pattern.match(url)
        assert match
        assert match.span is None or match.span[0] <= day <= match.span[1]


MISTAKES = [
    ("", 0, "http://"),
    ("news.example/{id}", 0, "http://news.example/{id}"),
    ("/a/{id}", 0, "example"),
    ("http:///a", 7, "host"),
    ("http://h/{idd}", 9, "known: {date:%Y-%m-%d}, {id}, {slug}, {n:1..50}"),
    ("http://h/{date}", 9, "{date:%Y-%m-%d}"),
    ("http://h/{date:%Y-%D}", 18, "known: %Y %y %m %d"),
    ("http://h/{id:5}", 9, "write {id}"),
    ("http://h/{n}", 9, "{n:1..50}"),
    ("http://h/{n:1..9999999999999}", 9, "{id}"),
    ("http://h/{id", 9, r"\{"),
    ("http://h/a[]", 10, r"\[\]"),
    ("http://h[/a]", 9, "before the ["),
    ("http://h/***", 9, "**"),
    ("http://h/a\\", 10, "\\\\"),
    ("http://h/#!/{id}", 9, "has no fragment (#)"),
    ("http://h/a/../{id}", 10, "segments"),
    ("http://h/?id={id}&utm_source=x", 18, "utm_source"),
    ("http://h/{id}.html;jsessionid=*", 18, "jsessionid"),
    ("http://h/" + "[a]" * 11, 39, "re:"),
    ("http://h/" + "a" * 2000, 2000, "**"),
    ("re:", 3, "regular expression"),
    ("re:http://h/(a", 3, "missing )"),
    ("re:(?<=a)b", 3, "look-around"),
]


@pytest.mark.parametrize(("text", "offset", "says"), MISTAKES)
def test_a_mistake_says_where_it_is_and_what_to_do(text, offset, says):
    with pytest.raises(PatternError) as caught:
        Pattern.parse(text)
    assert caught.value.offset == offset
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "url", "says"),
    [
        ("http://h/a/{id}.html", "http://h/b/1.html", "after 'http://h/' the pattern has 'a/', the URL has 'b/1.html'"),
        ("http://h/{date:%Y/%m}/", "http://h/2024/5/", "after 'http://h/2024/' the pattern has %m"),
        ("http://h/{id}", "http://h/1/2", "the URL continues with '/2' where the pattern ends"),
        ("http://h/{id}.html", "http://h/1", "the pattern has '.html', the URL has nothing more"),
        ("http://h/{n:1..5}", "http://h/6", "out of range"),
    ],
)
def test_difference_says_where_the_url_leaves_the_pattern(pattern, url, says):
    assert says in Pattern.parse(pattern).difference(url)


def test_an_offset_counts_in_the_text_as_it_is_written():
    for text, base in [("http://新闻.example:80/a/../{id}", None), ("/a/../{id}", "http://h/")]:
        with pytest.raises(PatternError) as caught:
            Pattern.parse(text, base)
        assert text[caught.value.offset :].startswith("/../")


def use(text: str) -> int:
    """Parse and use a pattern; return the offset of its mistake, 0 if there is none."""
    try:
        pattern = Pattern.parse(text)
    except PatternError as error:
        return error.offset
    pattern.match("http://h/a/1.html")
    pattern.difference("http://h/a/1.html")
    pattern.prefixes()
    return 0


@given(st.text() | st.text(alphabet="{}[]*\\/?#:dateidslugn%Ym1.. ").map(lambda tail: "http://h/" + tail))
def test_any_text_is_a_pattern_or_a_pattern_error(text):
    assert 0 <= use(text) <= len(text)


@given(st.text())
def test_any_regular_expression_is_a_pattern_or_a_pattern_error(text):
    assert 0 <= use("re:" + text) <= len("re:" + text)


@pytest.mark.parametrize(
    "pattern", [r"re:http://h/(a|aa)*b", "http://h/" + "*a" * 300 + "b", "http://h/" + "[a]" * 10 + "**b"]
)
def test_no_pattern_takes_exponential_time(pattern):
    assert not Pattern.parse(pattern).match("http://h/" + "a" * 5000)  # backtracking would outlast the test run
