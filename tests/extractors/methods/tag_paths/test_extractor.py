import numpy as np
import pytest

from extractors import Section
from extractors.html.tagless_text import read_ctext
from extractors.methods.tag_paths.extractor import (
    Leaf,
    Thresholds,
    body_segment,
    cluster,
    groups,
    k_means,
    learn_thresholds,
    length,
    mean_frequency,
    middle,
    noise,
    read_outline,
    region,
    split,
)

from ...pages import BAKERY, HARBOUR, LIBRARY, news_page

EASY = Thresholds(length=10, noise=0.5, frequency=1)


def leaf(path, strings=100, links=0, hrefs=0, container=1):
    return Leaf(0, path, container, strings, links, hrefs)


def test_leaves_with_equal_paths_are_a_cluster():
    leaves = outline('<div><p>a</p><p>b <b>c</b></p></div><div class="x"><p>d</p></div>').leaves
    assert cluster(leaves) == [[0, 1], [2]]


def test_cluster_is_split_where_the_spans_jump():
    assert split([1, 2, 3, 40, 41, 42]) == [[1, 2, 3], [40, 41, 42]]
    assert split([1, 40, 41, 42]) == [[1], [40, 41, 42]]
    assert split([1, 2, 3, 4]) == [[1, 2, 3, 4]]


def test_list_noise_is_small_for_links():
    prose, links = [leaf(1), leaf(1)], [leaf(1, strings=10, links=90, hrefs=1)] * 2
    assert noise(prose, [0, 1]) == 2
    assert noise(links, [0, 1]) == pytest.approx(0.1 * 2 / 3)


def test_first_cluster_like_a_body_is_the_body():
    leaves = [leaf(1, 5), leaf(2), leaf(2), leaf(3, 500), leaf(3, 500)]
    assert body_segment(leaves, EASY) == [1, 2]
    assert body_segment(leaves, Thresholds(300, 0.5, 1)) == [3, 4]
    assert body_segment(leaves, Thresholds(3_000, 0.5, 1)) == []


def test_scattered_cluster_is_split_before_it_is_looked_at():
    leaves = [leaf(1), leaf(1), *[leaf(9, 1)] * 200, leaf(1), leaf(1), *[leaf(9, 1)] * 3]
    assert body_segment(leaves, EASY)[:2] == [0, 1]
    assert max(body_segment(leaves, EASY)) < 200


def outline(source):
    return read_outline(read_ctext(source))


def test_region_is_the_table_or_div_that_encloses_the_segment():
    found = outline(f"<div><h2>a</h2><p>{'b' * 90}</p><ul><li>c</li></ul><p>{'d' * 90}</p><pre>e</pre></div><p>f</p>")
    assert region(found, [1, 3]) == range(5)


def test_region_grows_by_what_is_like_it():
    long, short = "b" * 90, "c" * 10
    alike = outline(f"<div><div><p>{long}</p><p>{long}</p></div><div><h3>{long}</h3></div></div><div>{short}</div>")
    other = outline(f"<div><div><p>{long}</p><p>{long}</p></div><div><h3>{short}</h3></div></div><div>{short}</div>")
    links = outline(f'<div><div><p>{long}</p><p>{long}</p></div><a href="/1">{long}</a></div><div>{short}</div>')
    assert region(alike, [0, 1]) == range(3)
    assert region(other, [0, 1]) == range(2)
    assert region(links, [0, 1]) == range(2)


def test_segment_without_a_table_or_div_stays_as_it_is():
    assert region(outline("<p>a</p><h2>b</h2><p>c</p><i>d</i>"), [0, 2]) == range(3)


def test_groups_have_one_container_and_their_text_is_their_frequency():
    leaves = [leaf(1), leaf(2, 20, container=2), leaf(1, 60)]
    assert groups(leaves, range(3)) == [[0, 2], [1]]
    assert mean_frequency(leaves, range(3)) == 90


def test_centres_of_two_heaps_are_their_means():
    centres = k_means(np.array([1, 2, 3, 100, 102.0]))
    assert centres.tolist() == [2, 101]
    assert middle(centres) == 101


def test_sample_page_teaches_what_its_body_exceeds():
    leaves = outline(news_page("Tides", HARBOUR)).leaves
    learned = learn_thresholds(leaves)
    assert learned.length == pytest.approx(length(leaves, body_segment(leaves, Thresholds(200, 1, 1))), rel=0.01)
    assert learned.frequency == learned.length


def test_page_with_one_cluster_teaches_nothing():
    assert learn_thresholds(outline("<p>one</p><p>two</p>").leaves) is None


def test_method_learns_from_example_and_later_pages():
    section = Section(news_page("Tides", HARBOUR), method="tag-paths")
    section.learn(news_page("Books", LIBRARY))
    article = section.extract(news_page("Bread from old stones", BAKERY))
    assert article.method == "tag-paths"
    assert article.text.split("\n\n") == list(BAKERY)
    assert article.title == "Bread from old stones"
    assert "2 sample pages" in article.reason
