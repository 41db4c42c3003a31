"""Listings as highlighters make them become plain code."""

from pathlib import Path

import pytest

from extractors.html.code_listings import plain_listings
from extractors.html.dom import inner_text, parse
from tests.tables import rows

CODE = ["read()", "", "if level > 3:", "    write(4)", "done()"]
ROW = "<table><tr><td class={}>{}</td><td class={}>{}</td></tr></table>"


def lines(form, between=""):
    """Return the lines of the code in a form with places for number and text."""
    return between.join(form.format(number, text) for number, text in enumerate(CODE, 1))


PLAIN = "<br>".join(CODE)
NUMBERED = {
    "cnblogs": f"<pre>{lines('<span style=x> {0}</span> <span>{1}</span>', chr(10))}</pre>",
    "a class of their own": f"<pre>{lines('<b class=css-1>{0}</b><i class=css-2>{1}</i>', '<br>')}</pre>",
    "a class that says so": f"<pre>{lines('<span class=lineno>{0}</span> {1}', chr(10))}</pre>",
    "chroma": ROW.format("lntd", f"<pre>{lines('<b class=lnt>{0}</b>', chr(10))}</pre>", "lntd", f"<pre>{PLAIN}</pre>"),
    "hexo": ROW.format(
        "gutter", f"<pre>{lines('<b>{0}</b>', '<br>')}</pre>", "code", f"<pre>{lines('<b>{1}</b>', '<br>')}</pre>"
    ),
    "rouge": "<pre><code>"
    + ROW.format("gutter", "<pre>1\n2\n3\n4\n5\n</pre>", "code", f"<pre>{PLAIN}</pre>")
    + "</code></pre>",
    "the middle of a file": ROW.format("a", "<pre>11\n12\n13\n14\n15</pre>", "b", f"<pre>{PLAIN}</pre>"),
    "csdn": f"<pre>{PLAIN}<ul class=pre-numbering>{lines('<li>{0}</li>')}</ul></pre>",
    "crayon": ROW.format("crayon-nums", lines("<div>{0}</div>"), "crayon-code", lines("<div>{1}</div>")),
    "syntaxhighlighter": ROW.format(
        "gutter", lines("<div>{0}</div>"), "code", f"<div class=container>{lines('<div><code>{1}</code></div>')}</div>"
    ),
    "discuz": f"<div class=blockcode><div id=code_1><ol>{lines('<li>{1}<br>')}</ol></div>"
    "<em onclick='copycode(1)'>copy 4</em></div>",
    "prettify": f"<pre class=prettyprint><ol class=linenums>{lines('<li class=L{0}>{1}</li>')}</ol></pre>",
    "dp.SyntaxHighlighter": f"<ol start=1 class=dp-py>{lines('<li><span>{1}</span></li>')}</ol>",
    "without a gutter": f"<table><tr><td class=code>{lines('<div><code>{1}</code></div>')}</td></tr></table>",
}


@pytest.mark.parametrize("form", NUMBERED)
def test_numbers_of_lines_are_no_code(form):
    page = parse(f"<body>{NUMBERED[form]}")
    plain_listings(page)
    for line in page.iter("br"):
        line.tail = "\n" + (line.tail or "")
    (code,) = [pre for pre in page.iter("pre") if pre.find(".//pre") is None]
    assert inner_text(code).strip("\n").split("\n") == CODE


@pytest.mark.parametrize("code", [code for (code,) in rows(Path(__file__).with_name("numbers_in_code.txt"))])
def test_numbers_that_are_text_stay(code):
    page = parse(f"<body>{code}")
    before = inner_text(page)
    plain_listings(page)
    assert inner_text(page) == before


@pytest.mark.parametrize("listing", [listing for (listing,) in rows(Path(__file__).with_name("labels_of_code.txt"))])
def test_labels_of_a_listing_are_neither_code_nor_text(listing):
    page = parse(f"<body>{listing}")
    plain_listings(page)
    assert inner_text(page).split() == ["read()", "write()"]
