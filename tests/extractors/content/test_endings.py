"""What follows the last line of a body and belongs to it: attachments, and pictures with captions."""

import pytest

from extractors import extract

from ..pages import BAKERY, HARBOUR, news_page

TEXT = "".join(f"<p>{text}</p>" for text in (*BAKERY, *HARBOUR))
FILE = '<a href="/files/rules.pdf">{}</a>'


def article_with(following):
    """Return the article of a page with something after its body's element."""
    return extract(
        news_page("Bread from old stones", (), body=TEXT).replace(
            '<div class="side">', f'{following}<div class="side">'
        )
    )


@pytest.mark.parametrize(
    ("following", "line"),
    [
        (f"<ul class=files><li>附件【{FILE.format('规则')}】已下载3次</li></ul>", "附件【规则】已下载3次"),
        (f"<div class=fj>附件：<ul><li>{FILE.format('1. 规则.pdf')}</ul></div>", "1. 规则.pdf"),
        (f"<p class=fj>附件1：{FILE.format('规则.pdf')}<p class=fj>{FILE.format('2. 申报表.doc')}", "2. 申报表.doc"),
    ],
)
def test_attachments_below_a_body_belong_to_it(following, line):
    found = article_with(following)
    assert found.text.split("\n")[-1] == line
    assert article_with("").text in found.text


@pytest.mark.parametrize(
    "following",
    [
        f"<div class=promo><p>{FILE.format('All that a baker should know')}</p></div>",
        f"<div class=box><h3>Downloads</h3><p>{FILE.format('Rules (PDF, 120 KB)')}</p></div>",
        f"<footer><p>附件：{FILE.format('规则.pdf')}</p></footer>",
        "".join(f"<div class=n{n}><p>Box {n}</p></div>" for n in range(4)) + f"<p>附件：{FILE.format('规则.pdf')}</p>",
    ],
)
def test_other_documents_below_a_body_do_not(following):
    assert article_with(following).text == article_with("").text


NOTE = "<div class=notes><hr><ol class=x><li id=fn1><p>Two springs ago. <a href=#fnref1>↩</a></p></ol></div>"


@pytest.mark.parametrize(
    ("mark", "note"),
    [
        ("<sup id=fnref1><a href=#fn1>1</a></sup>", NOTE),
        ("<a class=footnote-ref href=#n>[1]</a>", "<aside><p id=n>Two springs ago.</p></aside>"),
        ("<a href='/1#_ftn1'>[1]</a>", "<div class=x><p><a name=_ftn1></a>Two springs ago.</p></div>"),
    ],
)
def test_notes_to_which_marks_in_the_body_lead_belong_to_it(mark, note):
    page = news_page("Bread from old stones", (), body=f"{TEXT}<p>The mill stood still{mark} for years.</p>")
    found = extract(page.replace('<div class="foot">', f'<div class="box">{note}</div><div class="foot">'))
    assert found.text.split("\n")[-1].removeprefix("1. ") == "Two springs ago."
    other = extract(page.replace(mark, "").replace('<div class="foot">', f'{note}<div class="foot">'))
    assert "springs" not in other.text


@pytest.mark.parametrize(
    ("mark", "note"),
    [
        ("<a href=#fn1>the notes</a>", NOTE),
        ("<a href=#c1>1</a>", NOTE.replace("fn1", "c1")),
        ("<sup><a href=#fn1>1</a></sup>", NOTE.replace("Two", "Two or three, as far as I remember, " * 9)),
    ],
)
def test_other_boxes_to_which_a_body_links_do_not(mark, note):
    page = news_page("Bread from old stones", (), body=f"{TEXT}<p>The mill stood still{mark} for years.</p>")
    found = extract(page.replace('<div class="foot">', f'<div class="box">{note}</div><div class="foot">'))
    assert "springs" not in found.text


def test_gallery_below_a_body_is_in_its_html():
    pictures = "".join(
        f"<figure><img src=https://a.example/{n}.jpg><figcaption>Stone {n}</figcaption></figure>" for n in "12"
    )
    found = article_with(f"<div class=pictures>{pictures}</div>")
    assert found.text == article_with("").text
    assert found.html.endswith(
        '<figure><img src="https://a.example/2.jpg" alt=""><figcaption>Stone 2</figcaption></figure>'
    )
