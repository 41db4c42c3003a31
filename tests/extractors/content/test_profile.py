import pytest

from extractors.content.profile import BARREN_FACTOR, layout_of
from extractors.html.paths import PathTrie
from tests.extractors.pages import lines_of

EXAMPLE = """<div class=top>Harbour news</div><div class=page>Monday
    <div class=story><p>The gauge was wrong.</p></div>
    <div class=talk><i>A gull says so.</i></div></div>"""


@pytest.mark.parametrize(
    ("line", "fertile"),
    [
        ("<div class=page><div class=story><p>x", True),
        ("<div class=page><div class=story><blockquote>x", True),
        ("<div class=page><section>x", True),
        ("<div class=page>x", False),
        ("<div class=page><div class=talk>x", False),
        ("<div class=page><div class=talk><p>x", False),
        ("<div class=top><p>x", False),
        ("<div class=elsewhere>x", True),
    ],
)
def test_place_where_the_example_has_text_but_no_body_adds_little(line, fertile):
    trie = PathTrie()
    example = lines_of(EXAMPLE, trie)
    layout = layout_of(example, [example.texts.index("The gauge was wrong.")])
    lines = lines_of(line, trie)
    factors = layout.factors_of_paths(lines)
    assert [factors[place] for place in lines.outline.places] == pytest.approx([1.0 if fertile else BARREN_FACTOR])
