from extractors.html.block_tree import build_tree
from extractors.html.tagless_text import read_ctext


def tree(source):
    return build_tree(read_ctext(source))


def nested(source):
    """Return the elements of a page as they are nested: ("tag", [children])."""
    found = tree(source)
    nodes = [(tag, []) for tag in found.tags]
    for number, parent in enumerate(found.parents[1:], 1):
        nodes[parent][1].append(nodes[number])
    return nodes[0][1]


def test_elements_are_nested_as_their_tags():
    assert nested("<div><p>a</p><ul><li>b</li></ul></div>") == [("div", [("p", []), ("ul", [("li", [])])])]


def test_paragraph_and_item_end_where_the_next_begins():
    assert nested("<p>a<p>b<ul><li>c<li>d</ul>") == [("p", []), ("p", []), ("ul", [("li", []), ("li", [])])]


def test_cells_and_rows_end_where_the_next_begins():
    row = ("tr", [("td", []), ("td", [])])
    assert nested("<table><tr><td>a<td>b<tr><td>c<td>d</table>") == [("table", [row, row])]


def test_end_tag_of_nothing_is_passed_over():
    assert nested("<div>a</p></section>b</div><div>c</div>") == [("div", []), ("div", [])]


def test_end_tag_does_not_leave_its_table_cell():
    assert nested("<div><table><tr><td>a</div>b</td></tr></table>c</div>") == [
        ("div", [("table", [("tr", [("td", [])])])])
    ]


def test_place_is_class_and_id():
    assert tree('<div id="main" class="body wide">a</div>').places == ["", "main body wide"]


def test_totals_hold_what_is_below():
    found = tree("<div>ab<p>cde</p></div><p>f</p>")
    assert found.totals([len(text) for text in read_ctext("<div>ab<p>cde</p></div><p>f</p>").bare]) == [6, 5, 3, 1]


def test_lines_know_their_element():
    found = tree("<div>a<p>b</p>c</div>")
    assert [found.tags[element] for element in found.of_line] == ["", "div", "p", "div", ""]
    assert (found.starts[1], found.ends[1]) == (1, 4)


def test_depth_is_bounded():
    assert len(tree("<div>" * 5_000).tags) <= 256
