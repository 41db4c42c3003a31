from html import escape
from pathlib import Path

import lxml.html
import pytest
from markdown_it import MarkdownIt

from extractors.html.sanitising import sanitise
from extractors.markdown import to_markdown
from tests.samples import sample
from tests.tables import rows
from tests.workers.naughty import NAUGHTY

RENDER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render


def words(html):
    """Return the text of HTML without white space."""
    root = lxml.html.fragment_fromstring(html, create_parent="div") if html.strip() else None
    return "" if root is None else "".join("".join(root.itertext()).split())


@pytest.mark.parametrize(("html", "markdown"), rows(Path(__file__).with_name("markdown.txt")))
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
