import pytest

from extractors import Block, Link, extract

from ..pages import BAKERY, HARBOUR, blog_page


def blocks(*parts):
    """Return the blocks between two runs of prose."""
    article = extract(blog_page([*BAKERY, *parts, *HARBOUR]))
    return article.blocks[len(BAKERY) : -len(HARBOUR)]


def test_heading_has_its_level():
    assert blocks("<h2>Tides</h2>", "<h3>Storms</h3>") == (Block("heading", "Tides", 2), Block("heading", "Storms", 3))


def test_list_is_one_block_with_an_item_a_line():
    flour = "<ul><li>Dark flour from the <b>old</b> mill</li><li><p>Water</p><p>and salt</p></li></ul>"
    assert blocks(flour) == (Block("list", "Dark flour from the old mill\nWater and salt"),)


def test_table_is_one_block_with_a_row_a_line_and_tabs_between_cells():
    table = "<table><tr><th>Day</th><th>Tide</th></tr><tr><td>Monday</td><td>High</td></tr></table>"
    assert blocks(table) == (Block("table", "Day\tTide\nMonday\tHigh"),)


def test_cells_keep_their_places_in_a_row():
    head = "<tr><th>Gate</th><th>Low</th><th>High</th></tr>"
    table = f"<table>{head}<tr><td>North<br>gate</td><td></td><td><p>5</p><p>6</p></td></tr></table>"
    assert blocks(table) == (Block("table", "Gate\tLow\tHigh\nNorth gate\t\t5 6"),)


@pytest.mark.parametrize(
    "code",
    [
        "<div>main</div><div></div><div>  call()</div>",
        "<ol><li>main</li><li></li><li>  call()</li></ol>",
        "<div>main\n</div><div><br></div><div>  call()</div>",
    ],
)
def test_lines_of_code_that_are_blocks_are_lines(code):
    assert blocks(f"<pre>{code}</pre>") == (Block("code", "main\n\n  call()"),)


def test_a_table_of_rows_whose_text_is_mostly_in_one_cell_is_layout():
    rows = f"<tr><td>By A. Reed</td><td>Page 4</td></tr><tr><td>Tides</td><td>{' '.join(BAKERY)}</td></tr>"
    assert {block.kind for block in blocks(f"<table>{rows}</table>")} == {"paragraph"}


PICTURE = '<figure><img src="/pier.jpg" alt="a pier"><figcaption>The pier at noon.</figcaption></figure>'


def page_blocks(*parts):
    page = blog_page([*BAKERY, *parts, *HARBOUR])
    return extract(page, "https://gazette.example/town/1").blocks[len(BAKERY) : -len(HARBOUR)]


def test_caption_is_a_block_with_its_picture_but_no_part_of_the_text():
    assert page_blocks(PICTURE) == (
        Block("caption", "The pier at noon.", images=("https://gazette.example/pier.jpg",)),
    )
    assert "noon" not in extract(blog_page([*BAKERY, PICTURE, *HARBOUR])).text


def test_picture_without_words_carries_its_alternative_text():
    (block,) = page_blocks('<div><img data-src="pier.jpg" src="data:image/gif;base64,R0" alt="a pier"></div>')
    assert block == Block("caption", "a pier", images=("https://gazette.example/town/pier.jpg",))


def test_line_under_a_picture_is_its_caption():
    picture = '<center><img src="/pier.jpg"><br>The pier at noon.</center>'
    assert page_blocks(picture) == (
        Block("caption", "The pier at noon.", images=("https://gazette.example/pier.jpg",)),
    )


def test_player_is_an_embed_with_its_address():
    (block,) = page_blocks('<iframe src="//video.example/embed/7"></iframe>')
    assert block == Block("embed", "", links=(Link("", "https://video.example/embed/7"),))


def test_links_of_a_block_are_absolute():
    (block,) = page_blocks(
        'Bread is <a href="../mill">ground here</a> and <a href="javascript:x()">there</a>, they say.'
    )
    assert block.links == (Link("ground here", "https://gazette.example/mill"),)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ol start=3><li>Flour<li value=7>Water<li>Salt</ol>", "3. Flour\n7. Water\n8. Salt"),
        ("<ol reversed><li>Flour<li>Water</ol>", "2. Flour\n1. Water"),
        ("<ol start=x><li>1) Flour<li>Water</ol>", "1) Flour\n2. Water"),
        ("<ul><li>Flour<ol><li>rye<li>oats</ol><li>Water</ul>", "Flour\n  1. rye\n  2. oats\nWater"),
        ("<ol><li>Flour<ul><li>rye<ul><li>dark</ul></ul><li>Water</ol>", "1. Flour\n  rye\n    dark\n2. Water"),
        ("<ol><li>Flour</ol><ol><li>Water</ol>", "1. Flour\n1. Water"),
    ],
)
def test_nested_items_are_indented_and_ordered_ones_numbered(page, text):
    [block] = blocks(page)
    assert block.text == text
