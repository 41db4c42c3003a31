from extractors import extract
from extractors.html.tagless_text import BlockTree, build_tree, read_ctext
from extractors.methods.article_deviation.extractor import LINE_COST, find_body, text_sizes
from tests.extractors.pages import BAKERY, HARBOUR, news_page


def body_of(sizes, children):
    """Find the body of a tree given by element → children, sizes by element; each has one line."""
    parents = {child: parent for parent, below in children.items() for child in below}
    count = len(sizes)
    tree = BlockTree(
        ["div"] * count, [""] * count, [parents.get(n, 0) for n in range(count)], [0] * count, [1] * count, []
    )
    return find_body(tree, sizes)


def test_only_child_is_entered():
    assert body_of([90, 90, 90, 45, 45], {0: [1], 1: [2], 2: [3, 4]}) == 2


def test_dominant_child_is_entered():
    assert body_of([900, 800, 50, 50, 400, 400], {0: [1, 2, 3], 1: [4, 5]}) == 1


def test_children_of_equal_length_are_paragraphs():
    assert body_of([300, 100, 110, 90], {0: [1, 2, 3]}) == 0


def test_long_paragraph_is_not_the_body_of_its_parent():
    assert body_of([1000, 900, 50, 50], {0: [1, 2, 3]}) == 0


def test_lead_of_less_than_the_difference_stops():
    assert body_of([120, 90, 10, 10, 10, 45, 45], {0: [1, 2, 3, 4], 1: [5, 6]}) == 0


def test_links_and_noise_have_no_size():
    source = '<nav>some words about it</nav><div><a href="/">a link of words</a><p>prose that counts</p></div>'
    ctext = read_ctext(source)
    tree = build_tree(ctext)
    assert text_sizes(ctext, tree)[0] == len("prosethatcounts") - LINE_COST


def test_element_with_line_breaks_is_the_body_itself():
    verse = "<br>".join(HARBOUR)
    page = f"<body><p>Tuesdays and Fridays.</p><div class='verse'>{verse}</div><p>Two coins.</p></body>"
    assert extract(page, method="article-deviation").text.split("\n\n") == list(HARBOUR)


def test_bold_words_stay_in_their_paragraph():
    page = news_page("Bread", BAKERY).replace("bakery", "<b>bakery</b>").replace("oven", "<i>oven</i>")
    assert extract(page, method="article-deviation").text.split("\n\n") == list(BAKERY)


def test_form_around_the_whole_page_is_no_noise():
    search = '<form><input name="q"> Search all stories of the last ten years here</form>'
    page = news_page("Bread", BAKERY).replace('<div class="main">', f'{search}<div class="main">')
    whole = page.replace("<body>", '<body><form action="/a.aspx">').replace("</body>", "</form></body>")
    assert whole.count("<form") == 2
    assert extract(whole, method="article-deviation").text.split("\n\n") == list(BAKERY)
