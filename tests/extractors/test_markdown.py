from html import escape

import lxml.html
import pytest
from markdown_it import MarkdownIt

from extractors.html.sanitising import sanitise
from extractors.markdown import to_markdown
from tests.samples import sample
from tests.workers.naughty import NAUGHTY

RENDER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render


def words(html):
    """Return the text of HTML without white space."""
    root = lxml.html.fragment_fromstring(html, create_parent="div") if html.strip() else None
    return "" if root is None else "".join("".join(root.itertext()).split())


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h3>Tides</h3><p>one<br>two</p>", "### Tides\n\none  \ntwo"),
        ("<p>A <strong>bold</strong>, <em>soft</em>, <del>old</del> word</p>", "A **bold**, *soft*, ~~old~~ word"),
        ("<ol start=3><li>Mix<ul><li>Flour</li></ul></li></ol>", "3. Mix\n   - Flour"),
        ('<ul><li><input type="checkbox" checked> Mix</li></ul>', "- [x] Mix"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<p>a</p><blockquote>b</blockquote><blockquote><p>c</p></blockquote>d", "a\n\n> b\n\n> c\n\nd"),
        ('<pre><code class="language-c++">a\n```\n</code></pre>', "````c++\na\n```\n````"),
        ('<p><a href="https://a.example/b_c">x</a></p>', "[x](https://a.example/b_c)"),
        ('<figure><img src="https://a.example/p.jpg" alt="a [b]"></figure>', "![a \\[b\\]](https://a.example/p.jpg)"),
        ("<p>x<sup>2</sup> <code>a_b</code> snake_case _x_</p>", "x<sup>2</sup> `a_b` snake_case \\_x\\_"),
        ("<p>1. one</p><p>- two</p><p># three</p>", "1\\. one\n\n\\- two\n\n\\# three"),
        ("<p>a - b # c 1. d</p>", "a - b # c 1. d"),
        ("<p>{{ x }} $y &lt;b&gt; &amp;lt; *</p>", "\\{\\{ x \\}\\} \\$y \\<b> \\&lt; \\*"),
        (
            '<p><math><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></math></p>',
            "`x_1`",
        ),
    ],
)  # fmt: skip
def test_markdown_of(html, markdown):
    assert to_markdown(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p><strong>注意：</strong>请看</p>", "<b>注意：</b>请看"),
        ("<p><strong>注意</strong>：请看</p>", "**注意**：请看"),
        ("<p>他说<strong>“好”</strong>了</p>", "他说<b>“好”</b>了"),
        ("<p><strong>60</strong><strong>后</strong>的</p>", "**60**<b>后</b>的"),
        ("<p>看<em><code>a*b*</code></em>吧</p>", "看<i>a\\*b\\*</i>吧"),
    ],
)
def test_emphasis_is_recognised_beside_punctuation(html, markdown):
    assert to_markdown(html) == markdown
    assert words(RENDER(to_markdown(html))) == words(html)


SHAPES = (
    "<p>{}</p>", "<h2>{}</h2>", "<ul><li>{}</li></ul>", "<blockquote><p>{}</p></blockquote>",
    "<table><tr><th>a</th></tr><tr><td>{}</td></tr></table>", "<p>a <strong>{}</strong> b</p>",
    "<p>x <code>{}</code></p>",
    "<pre><code>{}</code></pre>", '<p><a href="https://a.example/">{}</a></p>', "<p>one<br>{}</p>",
)  # fmt: skip


@pytest.mark.parametrize(("place", "shape"), [*enumerate(SHAPES)])
def test_every_naughty_string_survives(place, shape):
    """The short form tries each string in a fifth of the shapes."""
    for text in NAUGHTY[place % sample(5, 1) :: sample(5, 1)]:
        shown = "".join(letter for letter in text.encode("utf-8", "replace").decode() if letter.isprintable())
        html = sanitise(shape.format(escape(shown, quote=False)))
        assert words(RENDER(to_markdown(html))) == words(html), repr(text)
