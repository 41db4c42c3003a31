import pickle
import re
from pathlib import Path

import lxml.html
import pytest

from extractors import extract
from tests.tables import rows

from ..pages import BAKERY, HARBOUR, blog_page

URL = "https://gazette.example/town/1"


def article_of(*parts):
    return extract(blog_page([*BAKERY, *parts, *HARBOUR]), URL)


def html_of(*parts):
    """Return the HTML between two runs of prose."""
    html = article_of(*parts).html
    start = html.index(f"{BAKERY[-1]}</p>") + len(BAKERY[-1]) + 4
    return html[start : html.index(f"<p>{HARBOUR[0]}")]


@pytest.mark.parametrize(("part", "html"), rows(Path(__file__).with_name("body_html.txt")))
def test_an_element_has_its_meaning_and_nothing_else(part, html):
    assert html_of(part) == html


def test_a_picture_in_a_box_that_is_no_part_of_the_body_goes_with_it():
    box = "<div class=related><a href=/a><img src=/a.jpg></a><a href=/a>Another article of the town</a></div>"
    assert "a.jpg" not in article_of(box).html


def test_a_picture_beyond_text_that_is_no_part_of_the_body_is_left_out():
    head = '<article class="entry"><img src=/top.jpg><div class=meta><a href=/a>By Anna</a> <a href=/b>Town</a></div>'
    page = blog_page([*BAKERY, *HARBOUR]).replace('<article class="entry">', head)
    assert "top.jpg" not in extract(page, URL).html


def test_the_lead_picture_comes_first():
    lead = "https://img.gazette.example/lead.jpg"
    head = f"<head><meta property=og:image content='{lead}'></head><body><header><img src='{lead}?w=9'></header>"
    html = extract(blog_page([*BAKERY, *HARBOUR]).replace("<body>", head), URL).html
    assert html.startswith('<figure><img src="https://img.gazette.example/lead.jpg" alt=""></figure>')
    assert html.count("lead.jpg") == 1


@pytest.mark.parametrize(
    ("player", "address"),
    [
        ("<iframe src='//video.example/7' title='The storm'></iframe>", "https://video.example/7"),
        (
            "<iframe src=about:blank data-lazy-src=https://video.example/7 title='The storm'></iframe>",
            "https://video.example/7",
        ),
        ("<video title='The storm'><source data-src=/7.mp4></video>", "https://gazette.example/7.mp4"),
        ("<amp-video src=/7.mp4 title='The storm'></amp-video>", "https://gazette.example/7.mp4"),
        ("<lite-youtube videoid=7 title='The storm'></lite-youtube>", "https://www.youtube.com/watch?v=7"),
    ],
)
def test_a_player_is_a_link(player, address):
    article = article_of(player)
    assert f'<figure><a href="{address}">The storm</a></figure>' in article.html
    assert [link.url for block in article.blocks for link in block.links] == [address]


def text_of(html):
    root = lxml.html.fragment_fromstring(html, create_parent="div")
    for element in list(root.iter("figure", "figcaption", "caption", "math")):
        if element.find(".//pre") is None:
            element.drop_tree()
    return "".join(root.itertext())


PARTS = [
    "<ul><li>Dark flour<ol><li>Water<li>Salt</ol></ul>",
    "<div>loose <b>text<p>and a paragraph</b> in it</div>",
    "<p>one<br><span hidden>hidden</span>two<br>three</p>",
    "<table><tr><td>Monday<td>High<tr><td>Tuesday<td>Low</table>",
    "<table><tr><td>A cell with a list:<ul><li>one</ul></table>",
    "<pre>a\n <b>b</b><div>c</div></pre>",
    "<span><h3>A heading</h3><p>and its text</p></span>",
    "<figure><img src=/a.jpg><figcaption>caption</figcaption></figure>",
    "<dl><div><dt>term<dd>meaning</div></dl>",
    "<x-box><x-text>unknown elements</x-text></x-box>",
    "<li>an item without a list",
    "<p>\u3000\u3000\u4e2d\u6587 \u00a0and<em> spaces </em>!</p>",
]


@pytest.mark.parametrize("part", PARTS)
def test_the_text_of_the_html_is_that_of_the_article(part):
    article = article_of(part)
    text = re.sub(r"^ *\d+\. ", "", article.text, flags=re.MULTILINE)  # the numbers of items
    assert "".join(text_of(article.html).split()) == "".join(text.split())


def test_deep_nesting_is_bounded():
    for part in ("<ul><li>a", "<blockquote>a", "<table><tr><td>a<td>b", "<b><i>a", "<div>a"):
        root = lxml.html.fragment_fromstring(article_of(part * 500).html, create_parent="div")
        assert max(len(list(element.iterancestors())) for element in root.iter()) < 100, part


def test_the_html_survives_pickling_and_frees_the_page():
    article = article_of("<p>One.</p>")
    copied = pickle.loads(pickle.dumps(article))
    assert copied == article
    assert copied.html == article.html != ""


@pytest.mark.parametrize(
    ("name", "place"), [("slideshow", 0), ("photo-gallery", 2), ("carousel", 5), ("swiper-wrapper", 2)]
)
@pytest.mark.parametrize(
    "slide",
    [
        "<div><img src=/{0}.jpg><p>{1}</p></div>",
        "<figure><img src=/{0}.jpg><figcaption>{1}</figcaption></figure>",
    ],
)
def test_captions_of_a_gallery_never_outweigh_the_prose(name, place, slide):
    prose = [*BAKERY, *HARBOUR][:5]
    said = "The crane lifts one of the old barges out of the basin in front of the crowd on Sunday, picture {}."
    slides = "".join(slide.format(number, said.format(number)) for number in range(44))
    parts = [f"<p>{text}</p>" for text in prose]
    parts.insert(place, f'<div class="{name}">{slides}</div>')
    page = f"<title>Tides</title><nav><a href=/>Home</a></nav><article><h1>Tides</h1>{''.join(parts)}</article>"
    article = extract(page, URL)
    assert article.text == "\n\n".join(prose)
    root = lxml.html.fragment_fromstring(article.html, create_parent="div")
    shown = [figure.text_content() for figure in root.iter("figure") if figure.find("img") is not None]
    assert shown == [said.format(number) for number in range(44)]
