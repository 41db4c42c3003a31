import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from extractors import Section, extract
from extractors.html.dom import parse
from extractors.metadata import declared_metadata as head_module
from extractors.metadata.declared_metadata import read_head
from tests.tables import rows

from ..pages import BAKERY, HARBOUR, LIBRARY, news_page

HERE = Path(__file__).parent
URL = "https://gazette.example/town/2024/bread.html?id=7"


def article(head="", before="", after="", **kwargs):
    """Return the article of a page with the given elements in its head and lines before and after its text."""
    body = before + "".join(f"<p>{text}</p>" for text in BAKERY) + after
    return extract(news_page("Bread from old stones", (), body=body, head=head), URL, **kwargs)


def ld(**properties):
    data = {"@context": "https://schema.org", "@type": "NewsArticle", **properties}
    return f'<script type="application/ld+json">{json.dumps({"@graph": [{"@type": "WebSite"}, data]})}</script>'


def meta(name, content):
    return f'<meta property="{name}" content="{content}">'


def test_json_ld_speaks_first():
    head = ld(
        datePublished="2024-03-05T08:30:00+00:00",
        author=[{"@type": "Person", "name": "Ada Miller"}, {"name": "Ben Stone"}],
        description="On bread.",
        keywords=["bread", "mill"],
        publisher={"name": "The Gazette"},
        image={"url": "/stones.jpg"},
    ) + meta("article:published_time", "2019-01-01")
    found = article(head)
    assert found.published == datetime(2024, 3, 5, 8, 30, tzinfo=UTC)
    assert found.author == "Ada Miller, Ben Stone"
    assert found.description == "On bread."
    assert found.keywords == ("bread", "mill")
    assert found.site_name == "The Gazette"
    assert found.image == "https://gazette.example/stones.jpg"


def test_meta_elements():
    found = article(
        meta("og:title", "Bread from old stones")
        + meta("og:site_name", "The Gazette")
        + meta("og:description", "On &amp;amp; about bread.")
        + meta("og:image", "//img.example/stones.jpg")
        + meta("article:published_time", "2024-03-05 08:30")
        + '<meta name="author" content="By Ada Miller"><meta name="Keywords" content="bread, mill;bread">'
    )
    assert found.title == "Bread from old stones"
    assert found.site_name == "The Gazette"
    assert found.description == "On & about bread."
    assert found.image == "https://img.example/stones.jpg"
    assert found.published == datetime(2024, 3, 5, 8, 30)
    assert found.author == "Ada Miller"
    assert found.keywords == ("bread", "mill")


@pytest.mark.parametrize(("line", "author", "source", "published", "modified"), rows(HERE / "bylines.txt"))
def test_byline_above_the_body(line, author, source, published, modified):
    found = article(before=f"<div>{line}</div>").to_dict()
    assert [found[name] for name in ("author", "source", "published", "modified")] == [
        author, source, published, modified,
    ]  # fmt: skip


def test_the_last_line_of_the_body_is_read_if_it_names_an_author():
    def of_foot(foot):
        found = article(before="".join(f"<p>{text}</p>" for text in (*HARBOUR, *LIBRARY)), after=f"<p>{foot}</p>")
        return found.author, found.published

    assert of_foot("文/王小明 2024-03-05") == ("王小明", date(2024, 3, 5))
    assert of_foot("Ada Miller · March 5, 2024") == ("Ada Miller", date(2024, 3, 5))
    assert of_foot("Reviewed on March 5, 2024") == (None, None)
    assert article(after="<footer>文/王小明</footer>").author == "王小明"
    assert article(after="<footer>Weather</footer><footer>文/王小明</footer>").author is None


def test_declared_name_of_the_editor_is_no_author():
    editor = '<meta name="author" content="王小明">'
    foot = "<div class=edit>(责编：王小明、李四)</div>"
    assert article(editor, after=foot).author is None
    assert article(editor, before="<div>记者 李国强</div>", after=foot).author == "李国强"
    assert article(editor, before="<div>作者：王小明</div>", after=foot).author == "王小明"
    assert article(editor, after=foot.replace("王小明", "王小")).author == "王小明"


def test_reporters_in_brackets_at_the_beginning_or_the_end_of_the_text_are_its_authors():
    def of(first="", last="", head=""):
        paragraphs = "".join(f"<p>{text}</p>" for text in (first + HARBOUR[0], *HARBOUR[1:], LIBRARY[0] + last))
        return extract(news_page("Bread from old stones", (), body=paragraphs, head=head), URL).author

    assert of(first="本报讯（全媒体记者 王小明 通讯员 李四）") == "王小明, 李四"
    assert of(first="通讯社河港3月5日电 （记者 王小明、李四）") == "王小明, 李四"
    assert of(first="〔記者張小明／河港報導〕") == "張小明"
    assert of(first="（文/晨报网 王小明）") == "王小明"
    assert of(last="（晨报记者 王小明）") == "王小明"
    assert of(first="（记者周一获悉）") is None
    assert of(first="他说（记者注：未经证实）") is None
    assert of(first="本报讯（记者 王小明）", head=meta("author", "李四")) == "李四"


def test_section_that_stands_above_the_title_too_is_no_author():
    html = news_page("Bread", (), body="<div>Country Life | March 5, 2024</div><p>" + "</p><p>".join(BAKERY))
    assert extract(html).author == "Country Life"
    assert extract(html.replace("<h1>", "<div>Home › Country Life</div><h1>")).author is None


def test_prose_is_no_byline():
    text = "<p>" + "According to our notes the flour was first sold here on March 5, 2024, by hand. " * 4 + "</p>"
    assert article(before=text).published is None


def test_relative_date_counts_from_the_fetch():
    found = article(before="<div>昨天 08:30</div>", fetched_at=datetime(2024, 3, 6, 1, tzinfo=UTC))
    assert found.published == datetime(2024, 3, 5, 8, 30)


def test_time_element_of_publication_wins_over_others():
    times = '<time datetime="2024-03-09">later</time><time pubdate datetime="2024-03-05">first</time>'
    assert article(before=f"<div>{times}</div>").published == date(2024, 3, 5)


def test_time_element_of_an_update_is_the_modification():
    times = '<time class="updated" datetime="2024-03-09">later</time><time datetime="2024-03-05">first</time>'
    found = article(before=f"<div>{times}</div>")
    assert (found.published, found.modified) == (date(2024, 3, 5), date(2024, 3, 9))


@pytest.mark.parametrize(
    "head",
    [
        ld(datePublished="2024-03-05T08:30", dateModified="2024-03-06T09:00"),
        meta("article:published_time", "2024-03-05T08:30") + meta("og:updated_time", "2024-03-06T09:00"),
        meta("datePublished", "2024-03-05T08:30") + meta("dateUpdate", "2024-03-06T09:00"),
        meta("firstpublishedtime", "2024-03-05-08:30:00") + meta("lastmodifiedtime", "2024-03-06-09:00:00"),
    ],
)
def test_modification_is_declared_like_the_publication(head):
    found = article(head)
    assert (found.published, found.modified) == (datetime(2024, 3, 5, 8, 30), datetime(2024, 3, 6, 9))


@pytest.mark.parametrize("line", ["Joined: Tue Mar 3, 2020 8:00 am", "注册时间：2020-03-03"])
def test_the_day_on_which_a_user_joined_is_no_publication(line):
    shown = f'<dl><dd>{line}</dd></dl><p><time datetime="2024-03-05T08:30">5 March</time></p>'
    assert article(before=shown).published == datetime(2024, 3, 5, 8, 30)


def test_microdata_that_readers_see():
    found = article(
        before="""<div><span itemprop="datePublished" content="2024-03-05T08:30">Tuesday</span>
        <span itemprop="author" itemscope><b itemprop="name">Ada Miller</b>, baker</span></div>"""
    )
    assert (found.author, found.published) == ("Ada Miller", datetime(2024, 3, 5, 8, 30))


def test_day_of_the_page_counts_where_the_head_is_in_utc():
    head = ld(datePublished="2024-03-06T03:00:46Z", dateModified="2024-03-06T04:00:00Z")
    found = article(head, before="<div>March 5, 2024 10:00 PM</div>")
    assert found.published.isoformat() == "2024-03-05T22:00:46-05:00"
    assert found.modified.isoformat() == "2024-03-05T23:00:00-05:00"


@pytest.mark.parametrize(
    "shown", ["2014-09-28 07:56:46", "<time datetime=2014-09-28T07:56:46+08:00>September 28</time>"]
)
def test_shown_time_counts_where_the_declared_one_differs_by_exactly_its_offset(shown):
    head = ld(datePublished="2014-09-27T23:56:46+08:00", dateModified="2014-09-28T08:00:00+08:00")
    found = article(head, f"<p class=byline>{shown}</p>").published
    assert found == datetime(2014, 9, 27, 23, 56, 46, tzinfo=UTC)
    assert found.isoformat() == "2014-09-28T07:56:46+08:00"


def test_declared_time_counts_where_the_shown_one_differs_by_another_number_of_hours():
    head = ld(datePublished="2014-09-27T23:56:46+08:00")
    assert article(head, "<p class=byline>2014-09-28 06:56:46</p>").published.isoformat() == "2014-09-27T23:56:46+08:00"


@pytest.mark.parametrize("logo", ["", "<div class=logo>The Old Mill</div>"])
def test_title_element_with_the_site_s_name_loses_against_the_heading_above_the_body(logo):
    body = f"{logo}<h1>Bread from old stones</h1>" + "".join(f"<p>{text}</p>" for text in BAKERY)
    page = f"<html><head><title>The Old Mill</title></head><body>{body}</body></html>"
    assert extract(page).title == "Bread from old stones"


def test_title_element_wins_where_a_line_below_the_heading_repeats_it():
    body = "<h1>News</h1><p class=headline>Bread from old stones</p>" + "".join(f"<p>{text}</p>" for text in BAKERY)
    page = f"<html><head><title>Bread from old stones</title></head><body>{body}</body></html>"
    assert extract(page).title == "Bread from old stones"


def test_day_of_the_address_counts_where_the_head_is_in_utc():
    html = news_page("Bread", BAKERY, head=ld(datePublished="2024-03-06T03:00:46Z"))
    assert extract(html, "https://gazette.example/2024/03/05/bread").published == date(2024, 3, 5)
    assert (
        extract(html, "https://gazette.example/2024/02/29/bread").published.isoformat() == "2024-03-06T03:00:46+00:00"
    )


def test_address_gives_the_day_where_the_page_has_none():
    assert extract(news_page("Bread", BAKERY), "https://gazette.example/2024/03/05/").published == date(2024, 3, 5)


def test_day_gets_its_time_from_another_place():
    found = article(meta("publishdate", "2024-03-05"), before="<div>2024年03月05日08:30 来源：晨报</div>")
    assert found.published == datetime(2024, 3, 5, 8, 30)


def test_labelled_date_after_the_body_is_read():
    html = news_page("Bread", BAKERY).replace(
        '<div class="side">', "<div>来源：晨报 时间：2024-03-05 08:30</div><div class='side'>"
    )
    found = extract(html)
    assert (found.published, found.source) == (datetime(2024, 3, 5, 8, 30), "晨报")


def test_page_s_own_json_ld_gives_the_day_where_no_article_is_declared():
    script = '<script type="application/ld+json">{"@type": "WebPage", "datePublished": "2024-03-05"}</script>'
    assert article(script).published == date(2024, 3, 5)


def test_author_and_date_are_saved_from_json_ld_with_a_comma_too_many():
    for author in ('"Ada Miller"', '{"@type": "Person", "name": "Ada Miller"}', '[{"name": "Ada Miller"}]'):
        data = f'{{"@type": "NewsArticle", "datePublished": "2024-03-05", "author": {author},}}'
        found = article(f'<script type="application/ld+json">{data}</script>')
        assert (found.author, found.published) == ("Ada Miller", date(2024, 3, 5))


def test_author_of_json_ld_may_be_another_object_of_its_graph():
    person = {"@type": "Person", "@id": "#ada", "name": "Ada Miller"}
    graph = [{"@type": "Article", "author": {"@id": "#ada"}}, person]
    for objects, author in ((graph, "Ada Miller"), (graph[:1], None)):
        script = json.dumps({"@graph": objects})
        assert article(f'<script type="application/ld+json">{script}</script>').author == author


@pytest.mark.parametrize(("markup", "author"), rows(HERE / "author_elements.txt"))
def test_an_element_near_the_title_that_is_named_after_the_author_has_the_name(markup, author):
    assert article(before=f"<div>{markup}</div>").author == author
    assert article(after=f"<div>{BAKERY[0]}</div><footer>{markup}</footer>").author is None


def test_line_that_begins_the_whole_title_serves_as_a_heading():
    html = news_page("面包", BAKERY).replace("h1", "div").replace("面包 - The Gazette", "面包-城里的新鲜事")
    assert extract(html).title == "面包"


def test_title_of_a_picture_is_not_the_page_s():
    html = news_page("Bread", BAKERY).replace("<title>Bread - The Gazette</title>", "<svg><title>Share</title></svg>")
    assert extract(html).title == "Bread"


def test_names_that_chinese_governments_prescribe():
    found = article(
        meta("SiteName", "示例市人民政府") + meta("PubDate", "2024-03-05 08:30") + meta("ContentSource", "晨报")
    )
    assert (found.site_name, found.published, found.source) == ("示例市人民政府", datetime(2024, 3, 5, 8, 30), "晨报")


@pytest.mark.parametrize(("link", "canonical"), rows(HERE / "canonical.txt"))
def test_canonical_url_is_absolute_and_of_the_web(link, canonical):
    assert article(link).canonical_url == canonical


def test_address_in_place_of_the_author_is_no_name():
    assert article(meta("article:author", "https://social.example/gazette")).author is None


@pytest.mark.parametrize(
    "script",
    [
        "{broken",
        "[" * 100_000,
        '{"@type": ["NewsArticle"], "author": [[1]], "image": [{}], "datePublished": 7}',
        '"text"',
        "null",
    ],
)
def test_broken_json_ld_is_passed_over(script):
    found = article(f'<script type="application/ld+json">{script}</script>')
    assert found.title == "Bread from old stones"
    assert found.author is None


def test_json_ld_with_half_a_surrogate_pair_can_still_be_written():
    data = '{"@type": "Article", "author": "A\\ud800da", "headline": "\\ud800", "image": "/\\ud800.png"}'
    found = article(f'<script type="application/ld+json">{data}</script>')
    assert found.author == "A?da"
    json.dumps(found.to_dict(), ensure_ascii=False).encode()


@pytest.mark.parametrize("declared", ["", ' lang="en"', ' lang="fr"'])
def test_the_language_of_the_text_decides_the_order_of_a_date_in_numbers(declared):
    text = "La mairie rouvrira jeudi le marché couvert, dont le toit a été refait, et les marchands y sont déjà prêts."
    body = f"<p>05/03/2024</p><p>{text}</p><p>{text.replace('jeudi', 'vendredi')}</p>"
    found = extract(f"<html{declared}><title>Le marché</title><h1>Le marché</h1>{body}</html>", URL)
    assert (found.language, found.published) == ("fr", date(2024, 3, 5))


def test_headings_within_headings_are_not_all_read(monkeypatch):
    read = []
    monkeypatch.setattr(head_module, "short_text", lambda element, most: read.append(element) or "")
    read_head(parse("<h1><time>" * 200 + "Bread"))
    assert len(read) == 2 * head_module.MAX_TRIED


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("robots", "noindex, nofollow", ("noindex, nofollow",)),
        ("ROBOTS", "NOAI", ("NOAI",)),
        ("robots", "index, follow", ()),
        ("robots", "max-snippet:50", ("max-snippet:50",)),
        ("googlebot", "noindex", ("googlebot: noindex",)),
        ("exemplar", " none ", ("exemplar: none",)),
        ("description", "noindex", ()),
        ("format-detection", "telephone=no", ()),
    ],
)
def test_what_meta_elements_allow_crawlers(name, content, expected):
    assert article(meta(name, content)).robots_meta == expected


def test_a_reservation_of_text_and_data_mining():
    assert article(meta("tdm-reservation", " 1 ")).tdm_meta == "1"
    assert article().tdm_meta is None


@pytest.mark.parametrize(
    "name",
    [
        *("{{author}}", "{{ post.author.name }}", "${author}", "%author%", "<author>", "[author]", "page.meta.author"),
        *("作者:", "作者：", "by", "Author:", "undefined", "Author Name", "未知"),
    ],
)
def test_placeholder_is_no_author(name):
    assert article(meta("author", name.replace("<", "&lt;"))).author is None
    assert article(ld(author={"name": name}), before="<div>By Ada Miller</div>").author == "Ada Miller"


def test_label_is_no_part_of_the_author():
    assert article(meta("author", "作者：王小明")).author == "王小明"
    assert article(meta("author", "Written by Ada Miller")).author == "Ada Miller"


def test_the_site_is_the_author_only_if_the_page_names_no_other():
    site, line = meta("og:site_name", "The Town Paper"), "<div>By Ada Miller</div>"
    assert article(meta("author", "The Town Paper") + site, before=line).author == "Ada Miller"
    assert article(meta("author", "The Town Paper") + site).author == "The Town Paper"
    assert article(meta("author", "The TOWN Paper") + site, before=line).author == "Ada Miller"
    publisher = {"@type": "Organization", "name": "The Town Paper"}
    assert article(ld(author=publisher, publisher=publisher), before=line).author == "Ada Miller"
    assert article(meta("author", "The Gazette"), before=line).author == "Ada Miller"  # as its <title> ends
    assert article(meta("author", "Discuz! Team and Comsenz UI Team")).author is None


def test_account_is_the_author_only_if_the_page_names_no_other():
    assert article(meta("author", "admin")).author == "admin"
    assert article(meta("author", "Admin"), before="<div>作者：王小明</div>").author == "王小明"
    assert article(ld(author=[{"name": "admin"}, {"name": "Ada Miller"}])).author == "Ada Miller"


def microdata(value):
    return f'<span itemprop="datePublished" content="{value}">Tuesday</span>'


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("2024-03-05T08:30:00Z", "2024-03-05T08:30:00+08:00"),  # local time marked as UTC
        ("2024-03-05T16:30:00Z", "2024-03-05T08:30:00+08:00"),  # converted the wrong way
        ("2024-03-05T16:30:00+08:00", "2024-03-05T08:30:00+08:00"),
        ("2024-03-05T00:30:00", "2024-03-05T08:30:00+08:00"),  # UTC without its mark
        ("2024-03-08", "2024-03-05T08:30:00+08:00"),
    ],
)
def test_visible_time_and_microdata_outvote_json_ld(declared, expected):
    before = f"<div>2024-03-05 08:30</div>{microdata('2024-03-05T08:30:00+08:00')}"
    assert article(ld(datePublished=declared), before=before).published.isoformat() == expected


def test_zone_of_json_ld_alone_is_not_taken_where_two_places_show_its_time_without_one():
    head, shown = ld(datePublished="2024-03-05T08:30:00Z"), "<div>2024-03-05 08:30</div>"
    assert article(head, before=shown + microdata("2024-03-05T08:30")).published == datetime(2024, 3, 5, 8, 30)
    assert article(head, before=shown).published == datetime(2024, 3, 5, 8, 30, tzinfo=UTC)


def test_json_ld_counts_where_another_place_agrees():
    head = ld(datePublished="2024-03-08T09:00:00") + meta("article:published_time", "2024-03-08T09:00")
    before = f"<div>2024-03-05 08:30</div>{microdata('2024-03-05T08:30')}"
    assert article(head, before=before).published == datetime(2024, 3, 8, 9)


def test_json_ld_counts_where_no_two_other_places_agree():
    before = f"<div>2024-03-07 08:30</div>{microdata('2024-03-09')}"
    assert article(ld(datePublished="2024-03-08"), before=before).published == date(2024, 3, 8)


def test_two_places_with_the_last_change_do_not_outvote_the_publication():
    head = ld(datePublished="2024-03-05", dateModified="2024-03-08T09:00")
    before = f"<div>2024-03-08</div>{microdata('2024-03-08')}"
    assert article(head, before=before).published == date(2024, 3, 5)


def test_dates_of_a_list_of_articles_outvote_nothing():
    items = "".join(microdata(f"2024-03-1{day}") + f"<time>2024-03-1{day}</time>" for day in range(3))
    assert article(ld(datePublished="2024-03-05"), before=f"<div>{items}</div>").published == date(2024, 3, 5)


def test_stamp_of_the_page_s_generation_gives_way_to_an_earlier_date():
    stamp = ld(datePublished="2024-03-05T09:00", dateModified="2024-03-05T09:00")
    assert article(stamp, before="<div>March 1, 2023</div>").published == date(2023, 3, 1)
    assert article(stamp, before="<div>March 7, 2024</div>").published == datetime(2024, 3, 5, 9)
    assert article(ld(datePublished="2024-03-05"), before="<div>March 1, 2023</div>").published == date(2024, 3, 5)


def test_date_and_author_below_a_title_far_above_the_body_are_read():
    contents = "".join(f"<li><a href='#{number}'>Loaf {number}</a></li>" for number in range(20))
    found = article(before=f"<div>March 5, 2024</div><div>By Ada Miller</div><ul>{contents}</ul>")
    assert (found.published, found.author) == (date(2024, 3, 5), "Ada Miller")


def test_date_above_a_title_is_read():
    html = news_page("Bread", BAKERY).replace("<h1>", "<div>March 5, 2024</div><h1>")
    contents = "".join(f"<li><a href='#{number}'>Loaf {number}</a></li>" for number in range(20))
    assert extract(html.replace("</h1>", f"</h1><ul>{contents}</ul>")).published == date(2024, 3, 5)


def test_a_time_in_a_script_counts_where_the_page_has_no_other():
    script = """<script>var uin = "1609459200"; var ct = "1709627400", title = "Bread";
    var createTime = '2024-03-05 16:30';</script>"""
    assert article(script).published == datetime(2024, 3, 5, 16, 30)
    assert article(script[: script.index("var createTime")] + "</script>").published == datetime(
        2024, 3, 5, 8, 30, tzinfo=UTC
    )
    assert article(script, before="<div>2024-03-01</div>").published == date(2024, 3, 1)


def test_lines_of_a_heading_are_apart():
    body = "<h1>Bread from old stones<br><span>2024-03-05 Clicks: 7</span></h1>" + "".join(
        f"<p>{text}</p>" for text in BAKERY
    )
    page = f"<title>Bread from old stones - Town - The Gazette</title>{body}"
    assert extract(page).title == "Bread from old stones"
    html = news_page("Bread", BAKERY).replace("<h1>Bread</h1>", "<h1>Bread<br>from <b>old</b> stones</h1>")
    assert extract(html).title == "Bread from old stones"


@pytest.mark.parametrize(
    "line", ["今天是2024年3月9日 星期六", "您好！今日是 2024-03-09", "Today: Saturday, 9 March 2024 | 6°C"]
)
def test_day_of_the_visit_above_all_pages_is_no_publication(line):
    assert article(before=f"<div>{line}</div>").published is None


@pytest.mark.parametrize("line", ["Saturday, March 9, 2024", "2024年3月9日　星期六", "Sa., 9. März 2024"])
def test_day_of_the_fetch_is_a_publication_only_directly_above_the_title(line):
    def published(above, day):
        fetched = datetime(2024, 3, day, 20, tzinfo=UTC)
        return extract(news_page("Bread", BAKERY).replace("<h1>", f"{above}<h1>"), fetched_at=fetched).published

    menu = "<ul><li>Home</li><li>Town</li></ul>"
    assert published(f"<div>{line}</div>{menu}", 9) is None
    assert published(f"{menu}<div>{line}</div>", 9) == date(2024, 3, 9)  # as weblogs have it
    assert published(f"<div>{line}</div>{menu}", 12) == date(2024, 3, 9)


def test_byline_of_a_quoted_post_is_not_the_article_s():
    post = '<blockquote><p>Fresh!</p>— Mia (@mia) <a href="https://posts.example/1">March 9, 2024</a></blockquote>'
    body = "".join(f"<p>{text}</p>" for text in (BAKERY[0], *BAKERY[1:]))
    assert (
        extract(news_page("Bread from old stones", (), body=f"<p>{BAKERY[0]}</p>{post}{body}"), URL).published is None
    )
    assert article(before="By Ada Miller, March 9, 2024").published == date(2024, 3, 9)


def test_day_of_a_job_offer():
    assert article(ld(**{"@type": "JobPosting"}, datePosted="2024-03-05")).published == date(2024, 3, 5)


def test_days_of_reviews_are_not_that_of_a_product():
    product = '<script type="application/ld+json">{"@type": "Product", "name": "Bread"}</script>'
    review = '<p>Good.</p><time datetime="2024-03-05">March</time>'
    assert (article(product, after=review).published, article(after=review).published) == (None, date(2024, 3, 5))


def test_declarations_for_bibliographies():
    names = "".join(f'<meta name="citation_author" content="{name}">' for name in ("Miller, Ada", "Ben Stone"))
    found = article(names + meta("citation_date", "2024/03/05"))
    assert (found.author, found.published) == ("Ada Miller, Ben Stone", date(2024, 3, 5))


def test_a_time_that_all_pages_of_a_section_declare_is_that_of_the_template():
    """It counts only if the page shows no other day."""

    def page(paragraphs, title, day, declared="2019-06-01T09:00:00+00:00"):
        head = meta("article:published_time", declared)
        return news_page(title, (), body=f"<i>{day}</i><p>" + "</p><p>".join(paragraphs), head=head)

    section = Section(page(BAKERY, "Bread from old stones", "March 4, 2024"))
    harbour = (HARBOUR, "A tide station opens", "March 5, 2024")
    assert section.extract(page(*harbour)).published == date(2024, 3, 5)
    assert section.extract(page(*harbour[:2], "June 1, 2019")).published == datetime(2019, 6, 1, 9, tzinfo=UTC)
    assert section.extract(page(*harbour, "2024-03-06T09:00:00Z")).published == datetime(2024, 3, 6, 9, tzinfo=UTC)
    assert extract(page(*harbour)).published == datetime(2019, 6, 1, 9, tzinfo=UTC)
