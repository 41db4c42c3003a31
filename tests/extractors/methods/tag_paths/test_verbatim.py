from extractors import NoArticle, Section, extract
from extractors.methods.tag_paths.extractor import body_segment
from extractors.methods.tag_paths.verbatim import (
    SETTINGS,
    chunks,
    learn_thresholds,
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


def test_chunks_are_filed_under_the_table_or_div_before_them():
    tree = read_tree("<body><div><p>a</p><div>b</div><p>c</p><div>d</div><p>e</p></div></body>")
    found = chunks(tree, [0, 4])
    assert [(chunk.leaves, chunk.frequency) for chunk in found.values()] == [([0], 1), ([1, 2, 3, 4], 2)]


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
