from extractors import NoArticle, Section, extract
from extractors.methods.tag_paths.clusters import Thresholds, body_segment, noise
from extractors.methods.tag_paths.verbatim import (
    SETTINGS,
    chunks,
    frequent,
    learn_thresholds,
    length_of,
    read_tree,
    texts,
)

from ...pages import BAKERY, HARBOUR, LIBRARY

BOX = '<div class="ad"><p>Old stamps wanted, good prices paid.</p></div>'


def story(*parts):
    """Return a page whose body holds the parts, with a footer and links as clusters of their own."""
    links = "".join(f'<li><a href="/{n}">Link {n}</a></li>' for n in range(5))
    return f"<body><ul>{links}</ul><h1>Bread</h1><div>{''.join(parts)}</div><h6>The Gazette</h6></body>"


def paragraphs(lines):
    return [f"<p>{line}</p>" for line in lines]


def test_leaves_are_texts_and_elements_without_text():
    tree = read_tree("<body><p>one <b>two</b> <a href='/'>three</a> four</p><img><script>five</script></body>")
    assert tree.texts == ["one two ", "three", " four", ""]
    assert [leaf.path for leaf in tree.leaves] == [2, 3, 2, 4]
    assert [(leaf.strings, leaf.links) for leaf in tree.leaves] == [(6, 0), (0, 5), (4, 0), (0, 0)]


def test_paths_are_names_of_elements_whatever_their_class():
    tree = read_tree('<body><p class="a">one</p><p id="b">two</p><div><p>three</p></div></body>')
    one, two, three = (leaf.path for leaf in tree.leaves)
    assert one == two != three


def test_length_counts_two_above_255():
    assert [length_of(text) for text in ("Café · 5", "港口", "항구", "ميناء", " ")] == [6, 4, 4, 10, 0]


def test_garbled_characters_are_deleted():
    tree = read_tree("<body><p>one\ufffd\ufffd two\x85</p><p>三锟斤拷四</p>")
    assert tree.texts == ["one two", "三四"]


def test_leaves_without_text_count_as_nodes_without_link():
    leaves = read_tree("<body><p>one</p><p><img></p><p><a href='/'>two</a></p><p><a href='/'><img></a></p>").leaves
    assert noise(leaves, range(4)) == 3 / 6 * 2 / 3


def test_chunks_are_filed_under_the_table_or_div_before_them():
    tree = read_tree("<body><div><p>a</p><div>b</div><p>c</p><div>d</div><p>e</p></div></body>")
    found = chunks(tree, [0, 4])
    assert [(chunk.leaves, chunk.frequency) for chunk in found.values()] == [([0], 1), ([1, 2, 3, 4], 2)]


def test_chunks_rarer_than_the_threshold_are_dropped():
    tree = read_tree("<body><div><p>a</p><div>b</div><p>c</p><div>d</div><p>e</p></div></body>")
    assert frequent(tree, [0, 4], 1.5) == [1, 2, 3, 4]
    assert frequent(tree, [0, 4], 1) == [0, 1, 2, 3, 4]


def test_texts_of_one_block_stand_together():
    tree = read_tree("<body><p>one <a href='/'>two</a>, three</p><p>four<br>five</p></body>")
    assert texts(tree, range(len(tree.leaves))) == ["one two, three", "four", "five"]


def test_page_is_its_own_sample():
    tree = read_tree(story(*paragraphs(BAKERY)))
    segment = body_segment(tree.leaves, learn_thresholds(tree), SETTINGS)
    assert [tree.texts[leaf] for leaf in segment] == list(BAKERY)


def test_example_is_the_sample_of_all_pages():
    section = Section(story(*paragraphs(HARBOUR)), method="tag-paths-verbatim")
    section.learn(story(*paragraphs(LIBRARY)))
    article = section.extract(story(*paragraphs(BAKERY)))
    assert article.method == "tag-paths-verbatim"
    assert article.text.split("\n\n") == list(BAKERY)


def test_body_around_boxes_is_rarer_than_the_mean_and_lost():
    lines = paragraphs(BAKERY + HARBOUR)
    article = extract(story(*lines[:1], BOX, *lines[1:2], BOX, *lines[2:]), method="tag-paths-verbatim")
    assert BAKERY[0] not in article.text
    assert "Old stamps wanted" in article.text


def test_page_without_a_cluster_like_a_body_is_no_article():
    result = extract("<body><p>one paragraph of some length, and nothing else</p>", method="tag-paths-verbatim")
    assert isinstance(result, NoArticle)
    assert "tag paths" in result.reason


def test_cluster_of_no_more_than_maxsize_leaves_is_no_body():
    tree = read_tree(story(*paragraphs(BAKERY)))
    thresholds = learn_thresholds(tree)
    assert len(body_segment(tree.leaves, thresholds, SETTINGS._replace(max_size=3))) == 4
    assert body_segment(tree.leaves, thresholds, SETTINGS._replace(pre_span=100)) == []
    assert body_segment(tree.leaves, thresholds, SETTINGS._replace(max_size=4)) == []


def test_scattered_cluster_is_split():
    far = "".join(f"<h{n % 3 + 2}>x</h{n % 3 + 2}>" for n in range(60))
    tree = read_tree(f"<body>{''.join(paragraphs(BAKERY))}{far}{''.join(paragraphs(HARBOUR))}")
    thresholds = Thresholds(length=100, noise=0.5, frequency=1)
    whole = body_segment(tree.leaves, thresholds, SETTINGS._replace(variance=1e9))
    assert len(whole) == 7
    assert len(body_segment(tree.leaves, thresholds, SETTINGS)) < 7
