"""The events give each text the number that its line has in `Lines`, whatever the page is."""

import random

import pytest

from extractors.content.body_events import CODE, TEXT, read_events, top_of
from extractors.errors import UnusablePage
from extractors.html.dom import parse
from extractors.html.lines import read_lines
from extractors.html.paths import PathTrie
from tests.extractors.pages import lines_of
from tests.hostile.forms import PIECES
from tests.samples import sample

pytestmark = pytest.mark.usefixtures("form_of_walk")
PROSE = "<p>The harbour office opened its new tide station on Monday.</p>"
FORMS = (
    "{}", "{0}{0}{0}", "<div>a{}b</div>", "<pre>a\n{}b</pre>", "<ul><li>{}</ul>", "<table><tr><td>{0}<td>{0}</table>",
    "<div hidden>{}</div>c", "<b>{}</b>", "<p>one<br>{}<br>two", (DEEP := "<div>" * 300 + "{}"),
)  # fmt: skip


def folded(text):
    return "".join(text.split())


def assert_same_lines(page):
    try:
        lines = lines_of(page)
    except UnusablePage:
        return
    count = len(lines)
    dice = random.Random(count)
    spans = [(0, count - 1)] * (count > 0) + [
        tuple(sorted(dice.choices(range(count), k=2))) for _ in range(3 * (count > 0))
    ]
    for first, last in spans:
        top = top_of(lines, first, last)
        for number in range(top.number, count):
            found = folded(text_of_line(top, number))
            assert found == folded(lines.texts[number]) or (not found and number > last)


def text_of_line(top, number):
    events, _ = read_events(top, {number: "paragraph"}, lambda kind, element: "")
    return "".join(value if kind == TEXT else value[1] for kind, value in events if kind in (TEXT, CODE))


@pytest.mark.parametrize("form", FORMS)
def test_each_text_has_the_number_of_its_line(form):
    for piece in PIECES[FORMS.index(form) % 3 :: sample(9 if form is DEEP else 3, 1)]:
        assert_same_lines(f"<body>{PROSE}{form.format(piece)}{PROSE}</body>")


def test_elements_that_scripts_would_open_count_only_if_their_text_is_read():
    closed = "<template><p>Never shown.</p></template><noscript><p>For others.</p></noscript>"
    assert_same_lines(f"<body><div id=a>{closed}</div>Some words.{closed}</body>")


def test_deep_elements_end_lines_as_they_do_in_the_walk():
    assert_same_lines("<body>" + "<div>" * 300 + "a<iframe></iframe>b<br>c<noscript></noscript>d<img>e<p>f")


def test_the_top_of_a_body_is_a_block():
    lines = lines_of(f"<body>{PROSE}<x-frame>loose{PROSE}{PROSE}</x-frame></body>")
    top = top_of(lines, 2, 3)
    assert (top.element.tag, top.number) == ("body", 0)


def test_elements_opened_in_vain_are_closed_again():
    words = "The harbour office opened its new tide station on Monday. " * 20
    root = parse(
        f"<title>Other words</title><body><p>{words}</p><template><p>Never shown. {words}</p></template></body>"
    )
    assert [text[:11] for text in read_lines(root, PathTrie()).texts] == ["The harbour"]
    assert root.find(".//template") is not None
