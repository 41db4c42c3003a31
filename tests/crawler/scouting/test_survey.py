"""From one URL to a section, on invented sites in memory."""

import asyncio
from collections.abc import Callable

import pytest

from crawler.patterns.pattern import Pattern
from crawler.scouting.new_task import entry_of
from crawler.scouting.sample_extractions import NoSection
from crawler.scouting.survey import Survey, survey
from tests.crawler.invented import DOINGS, HOST, SUBJECTS, Site, article, listing, menu, page, title_of

NAV = menu("/", "/news/", "/sport/", "/about/")


def look(site: Site, path: str, scope: str = "auto") -> Survey:
    return asyncio.run(survey(site.fetch, HOST + path, scope))


def takes(found: Survey, *paths: str) -> list[bool]:
    pattern = Pattern.parse(found.pattern)
    return [bool(pattern.match(HOST + path)) for path in paths]


def sections(count: int, each: int, *, home_links: int = 0) -> Site:
    """`count` sections of `each` articles with numbers; the home page shows three of each, and `home_links` more."""
    names = [f"part-{letter}" for letter in "abcdefghijkl"[:count]]
    nav = menu("/", *(f"/{name}/" for name in names))
    pages: dict[str, bytes] = {}
    front = []
    for place, name in enumerate(names):
        paths = [(f"/{name}/{1000 * place + n}.html", 100 * place + n) for n in range(each)]
        front += paths[:3]
        pages[f"/{name}/"] = listing(nav, paths)
        for path, n in paths:
            side = "".join(f"<a href='{other}'>{SUBJECTS[m % 11]}</a>" for other, m in paths[:2])
            pages[path] = article(n, nav, f"<a href='/'>Home</a> &gt; <a href='/{name}/'>{name}</a>", side)
    extra = [(f"/part-a/{90000 + n}.html", n) for n in range(home_links)]
    pages["/"] = listing(nav, front + extra)
    return Site(pages)


def test_small_site_is_one_section() -> None:
    found = look(sections(4, 8), "/part-b/1003.html")
    assert found.pattern == f"{HOST}/*/{{id}}.html"
    assert found.scope == "site"
    assert f"{HOST}/" in found.starts
    assert len(found.samples) == 3
    assert all(sample.by_example for sample in found.samples)


def test_an_address_that_leads_to_the_page_of_a_day_is_the_start() -> None:
    folder = "/html/2026-11/28/"
    paths = [(f"{folder}content_{n}.htm", n) for n in range(301, 307)]
    pages = {path: article(n, menu(f"{folder}node_2.htm", f"{folder}node_3.htm")) for path, n in paths}
    pages[f"{folder}node_2.htm"] = listing(menu(f"{folder}node_3.htm"), paths)
    found = look(Site(pages, {"/": f"{folder}node_2.htm"}), paths[2][0])
    assert (found.pattern, found.starts) == (f"{HOST}/html/{{date:%Y-%m/%d}}/content_{{id}}.htm", (f"{HOST}/",))


def test_section_of_a_big_site_stays_by_itself() -> None:
    found = look(sections(2, 32, home_links=260), "/part-b/1003.html")
    assert found.pattern == f"{HOST}/part-b/{{id}}.html"
    assert (found.scope, found.starts, found.lone) == ("section", (f"{HOST}/part-b/",), False)
    assert "big site" in found.why
    few = look(sections(2, 12, home_links=260), "/part-b/1003.html")
    assert (few.scope, few.pattern) == ("site", f"{HOST}/*/{{id}}.html")
    assert few.why.startswith("few siblings in the example's own folders")


def test_scope_can_be_forced() -> None:
    assert look(sections(4, 8), "/part-b/1003.html", "section").pattern == f"{HOST}/part-b/{{id}}.html"
    assert look(sections(2, 32, home_links=260), "/part-b/1003.html", "site").pattern == f"{HOST}/*/{{id}}.html"


def test_sections_of_different_depth_are_one_pattern() -> None:
    site = sections(2, 8)
    nav = menu("/", "/part-a/", "/deep/")
    deep = [(f"/deep/er/2026/11{n:02d}/{n + 50}.html", n + 30) for n in range(1, 9)]
    site.pages["/deep/"] = listing(nav, deep)
    site.pages["/"] = listing(nav, [("/part-a/0.html", 0), ("/part-a/1.html", 1), *deep])
    site.pages |= {path: article(n, nav, "<a href='/'>Home</a> <a href='/deep/'>Deep</a>") for path, n in deep}
    for example in ("/deep/er/2026/1103/53.html", "/part-a/2.html"):
        found = look(site, example)
        assert found.pattern == f"{HOST}/**/{{id}}.html"
        assert takes(found, "/part-b/1001.html", "/deep/er/2026/1102/52.html", "/part-a/") == [True, True, False]


def test_lists_that_are_built_like_articles_stay_out() -> None:
    nav = menu("/", *(f"/list/{n}.html" for n in range(1, 6)))
    shown = [(f"/show/{n}.html", n) for n in range(100, 130)]
    pages = {path: article(n, nav, "<a href='/list/3.html'>List</a>") for path, n in shown}
    pages |= {f"/list/{n}.html": listing(nav, shown[n * 5 - 5 : n * 5]) for n in range(1, 6)}
    site = Site(pages | {"/": listing(nav, shown[:10])})
    found = look(site, "/show/117.html")
    assert found.pattern == f"{HOST}/show/{{id}}.html"
    assert any("list/" in link.url for link, _ in found.inference.rejected)
    confined = look(site, "/show/117.html", "section")
    assert (confined.starts, confined.lone) == ((f"{HOST}/list/3.html",), True)  # other lists are of other sections


def test_blog_at_the_root_with_categories() -> None:
    nav = menu("/", "/category/town/", "/about/", "/contact/")
    posts = [
        (f"/2026/{n % 11 + 1:02d}/{SUBJECTS[n % 11]}-{'-and-'.join(SUBJECTS[: n % 3 + 1])}/", n) for n in range(20)
    ]
    pages = {path: article(n, nav, "<a href='/category/town/'>Town</a>") for path, n in posts}
    pages["/"] = listing(nav, posts[:10], "<a href='/page/2/'>2</a>")
    pages["/category/town/"] = listing(nav, posts[:8], "<a href='/category/town/page/2/'>2</a>")
    found = look(Site(pages), posts[13][0])
    assert found.pattern == f"{HOST}/{{date:%Y/%m}}/{{slug}}/"
    assert takes(found, "/category/town/", "/page/2/", "/about/") == [False, False, False]


def test_the_same_in_another_language_is_another_section() -> None:
    site = sections(1, 10)
    chinese = "镇议会昨天开会讨论渡口的事情，会上没有人知道该由谁来付这笔钱，于是推迟到下个月再议。" * 4
    paths = [(f"/zh/{n}.html", n) for n in range(20, 30)]
    for path, n in paths:
        site.pages[path] = page(
            f"渡口第{n}次停航", f"<article><h1>渡口第{n}次停航</h1><p>{chinese}</p><p>{chinese}</p></article>"
        )
    site.pages["/"] = listing(NAV, [("/part-a/0.html", 0), ("/part-a/1.html", 1), *paths])
    found = look(site, "/part-a/4.html")
    assert found.pattern == f"{HOST}/part-a/{{id}}.html"


def test_section_that_only_a_feed_lists() -> None:
    nav = menu("/", "/map/")
    posts = [(f"/story/{n + 300}.html", n) for n in range(12)]
    items = "".join(f"<item><title>Story {n}</title><link>{HOST}{path}</link></item>" for path, n in posts)
    head = b"<head><link rel='alternate' type='application/rss+xml' href='/rss.xml'>"
    pages = {path: article(n, nav).replace(b"<head>", head) for path, n in posts}
    pages["/"] = page("The Town Paper", nav)
    pages["/rss.xml"] = f"<?xml version='1.0'?><rss version='2.0'><channel>{items}</channel></rss>".encode()
    found = look(Site(pages), "/story/305.html")
    assert found.pattern == f"{HOST}/story/{{id}}.html"
    assert found.starts[0] == f"{HOST}/rss.xml"


@pytest.mark.parametrize("below", ["", "/stories.xml"], ids=["at its usual place", "below the declared one"])
def test_section_that_only_a_sitemap_lists(below: str) -> None:
    nav = menu("/", "/map/")
    posts = [(f"/story/{n + 300}.html", n) for n in range(12)]
    urls = "".join(f"<url><loc>{HOST}{path}</loc></url>" for path, _ in posts)
    pages = {path: article(n, nav) for path, n in posts}
    pages["/"] = page("The Town Paper", nav)
    space = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
    pages[below or "/sitemap.xml"] = f"<urlset {space}>{urls}</urlset>".encode()
    if below:
        index = f"<sitemapindex {space}><sitemap><loc>{HOST}{below}</loc></sitemap></sitemapindex>"
        pages |= {"/robots.txt": f"Sitemap: {HOST}/map.xml".encode(), "/map.xml": index.encode()}
    found = look(Site(pages), "/story/305.html")
    assert found.pattern == f"{HOST}/story/{{id}}.html"


def test_no_more_than_some_pages_are_fetched() -> None:
    posts = [(f"/blog/{title_of(n).lower().replace(' ', '-')}/", n) for n in range(5)]
    others = [(f"/{folder}/{SUBJECTS[n]}-explained/", n) for folder in SUBJECTS for n in (1, 2)]  # unavailable
    lists = [f"/list-{letter}/" for letter in "abcdefghijkl"]
    nav = "".join(f"<a href='{path}'>News</a>" for path in lists)
    site = Site({path: article(n, NAV) for path, n in posts} | {path: listing(NAV, []) for path in lists})
    site.pages["/"] = listing(nav, [*posts, *others])
    look(site, posts[0][0])
    assert sum(f"{HOST}{path}" in site.asked for path, _ in others) == 6
    assert len(site.asked) == len(set(site.asked)) == 16  # with the example, six lists and three siblings


def test_example_that_moved_is_the_page_it_leads_to() -> None:
    site = sections(1, 8)
    site.moved["/go?to=3"] = "/part-a/3.html"
    found = look(site, "/go?to=3")
    assert found.example == f"{HOST}/part-a/3.html"
    assert "redirects to" in found.warnings[0]


SHELL = b"<html><head><title>App</title><script src=/app.js></script></head><body><div id=app></div></body></html>"


@pytest.mark.parametrize(
    ("pages", "path", "says"),
    [
        (sections(2, 8).pages, "/", "home page"),
        (sections(1, 8).pages, "/part-a/77777.html", "http 404"),
        ({"/news/12": SHELL}, "/news/12", "render: true"),
        ({"/lone/77.html": article(7, NAV), "/": page("Home", NAV)}, "/lone/77.html", r"no siblings.*/lone/{id}\.html"),
        ({"/lone/a-2022.html": article(7, NAV), "/": page("Home", NAV)}, "/lone/a-2022.html", r"/lone/{slug}\.html"),
        ({"/lone/77.html": article(7, NAV), "/": SHELL}, "/lone/77.html", "is filled by scripts.*`render: true`"),
    ],
    ids=["a home page", "no page", "a shell", "no siblings", "a year in a lone title", "lists that scripts fill"],
)
def test_without_a_section_there_is_a_reason_and_a_remedy(pages: dict[str, bytes], path: str, says: str) -> None:
    with pytest.raises(NoSection, match=says):
        look(Site(pages), path)


@pytest.mark.parametrize("folder", ["tags", "topics-of-the-year"])
def test_one_link_to_another_folder_is_no_reason_to_take_all_folders(folder: str) -> None:
    tag = f"/{folder}/sea-and-salt/"
    paths = [(f"/posts/{title_of(n).lower().replace(' ', '-')}/", n) for n in range(12)]
    site = Site({path: article(n, NAV, side=f"<a href='{tag}'>Sea and salt</a>") for path, n in paths})
    site.pages |= {"/": listing(NAV, paths), tag: article(1, NAV)}
    found = look(site, paths[3][0])
    assert found.pattern.startswith(f"{HOST}/posts/{{slug}}")
    assert takes(found, tag) == [False]


def test_a_feed_proposes_its_articles() -> None:
    entries = "".join(f"<item><title>{title_of(n)}</title><link>{HOST}/a/{n}</link></item>" for n in range(3))
    feed = f"<?xml version='1.0'?><rss version='2.0'><channel><title>News</title>{entries}</channel></rss>"
    with pytest.raises(NoSection, match=r"/feed is a feed, not an article; name one of its articles$") as error:
        look(Site({"/feed": feed.encode()}), "/feed")
    assert error.value.proposals == tuple((f"{HOST}/a/{n}", title_of(n)) for n in range(3))


def test_numbers_like_years_do_not_bring_titles_of_other_folders_in() -> None:
    nav = menu("/", "/part/", "/help/")
    parts = [(f"/part/item_{n}.html", n) for n in (*range(2030, 2046), 98)]
    helps = [(f"/help/{SUBJECTS[n]}-explained.html", n) for n in range(5)]
    pages = {path: article(n, nav, "<a href='/part/'>Part</a>") for path, n in [*parts, *helps]}
    pages |= {"/part/": listing(nav, parts), "/help/": listing(nav, helps), "/": listing(nav, [*parts[:3], *helps])}
    assert look(Site(pages), parts[4][0]).pattern == f"{HOST}/part/item_{{id}}.html"


# Short articles among many links


def flashes(texts: Callable[[int], str], *, titles: Callable[[int], str] = title_of, anchors: bool = True) -> Site:
    """Pages of one short text each, with links to all others beside it."""
    paths = [(f"/flash/{1000 + n}.html", n) for n in range(40)]
    named = {path: titles(n) if anchors else str(n) for path, n in paths}
    items = "".join(f"<li><a href='{path}'>{text}</a></li>" for path, text in named.items())
    index = page("The Town Paper", f"{NAV}<ul>{items}</ul>")
    pages = {"/flash/": index, "/": index}
    for path, n in paths:
        article_ = f"<article><h1>{titles(n)}</h1>{texts(n)}</article>"
        pages[path] = page(titles(n), f"{NAV}{article_}<aside><h3>More</h3><ul>{items}</ul></aside>")
    return Site(pages)


def one_sentence(n: int) -> str:
    return f"<p>The {SUBJECTS[n % 11]} of the town {DOINGS[n // 11 % 6]}, said clerk {n} at noon.</p>"


def teasers(n: int) -> str:
    """What a page of a list has: titles that are links, each with a sentence."""
    entries = "".join(
        f"<h2><a href='/a/{n}-{m}'>{title_of(n + m)}</a></h2>{one_sentence(n + m)}<p>{title_of(n * m)}</p>"
        for m in range(12)
    )
    return f"<div>{entries}</div>"


def test_short_articles_that_look_like_lists_are_articles_if_their_siblings_look_alike() -> None:
    site = flashes(one_sentence)
    found = look(site, "/flash/1003.html")
    assert (found.pattern, found.insist) == (f"{HOST}/flash/{{id}}.html", True)
    assert "it is treated as an article, because its siblings have short texts of their own, too" in found.warnings[0]
    assert [sample.characters > 40 for sample in found.samples] == [True] * 3
    assert entry_of(found, {}, [])["articles"] is True
    assert "articles" not in entry_of(look(sections(4, 8), "/part-b/1003.html"), {}, [])


@pytest.mark.parametrize(
    "site",
    [
        flashes(lambda n: "<p>The town paper has more news of the town below, every day of the year.</p>"),
        flashes(one_sentence, anchors=False),
        flashes(one_sentence, titles=lambda n: "News of the town and of its people"),
        flashes(lambda n: one_sentence(n) if n == 3 else ""),
        flashes(teasers),
    ],
    ids=["one text", "numbers as links", "one title", "no text", "teasers"],
)
def test_a_page_that_looks_like_a_list_is_refused_unless_its_siblings_prove_otherwise(site: Site) -> None:
    with pytest.raises(NoSection, match=r"(is|may be) a list page, not an article") as refused:
        look(site, "/flash/1003.html")
    assert refused.value.may_be_overruled


def test_siblings_of_a_page_without_a_text_of_its_own_are_not_fetched() -> None:
    site = flashes(one_sentence)
    with pytest.raises(NoSection, match="is a list page"):
        look(site, "/flash/")
    assert site.asked == [f"{HOST}/flash/"]
