"""Which pattern a section's links have, by families of URLs as content systems write them. All hosts are invented."""

from dataclasses import replace

import pytest

from crawler.discovery.links import PageLink
from crawler.patterns.pattern import Pattern
from crawler.scouting.address_parts import address_of
from crawler.scouting.fitting import fit
from crawler.scouting.inference import Inference, SeenPage, SiteLinks, infer, relatives, siblings

HOST = "https://news.example"

# = the pattern wanted, and what the family is; + the example, then its siblings; - links that are no articles
WRITTEN = """
= /a/jiadian/{date:%Y/%m%d}/{id}.html dedecms with its list pages
+ /a/jiadian/2015/0207/166.html /a/jiadian/2015/0206/165.html /a/jiadian/2015/0130/133.html /a/jiadian/2014/1224/29.html
- /a/jiadian/list_23_2.html /a/jiadian/ /plus/search.php /a/jiadian/2015/0207/166_2.html
= /index.php?m=content&c=index&a=show&catid=12&id={id} phpcms route
+ /index.php?m=content&c=index&a=show&catid=12&id=345 /index.php?m=content&c=index&a=show&catid=12&id=344
+ /index.php?m=content&c=index&a=show&catid=12&id=343 /index.php?m=content&c=index&a=show&catid=12&id=301
+ /index.php?m=content&c=index&a=show&catid=12&id=12
- /index.php?m=content&c=index&a=lists&catid=12 /index.php?m=content&c=index&a=show&catid=14&id=346
= /html/{date:%Y}/xinwen_{id}/{id}.html phpcms static
+ /html/2026/xinwen_1103/512.html /html/2026/xinwen_1102/511.html /html/2026/xinwen_1030/498.html
+ /html/2026/xinwen_0807/33.html
- /html/xinwen/ /html/xinwen/2.html /html/2026/sport/514.html
= /thread-{id}-1-1.html discuz threads
+ /thread-88123-1-1.html /thread-88120-1-1.html /thread-88001-1-1.html /thread-7-1-1.html /thread-912-1-1.html
- /forum-2-1.html /forum-2-2.html /thread-88123-2-1.html /space-uid-12.html
= /{date:%Y/%m/%d}/{slug}/ wordpress by day
+ /2026/11/03/harbour-opens-again/ /2026/11/02/ferry-late/ /2026/10/30/storm-warning-for-the-coast/ /2025/01/09/welcome/
- /category/harbour/ /tag/ferry/ /page/2/ /about/ /2026/11/
= /{date:%Y/%m}/{slug}.html hexo, an example of digits only
+ /2026/09/30561012.html /2026/10/9f3c01bd.html /2026/10/12aa90f7.html /2025/12/d61633e0.html /2025/12/aa0b1c2d.html
- /archives/2026/10/ /tags/ /page/2/
= /politics/{date:%Y-%m/%d}/c_{id}.htm agency, month and day apart
+ /politics/2026-11/03/c_1126097000.htm /politics/2026-11/02/c_112609.htm /politics/2026-10/31/c_1126081234.htm
+ /politics/2026-10/08/c_1.htm
- /politics/ /politics/index_2.htm
= /xwdt/{date:%Y%m}/t{date:%Y%m%d}_{id}.html ministry, day twice
+ /xwdt/202611/t20261103_512345.html /xwdt/202611/t20261102_512001.html /xwdt/202610/t20261031_511000.html
+ /xwdt/202601/t20260105_9.html
- /xwdt/ /xwdt/index_1.html /xwdt/index_2.html
= /{date:%y/%m%d}/{id}/{slug}.html year of two digits
+ /26/1103/12/FEPA7CRA00018AOR.html /26/1103/07/FEPB8XQA00018AOR.html /26/1102/23/FEP04CRA00019B3E.html
+ /26/1030/00/FEN17CRA00018AOP.html
- /domestic/ /special/s/123.html
= /a/{date:%Y%m%d}{slug} day glued to a code
+ /a/20261103A0ABC00 /a/20261103A0XYZ00 /a/20261102A0K1200 /a/20261101A09QQ00
- /channel/finance /a/index
= /a/{date:%Y%m%d}*.html day, and a number from the second article on
+ /a/20261103.html /a/20261103_2.html /a/20261102.html /a/20261101.html
- /a/ /a/list_2.html
= /detail/{date:%Y%m%d}{id} number that begins with the day
+ /detail/2026110310042 /detail/2026110210040 /detail/2026110110031 /detail/2026110310039 /detail/2026110410050
+ /detail/2026110510051 /detail/2026103010001 /detail/2026102910001 /detail/2026102810007
- /list/news /list/news/2
= /news/{slug}-{id} title and number
+ /news/harbour-opens-again-12345678 /news/uk-12345670 /news/storm-warning-for-the-coast-12345001
+ /news/ferry-late-12344999
- /news /news/world /sport
= /news/{id}-{slug}.html number and title
+ /news/10423-harbour-opens-again.html /news/10422-ferry-late.html /news/10419-storm-warning-for-the-coast.html
+ /news/10001-one.html
- /news/index.html /news/page-2.html
= /post/{date:%Y-%m-%d}-{slug}.html day before the title
+ /post/2026-11-03-harbour-opens-again.html /post/2026-11-02-ferry.html /post/2026-10-30-storm-warning.html
+ /post/2025-01-09-welcome.html
- /post/index.html /tags/ /post/welcome.html
= /city/{date:%Y/%b/%d}/{slug} months by name
+ /city/2026/nov/03/harbour-opens-again /city/2026/nov/02/ferry-late /city/2026/oct/30/storm-warning
+ /city/2025/jan/09/welcome
- /city /city/all /sport/2026/nov/03/win
= /news/{date:%Y/%-m/%-d}/{id}.html no leading zeros
+ /news/2026/11/3/1042.html /news/2026/11/12/1100.html /news/2026/9/1/901.html /news/2026/10/30/1031.html
- /news/ /news/index.html
= /view?docid=* page names with codes in the query
+ /view?docid=a1b2c3d4e5 /view?docid=f6a7b8c9d0 /view?docid=0a9b8c7d6e /view?docid=ff00ee11dd
- /list?channel=1 /view
= /news/{id}.htm[l] htm and html
+ /news/1042.html /news/1041.html /news/1040.html /news/77.htm /news/76.htm
- /news/index.htm /news/9.php
= /news/{id}.[s]html html and shtml
+ /news/1042.shtml /news/1041.shtml /news/1040.shtml /news/77.html
- /news/index.shtml
= /blog/{slug}[/] with and without a slash
+ /blog/harbour-opens /blog/ferry-late/ /blog/storm-warning /blog/welcome/
- /blog/ /blog/page/2/
= /{date:%Y/%m}/{slug}/[index.html] folders with and without their index page
+ /2026/11/why-we-moved/index.html /2026/11/second-harbour/ /2026/10/tide-tables/ /2025/02/hello/
- /2026/11/ /about/ /tags/tide/
= /{id}/{id}.html ids in groups of a thousand
+ /123/123456.html /123/123457.html /123/123001.html /123/123999.html
- /list/ /about.html /123/coffee.html
= /新闻/{id}.html folders in another script
+ /%E6%96%B0%E9%97%BB/1042.html /%E6%96%B0%E9%97%BB/1041.html /%E6%96%B0%E9%97%BB/1040.html /%E6%96%B0%E9%97%BB/7.html
- /%E6%96%B0%E9%97%BB/ /%E5%85%B3%E4%BA%8E.html
= /{date:%Y/%m/%d}/{slug}/ titles that begin alike
+ /2026/11/03/harbour-2.1.0-released/ /2026/10/03/harbour-2.0.1-released/ /2026/09/03/harbour-2.0-released/
+ /2025/09/03/harbour-1.9/
- /posts/ /posts/page/2/
= /blog/{slug}/ a day inside a title
+ /blog/what-happened-on-2026-11-03-at-sea/ /blog/ferry-late/ /blog/storm-warning/ /blog/welcome/ /blog/tide-tables/
- /blog/ /tags/
= /blog/{slug}/ a year in a title, beside the same of other years
+ /blog/review-2022/ /blog/review-2021/ /blog/review-2020/ /blog/review-2019/ /blog/ferry-late/
+ /blog/storm-warning-for-the-coast/ /blog/tide-tables/ /blog/welcome/
- /blog/ /tags/
= /news/{slug}-{id} titles with numbers that might be years
+ /news/harbour-opens-2044 /news/ferry-late-2150 /news/storm-1890 /news/uk-12000
- /news /news/world /sport
= /c12/{id}.html sections with numbers
+ /c12/4711.html /c12/4710.html /c12/4702.html /c12/312.html
- /c13/4712.html /c14/9.html
= /doc-{id}-{id}-{id}.html numbers of a section, a volume and an article
+ /doc-1103-2-52.html /doc-1103-2-51.html /doc-1103-2-50.html /doc-1103-2-49.html /doc-1103-1-48.html
+ /doc-1103-1-47.html /doc-2210-1-46.html
- /doc-list.html
= /blog/{slug} titles that end with small numbers
+ /blog/release-notes-of-harbour-7 /blog/release-notes-of-harbour-6 /blog/release-notes-of-harbour-5
+ /blog/release-notes-of-harbour-4 /blog/a-tour-in-12
- /blog /tags
= https://[www.]town.example/news/{id}.html www and bare host
+ https://www.town.example/news/1042.html https://town.example/news/1041.html https://town.example/news/1040.html
+ https://www.town.example/news/9.html
- https://town.example/news/ https://forum.town.example/news/8.html
"""
FAMILIES: dict[str, tuple[str, list[str], list[str]]] = {}  # by name, in this order
for line in WRITTEN.strip().splitlines():
    sign, first, *rest = line.split(" ")
    if sign == "=":
        FAMILIES[" ".join(rest)] = _, articles, others = first, [], []
    else:
        (articles if sign == "+" else others).extend([first, *rest])


def absolute(url: str) -> str:
    return url if url.startswith("http") else HOST + url


def read(example: str, alike: list[str], others: list[str]) -> SiteLinks:
    """What was seen on a list page with all links, and on the example's own page with some."""
    links = [PageLink(absolute(url), "") for url in others] + [
        PageLink(absolute(url), f"A title of {url}") for url in alike
    ]
    own = [PageLink(absolute(url), "") for url in others[:2]] + links[-2:]
    pages = SeenPage(HOST + "/the-list-page", tuple(links)), SeenPage(absolute(example), tuple(own))
    return SiteLinks(absolute(example), pages)


def learned(example: str, alike: list[str], others: list[str]) -> Inference:
    evidence = read(example, alike, others)
    return infer(evidence, siblings(evidence))


@pytest.mark.parametrize("family", FAMILIES)
def test_pattern_of_a_family(family: str) -> None:
    wanted, [example, *alike], others = FAMILIES[family]
    found = learned(example, alike, others)
    assert found.pattern == absolute(wanted)
    pattern = Pattern.parse(found.pattern)
    assert all(pattern.match(absolute(url)) for url in [example, *alike])
    assert [url for url in others if pattern.match(absolute(url))] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_any_article_of_a_family_serves_as_the_example(family: str) -> None:
    _, [example, *alike], others = FAMILIES[family]
    for one in alike[:2]:
        rest = [example, *(url for url in alike if url != one)]
        pattern = Pattern.parse(learned(one, rest, others).pattern)
        taken = [url for url in [one, *rest] if pattern.match(absolute(url))]
        assert len(taken) >= len(rest), (one, pattern.text, taken)


@pytest.mark.parametrize(
    ("codes", "lists"),
    [
        (
            ["1f9a0c22", "90ab31cc", "77e0d1f4", "0b1c2d3e", "a0b1c2d3", "deadbeef"],
            ["/list_2.html", "/tags.html", "/archives.html"],
        ),
        (["20411", "20409", "1977", "1820", "20412"], ["/2.html", "/13.html"]),
    ],
)
def test_lists_that_the_pattern_would_take_narrow_it(codes: list[str], lists: list[str]) -> None:
    posts = [f"/{code}.html" for code in codes]
    evidence = replace(read(posts[0], posts[1:-1], lists), lists=frozenset(map(absolute, lists)))
    pattern = Pattern.parse(infer(evidence, siblings(evidence)).pattern)
    assert pattern.is_regex
    assert all(pattern.match(HOST + url) for url in posts)
    assert not any(pattern.match(HOST + url) for url in lists)
    assert pattern.prefixes() == ["http://news.example/"]


def test_pages_about_the_site_do_not_narrow_it() -> None:
    posts = ["/harbour-opens-again/", "/ferry-is-late/", "/a-storm-at-sea/", "/tide-tables/"]
    found = learned(posts[0], posts[1:], ["/about/", "/contact/", "/category/sea/"])
    assert found.pattern == HOST + "/{slug}/"
    assert found.doubtful == (f"{HOST}/about/", f"{HOST}/contact/")
    assert Pattern.parse(found.pattern).match(f"{HOST}/hello/")


@pytest.mark.parametrize(
    ("pattern", "urls"),
    [
        ("/n/{id}.[s]htm[l]", ["/n/1.htm", "/n/2.html", "/n/3.shtml"]),
        ("/5/{id}.html", ["/5/1042.html", "/5/577.html", "/5/43.html"]),
        (r"/a\*b/{id}", ["/a*b/41", "/a*b/7"]),
        ("/%E6%96%B0%2F%E9%97%BB/{id}", ["/%E6%96%B0%2F%E9%97%BB/41", "/%E6%96%B0%2F%E9%97%BB/7"]),
        ("/view?day={date:%Y-%m-%d}", ["/view?day=2026-11-03", "/view?day=2026-10-30"]),
        ("/v/{slug}", ["/v/storm-2021", "/v/a-day-at-sea-2020", "/v/the-long-way-2019"]),
    ],
)
def test_pattern_of_a_few_urls(pattern: str, urls: list[str]) -> None:
    assert fit([address_of(HOST + url) for url in urls]) == HOST + pattern


LONG_TEXT = "The harbour opens again after a storm"


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("/topics/ferry-late.html", LONG_TEXT, None),  # the example's folder has such a name, too
        ("/tags/ferry-late.html", LONG_TEXT, "in a folder of lists"),
        ("/topics/node_2.html", LONG_TEXT, "named as a list"),  # a page of a Chinese newspaper
        ("/topics/known.html", LONG_TEXT, "a list page"),
        ("/topics/logo.png", LONG_TEXT, "a file, not a page"),
        ("/topics/refused.html", LONG_TEXT, "no article"),
        ("/", LONG_TEXT, "the home page"),
        ("/about.html", LONG_TEXT, "named as a page about the site"),
        ("/topics/story-4.html", "4", "pagination"),
        ("/topics/page/4/", LONG_TEXT, "pagination"),
        ("/topics/sport.html", "Sport today", "navigation: on all 3 pages read"),
        ("/topics/sport.html", "Extraordinarily long-winded", None),
        ("/topics/sport.html", "a b c d e", None),
    ],
)
def test_a_link_is_no_article_for_a_reason(path: str, text: str, reason: str | None) -> None:
    link = PageLink(HOST + path, text)
    pages = [SeenPage(HOST + url, (link,)) for url in ("/topics/story-1.html", "/topics/story.html", "/topics/")]
    refused = {HOST + "/topics/refused.html": "no article"}
    evidence = SiteLinks(pages[0].url, tuple(pages), frozenset({HOST + "/topics/known.html"}), refused)
    assert evidence.why_no_article(evidence.seen[link.url]) == reason
    if reason and reason.startswith("navigation"):
        two = SiteLinks(pages[0].url, tuple(pages[1:]))
        assert two.why_no_article(two.seen[link.url]) is None


def test_relatives_are_grouped_by_folder_and_have_a_date_like_the_example() -> None:
    urls = ["/town/2026/11/02/ferry/", "/sea/2026/11/01/pier/", "/sea/2026/10/01/quay/", "/sea/2026/10/undated/"]
    evidence = read("/part/2026/11/03/harbour/", urls, [])
    groups = relatives(evidence, siblings(evidence))
    assert [(group.folders, len(group.urls)) for group in groups] == [(("sea",), 2), (("town",), 1)]
    assert len({group.family for group in groups}) == 1
    evidence = read("/part/harbour-opens/", ["/town/ferry-late/", "/sea/the-pier/", "/sea/the-quay/"], [])
    groups = relatives(evidence, siblings(evidence))
    assert len({group.family for group in groups}) == 2  # without a date or number they have no form in common


def test_reasons_say_why_links_do_not_match() -> None:
    _, [example, *alike], others = FAMILIES["dedecms with its list pages"]
    found = learned(example, alike, [*others, "https://other.example/a/1.html"])
    reasons = {link.url.removeprefix(HOST): reason for link, reason in found.rejected}
    assert reasons["https://other.example/a/1.html"] == "on another site: other.example"
    assert "the pattern has" in reasons["/a/jiadian/2015/0207/166_2.html"]
