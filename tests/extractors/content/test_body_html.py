import pickle
import re

import lxml.html
import pytest

from extractors import extract

from ..pages import BAKERY, HARBOUR, blog_page

URL = "https://gazette.example/town/1"
PIER = '<figure><img src="https://gazette.example/pier.jpg" alt=""><figcaption>'
BOX = '<input type="checkbox" disabled="">'


def article_of(*parts):
    return extract(blog_page([*BAKERY, *parts, *HARBOUR]), URL)


def html_of(*parts):
    """Return the HTML between two runs of prose."""
    html = article_of(*parts).html
    start = html.index(f"{BAKERY[-1]}</p>") + len(BAKERY[-1]) + 4
    return html[start : html.index(f"<p>{HARBOUR[0]}")]


@pytest.mark.parametrize(
    ("part", "html"),
    [
        ("<h2 class=x id=y>Tides</h2><h5>Storms</h5>", "<h2>Tides</h2><h5>Storms</h5>"),
        ("<h2>Tides<a href=#tides>\u00b6</a></h2>", "<h2>Tides</h2>"),
        ("<p>A <b>bold</b> and <i>soft</i> word</p>", "<p>A <strong>bold</strong> and <em>soft</em> word</p>"),
        (
            "<p>H<sub>2</sub>O, m<sup>2</sup>, <s>old</s>, <mark>new</mark> and <tt>read()</tt></p>",
            "<p>H<sub>2</sub>O, m<sup>2</sup>, <del>old</del>, <mark>new</mark> and <code>read()</code></p>",
        ),
        (
            "<p><span style='font-weight: 700'>bold</span> and <font style='FONT-STYLE:italic'>soft</font></p>",
            "<p><strong>bold</strong> and <em>soft</em></p>",
        ),
        ("<p>one<b><br> </b>two<span hidden>no</span></p>", "<p>one<br>two</p>"),
        ("<div>one<br><br>two</div>", "<p>one</p><p>two</p>"),
        ("<p>one <br>\n two</p>", "<p>one<br>two</p>"),
        ("<p>one</p><hr><p>two</p>", "<p>one</p><hr><p>two</p>"),
        ("<strong><p>one</p><p>two</p></strong>", "<p><strong>one</strong></p><p><strong>two</strong></p>"),
        ("<ul><li>Flour<li><p>Water</p></ul>", "<ul><li>Flour</li><li>Water</li></ul>"),
        (
            "<ul><li>Flour</li><ul><li>Dark</li></ul><li>Water</ul>",
            "<ul><li>Flour<ul><li>Dark</li></ul></li><li>Water</li></ul>",
        ),
        (
            "<ol start=3><li>Mix<ul><li>Flour</li></ul></li><li value=7>Bake</li></ol>",
            '<ol start="3"><li>Mix<ul><li>Flour</li></ul></li><li value="7">Bake</li></ol>',
        ),
        (
            "<ul><li><input type=checkbox checked> Mix</li><li><input type=checkbox> Bake</li></ul>",
            f"<ul><li>{BOX[:-1]} checked=\"\"> Mix</li><li>{BOX} Bake</li></ul>",
        ),
        ("<ul><li><label><input type=checkbox disabled></label> Mix</li></ul>", f"<ul><li>{BOX} Mix</li></ul>"),
        ("<ul><li><label><input type=checkbox></label> Mix</li></ul>", "<ul><li>Mix</li></ul>"),
        (
            "<table><tr><th>A<th>B<tr><td>Mix<td><pre>x</pre></table>",
            "<table><tbody><tr><th>A</th><th>B</th></tr><tr><td>Mix</td><td><pre><code>x\n</code></pre></td></tr></tbody></table>",
        ),
        ("<dl><dt>Flour</dt><dd>Dark</dd></dl>", "<dl><dt>Flour</dt><dd>Dark</dd></dl>"),
        ("<blockquote><p>It floats.</p></blockquote>", "<blockquote><p>It floats.</p></blockquote>"),
        (
            "<details><summary>Recipe</summary><p>Mix it.</p></details>",
            "<details><summary>Recipe</summary><p>Mix it.</p></details>",
        ),
        (
            "<table><caption>Tides</caption><tr><th colspan=2>Day</th></tr><tr><td>Monday<td rowspan=3>High</table>",
            '<table><caption>Tides</caption><tbody><tr><th colspan="2">Day</th></tr>'  # noqa: ISC004
            '<tr><td>Monday</td><td rowspan="3">High</td></tr></tbody></table>',
        ),
        ("<table><tr><td><p>One long cell is a layout.</p></td></tr></table>", "<p>One long cell is a layout.</p>"),
        ("<pre>read()\n\n  write(&lt;1&gt;)</pre>", "<pre><code>read()\n\n  write(&lt;1&gt;)\n</code></pre>"),
    ],
)  # fmt: skip
def test_an_element_has_its_meaning_and_nothing_else(part, html):
    assert html_of(part) == html


@pytest.mark.parametrize(
    ("href", "written"),
    [
        ("/mill?utm_source=x&id=3", "https://gazette.example/mill?id=3"),
        ("../mill#stones", "https://gazette.example/mill#stones"),
        ("mailto:mill@gazette.example", "mailto:mill@gazette.example"),
        ("#fn1", "https://gazette.example/town/1#fn1"),
    ],
)
def test_a_link_has_an_absolute_address_without_tracking(href, written):
    assert (
        html_of(f"<p>At the <a href='{href}' onclick=x()>mill</a>.</p>")
        == f'<p>At the <a href="{written}">mill</a>.</p>'
    )


@pytest.mark.parametrize("href", ["javascript:alert(1)", "data:text/html,x", "ftp://gazette.example/", "#", ""])
def test_a_link_to_no_page_is_its_text(href):
    assert html_of(f"<p>At the <a href='{href}'>mill</a>.</p>") == "<p>At the mill.</p>"


def test_a_figure_keeps_its_caption():
    figure = "<figure><img src=/pier.jpg alt='a pier'><figcaption>The pier <b>at noon</b>.</figcaption></figure>"
    assert html_of(figure) == (
        '<figure><img src="https://gazette.example/pier.jpg" alt="a pier">'
        "<figcaption>The pier <strong>at noon</strong>.</figcaption></figure>"
    )


def test_a_picture_between_paragraphs_stays_where_it_is():
    html = html_of("<p>One.</p><p style='text-align: center'><img src=/pier.jpg></p><p>Two.</p>")
    assert html == '<p>One.</p><figure><img src="https://gazette.example/pier.jpg" alt=""></figure><p>Two.</p>'


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


def test_an_embedded_post_is_a_quote_within_a_figure():
    post = "<blockquote class=twitter-tweet><p>High tide!</p></blockquote>"
    assert html_of(post) == "<figure><blockquote><p>High tide!</p></blockquote></figure>"


def test_formulas_keep_their_source():
    katex = (
        "<p>So <span class=katex><span class=katex-mathml><math><semantics><mrow><mi>x</mi></mrow>"
        "<annotation encoding='application/x-tex'>x_1</annotation></semantics></math></span>"
        "<span class=katex-html aria-hidden=true><b>x</b></span></span> holds.</p>"
    )
    assert html_of(katex) == (
        "<p>So <math><semantics><mrow><mi>x</mi></mrow>"
        '<annotation encoding="application/x-tex">x_1</annotation></semantics></math> holds.</p>'
    )


@pytest.mark.parametrize(
    "formula",
    [
        r"<script type='math/tex'>\frac{a}{b}</script>",
        r"<span class=MathJax_Preview>a/b</span><script type='math/tex'>\frac{a}{b}</script>",
        r"<img class=latex src=/latex.php?1 alt='\frac{a}{b}'>",
        r"<span hidden><math><mi>a</mi></math></span><img class=mwe-math-image src=/1.svg alt='\frac{a}{b}'>",
    ],
)
def test_the_source_of_a_formula_stands_for_what_a_script_or_picture_shows(formula):
    assert html_of(f"<p>So {formula} holds.</p>") == r'<p>So <code class="language-math">\frac{a}{b}</code> holds.</p>'


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
