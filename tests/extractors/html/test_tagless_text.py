""" """

import pytest

from extractors.html.tagless_text import build_tree, escape_values, read_ctext


def texts(source):
    ctext = read_ctext(source)
    return [text for line in range(len(ctext)) if (text := ctext.text(line))]


def test_lines_end_at_block_tags_not_at_line_ends():
    ctext = read_ctext("<p>one\ntwo</p><p>three</p>")
    assert [ctext.text(line) for line in range(len(ctext))] == ["", "one two", "", "three", ""]


def test_inline_tags_leave_no_trace():
    assert read_ctext("<p>a <b>bold</b> word</p>").text(1) == "a bold word"


def test_length_is_without_white_space_and_links():
    ctext = read_ctext('<p>ab c&nbsp;<a href="/">linked words</a>d</p>')
    assert ctext.lengths.tolist() == [0, 4, 0]
    assert ctext.bare[1] == "abclinkedwordsd"


def test_link_around_blocks_takes_all_their_lines():
    assert read_ctext('<a href="/"><div>title</div><div>teaser</div></a><p>prose</p>').lengths.sum() == len("prose")


def test_scripts_comments_and_buttons_are_not_seen():
    source = "<body><script>if (a<b) x('</p>')</script><!-- no --><button>Share</button><style>p{}</style><p>text</p>"
    ctext = read_ctext(source)
    assert "".join(ctext.bare) == "text"


def test_cut_returns_the_source_of_lines_with_the_tags_around():
    ctext = read_ctext("<div><p>one</p><p>two <b>x</b></p></div>")
    assert ctext.between(2, 5) == "<p>one</p><p>two <b>x</b></p>"
    assert ctext.between(0, len(ctext)) == "<div><p>one</p><p>two <b>x</b></p></div>"


def test_tag_broken_by_a_block_tag_keeps_the_count_of_lines():
    ctext = read_ctext('<p>one</p><img alt="<p>">two<div>three</div>')
    assert len(ctext.lengths) == len(ctext) == len(ctext.tags) + 1


@pytest.mark.parametrize(
    "tag",
    [
        "<a href=\"javascript:document.write('<p>mark</p>')\">",
        "<a title='a > b' href=/x>",
        '<A HREF="/x" TITLE="<script>alert(1)</script>">',
        '<a data-box = "<div class=note>" href="/x"/>',
    ],
)
def test_brackets_in_attribute_values_end_no_tag(tag):
    assert texts(f"<p>one {tag}two</a> three</p><p>four</p>") == ["one two three", "four"]


@pytest.mark.parametrize(
    "tag",
    [
        '<p class="x>',
        "<p title='x>it's a thing. ",
        '<p class="x>said "yes" and ',
        '<p class="x>the 5" pipe ',
    ],
)
def test_forgotten_quotation_mark_swallows_nothing(tag):
    found = " ".join(texts(f'{tag}one <a href="/p">two</a> <b class="">three</b></p><p id="k" class="z">four</p>'))
    assert [word for word in ("one", "two", "three", "four") if word in found] == ["one", "two", "three", "four"]
    assert "href" not in found


def test_escaped_values_keep_the_page_as_it_was_for_a_parser():
    source = '<p title="a<b">x</p><script>if (a<b && c="d>e" ) {}</script><!-- <p title="<"> -->'
    assert escape_values(source) == source.replace('"a<b"', '"a&lt;b"')


def test_dropped_lines_leave_their_tags():
    ctext = read_ctext("<div><p>one</p><aside><p>two</p></aside><p>three</p></div>")
    dropped = {line for line in range(len(ctext)) if ctext.text(line) == "two"}
    assert ctext.between(0, len(ctext), dropped) == "<div><p>one</p><aside><p></p></aside><p>three</p></div>"


def test_chinese_character_is_two_half_widths():
    ctext = read_ctext('<p>新 闻<a href="/">链接 x</a></p>')
    assert ctext.widths.tolist() == [0, 4, 0]
    assert ctext.linked.tolist() == [0, 5, 0]


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


def test_end_tag_does_not_leave_its_table_cell():
    assert nested("<div><table><tr><td>a</div>b</td></tr></table>c</div>") == [
        ("div", [("table", [("tr", [("td", [])])])])
    ]


def test_lines_know_their_element():
    found = tree("<div>a<p>b</p>c</div>")
    assert [found.tags[element] for element in found.of_line] == ["", "div", "p", "div", ""]
    assert (found.starts[1], found.ends[1]) == (1, 4)


def test_depth_is_bounded():
    assert len(tree("<div>" * 5_000).tags) <= 256
