"""Which pages of a site may list the articles of a section, the likeliest first."""

import pytest

from crawler.discovery.links import PageLink
from crawler.scouting.section_pages import breadcrumb, candidates

HERE = "https://town.example/news/harbour/2026/11/story.html"


def page(html: str) -> bytes:
    return f"<html><body>{html}<p>The harbour opens again after the storm.</p></body></html>".encode()


CRUMBS = "<a href='/'>Home</a> &gt; <a href='/news/'>News</a> &gt; <a href='/news/harbour/'>Harbour</a>"
OUTER_FIRST = ["https://town.example/news/", "https://town.example/news/harbour/"]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (f"<div class=breadcrumb>{CRUMBS}</div>", OUTER_FIRST),
        (f"<p>您的位置：{CRUMBS}</p>", OUTER_FIRST),
        (f"<p>{CRUMBS}</p>", []),
        (f"<div class=crumbs><a href='https://far.example/x/'>Far</a> {CRUMBS}</div>", OUTER_FIRST),
        ("<div class=position>" + "".join(f"<a href='/part-{n}/'>{n}</a>" for n in range(9)) + "</div>", []),
    ],
    ids=["named", "by its text", "unnamed", "with a link to another site", "a menu"],
)
def test_a_breadcrumb_has_few_links_and_is_named_or_says_so(html: str, found: list[str]) -> None:
    assert breadcrumb(HERE, page(html)) == found


def test_sibling_is_no_list_whatever_its_title_says() -> None:
    links = [PageLink(f"https://town.example/zbgg/{name}.html", "公园采购招标公告") for name in ("7003", "index")]
    found = candidates("https://town.example/zbgg/7004.html", page(""), links)
    assert [each.url for each in found if each.why == "named as a list"] == ["https://town.example/zbgg/index.html"]
