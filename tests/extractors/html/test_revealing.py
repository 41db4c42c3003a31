"""Text that a page's scripts put in place or show, and text that is hidden and stays so."""

import pytest

from extractors import extract
from extractors.html.revealing import UNCLOSED_BLOCKS, unmasked_address
from tests.extractors.pages import BAKERY, lines_of

pytestmark = pytest.mark.usefixtures("form_of_walk")
PROSE = "The harbour master closes the gates an hour before high water, and opens them when the tide has turned."
LONG = "".join(f"<p>{PROSE} Gate {n}.</p>" for n in range(15))
KEY = 0x5A


def texts(html):
    return lines_of(html).texts


def blocks(count):
    return "".join(f"<p>line {n}</p>" for n in range(count))


@pytest.mark.parametrize("tag", ["button", "select"])
def test_control_that_swallowed_the_page_is_a_block(tag):
    assert texts(f"<p>top</p><{tag}>Menu{blocks(UNCLOSED_BLOCKS)}")[:3] == ["top", "Menu", "line 0"]


@pytest.mark.parametrize("link", ["<a name=top>", "<a href=/x>Home "])
def test_link_that_swallowed_the_page_is_none(link):
    lines = lines_of(f"{link}{blocks(UNCLOSED_BLOCKS)}<p>more <a href=/y>about</a></p>")
    assert lines.linked.tolist()[-2:] == [0, len("about")]


@pytest.mark.parametrize("prefix", ["", "app-"])
def test_streamed_segment_stands_at_its_placeholder(prefix):
    page = (
        f'<h1>Tides</h1><div><template id="{prefix}B:0"></template></div><footer>Imprint</footer>'
        f'<div hidden id="{prefix}S:0"><p>one</p><template id="{prefix}P:1"></template><p>three</p></div>'
        f'<div hidden id="{prefix}S:1"><p>two</p></div>'
    )
    assert texts(page) == ["Tides", "one", "two", "three", "Imprint"]


@pytest.mark.parametrize("attribute", ["shadowrootmode=open", "shadowroot=open"])
def test_declarative_shadow_roots_are_read_even_within_each_other(attribute):
    inner = f"<x-in><template {attribute}><p>two</p></template></x-in>"
    assert texts(f"<x-out><template {attribute}><p>one</p>{inner}</template>three</x-out>") == ["one", "two", "three"]


def test_plain_template_is_no_text():
    assert texts(f"<main>{LONG}</main><template>{LONG}</template>") == texts(LONG)


@pytest.mark.parametrize(
    "panel",
    ['<div role=tabpanel hidden>two</div>', '<div role=region style="display:none">two</div>',
     '<div class="faq-accordion__panel" style="display: none">two</div>',
        '<div class="woocommerce-Tabs-panel" style="display: none">two</div>',
     '<h3><button aria-expanded=false></button></h3><div hidden>two</div>'],
)  # fmt: skip
def test_panel_of_a_tab_or_an_accordion_is_read(panel):
    assert texts(f"<p>one</p>{panel}<p>three</p>") == ["one", "two", "three"]
    assert texts(f"<p>one</p><nav>{panel}</nav><p>three</p>") == ["one", "three"]


def test_page_that_is_hidden_until_its_scripts_run_is_read():
    page = texts(f"<p>Loading …</p><div style='display:none'>{LONG}</div>")
    assert page[1] == f"{PROSE} Gate 0."


def test_hidden_text_that_has_the_title_is_read_on_a_page_of_menus():
    menu = "".join(f"<li><a href=/{n}>Another part of the town, number {n}</a></li>" for n in range(50))
    page = f"<title>Tides in town | Gazette</title><ul>{menu}</ul><div hidden><h1>{{}}</h1>{LONG}</div>"
    assert len(texts(page.format("Tides in town"))) == 66
    assert len(texts(page.format("Subscribe"))) == 50


@pytest.mark.parametrize(
    ("page", "count"),
    [
        (f"<p>Loading …</p><noscript>{LONG}</noscript>", 16),
        (f"<main>{LONG}</main><noscript>{LONG}</noscript>", 15),
        ("<p>Loading …</p><noscript>You need to enable JavaScript to read this.</noscript>", 1),
    ],
)
def test_only_a_noscript_that_holds_the_page_is_read(page, count):
    assert len(texts(page)) == count


def masked(address):
    """Return an address as Cloudflare masks it."""
    return bytes([KEY, *(byte ^ KEY for byte in address.encode())]).hex()


def text_of(paragraph):
    return extract(f"<body><h1>Bread</h1>{''.join(f'<p>{text}</p>' for text in BAKERY)}<p>{paragraph}</p></body>").text


@pytest.mark.parametrize("address", ["ada@mill.example", "烘焙@mill.example"])
def test_masked_address_is_decoded(address):
    assert unmasked_address(masked(address)) == address


@pytest.mark.parametrize("value", ["", "5", "zz", "5a", "5a61", masked("no address"), masked("a@b\n"), "5aff@"])
def test_other_values_are_not_addresses(value):
    assert unmasked_address(value) is None


def test_masked_addresses_in_text_and_in_links_are_read():
    plain = f'<a href="/cdn-cgi/l/email-protection" data-cfemail="{masked("ada@mill.example")}">[email protected]</a>'
    linked = f'<a href="/cdn-cgi/l/email-protection#5a"><span data-cfemail="{masked("b@mill.example")}">[x]</span></a>'
    text = text_of(f"Write to {plain} or to {linked} before noon.")
    assert text.endswith("Write to ada@mill.example or to b@mill.example before noon.")


@pytest.mark.parametrize("mark", ["¶", "#", " § ", "<span>🔗</span>", "\u200b", "↩\ufe0e"])
def test_mark_by_which_a_heading_links_to_itself_is_no_text(mark):
    link = f'<a class="headerlink" href="#bread">{mark}</a>'
    first, *others = (f"<p>{text}</p>" for text in BAKERY)
    article = extract(f"<title>Bread — Manual</title><h1>Bread{link}</h1>{first}<h2>{link}Rolls</h2>{''.join(others)}")
    assert (article.title, "Rolls" in article.text.split("\n")) == ("Bread", True)
    assert "<h2>Rolls</h2>" in article.html


def sections(*headings, tag="main"):
    """Return the text of an article with sections of these headings."""
    body = "".join(f"<h3>{heading}</h3><p>{text}</p>" for heading, text in zip(headings, BAKERY, strict=False))
    return extract(f"<body><h1>Bread</h1><{tag}>{LONG}{body}</{tag}></body>").text.split("\n")


def test_link_by_which_a_section_of_a_wiki_is_edited_is_no_text():
    link = '<span class="mw-editsection">[<a href="/w?action=edit">edit</a>]</span>'
    assert {"Rolls", "Loaves"} < {*sections(f"Rolls{link}", f"Loaves{link}")}


def test_label_of_a_button_around_a_picture_is_no_caption():
    button = "<div role=button><span>Click to enlarge</span><span><img src=/a.jpg alt=''></span></div>"
    figure = f"<figure>{button}<figcaption>The mill</figcaption></figure>"
    page = f"<body><h1>Bread</h1><article><p>{LONG}</p>{figure}<p>{BAKERY[0]}</p></article></body>"
    html = extract(page, "https://a.example/").html
    assert '<img src="https://a.example/a.jpg"' in html
    assert "<figcaption>The mill</figcaption>" in html
    assert "enlarge" not in html


def test_button_that_is_all_of_a_heading_is_its_text():
    assert {"Who bakes?", "Who mills?"} < {*sections("<button>Who bakes?</button>", "Who mills? <button>x</button>")}


@pytest.mark.parametrize(
    "headings",
    [
        ("<button>Features</button>",) * 2,
        ("<footer><button>Features</button></footer>",),
        ("<button>Features</button> of bread",),
    ],
)
def test_other_buttons_in_headings_are_controls(headings):
    assert "Features" not in "".join(sections(*headings))
