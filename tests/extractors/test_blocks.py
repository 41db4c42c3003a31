from extractors import Block, extract

from .pages import BAKERY, HARBOUR, blog_page


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


def test_pre_is_one_block_with_its_lines():
    assert blocks("<pre>read()\n\n  write()</pre>") == (Block("code", "read()\n\n  write()"),)


def test_listing_in_a_table_cell_is_code():
    assert blocks("<table><tr><td><pre>read()</pre></td></tr></table>") == (Block("code", "read()"),)


def test_quote():
    assert blocks("<blockquote><p>It floats.</p></blockquote>") == (Block("quote", "It floats."),)


def test_layout_table_around_the_body_makes_no_table_of_it():
    prose = "".join(f"<p>{text}</p>" for text in BAKERY)
    article = extract(f"<table><tr><td><a href=/>Home</a></td><td class=main>{prose}</td></tr></table>")
    assert {block.kind for block in article.blocks} == {"paragraph"}


def test_text_joins_the_blocks_with_a_blank_line():
    article = extract(blog_page([*BAKERY, "<ul><li>Dark flour<li>Water</ul>"]))
    assert article.text == "\n\n".join([*BAKERY, "Dark flour\nWater"])
