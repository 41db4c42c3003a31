import numpy as np
import pytest

from extractors import NoArticle, Section, extract
from extractors.ctext import read_ctext
from extractors.tag_path_clusters import Leaf, cluster, half_widths, length, noise, period, read_leaves, split, variance
from extractors.tag_path_segment import DEFAULTS, Thresholds, body_segment, frequent, groups
from extractors.tag_paths import k_means, learn_thresholds, line_ranges, lowest, middle

from .pages import BAKERY, HARBOUR, LIBRARY, news_page

EASY = Thresholds(length=10, noise=0.5, frequency=1)


def leaf(path, strings=100, links=0, hrefs=0, container=1):
    return Leaf(0, path, container, strings, links, hrefs)


def test_leaves_with_equal_paths_are_a_cluster():
    leaves = read_leaves(read_ctext('<div><p>a</p><p>b <b>c</b></p></div><div class="x"><p>d</p></div>'))
    assert cluster(leaves) == [[0, 1], [2]]


def test_chinese_character_counts_twice():
    assert half_widths("新闻ab") == 6


def test_period_and_variance_are_those_of_the_spans():
    assert period([1, 2, 4, 7]) == 2
    assert variance([1, 2, 4, 7]) == pytest.approx(2 / 3)
    assert (period([3]), variance([3, 9])) == (0, 0)


def test_cluster_is_split_where_the_spans_jump():
    assert split([1, 2, 3, 40, 41, 42]) == [[1, 2, 3], [40], [41, 42]]
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


def test_segment_takes_what_stands_between_its_leaves():
    leaves = [leaf(1), leaf(2), leaf(1), leaf(3)]
    assert groups(leaves, [0, 2]) == {1: [0, 1, 2]}


def test_rare_groups_are_dropped():
    leaves = [leaf(1), leaf(2, container=2), leaf(1)]
    assert frequent(leaves, [0, 2], 2) == [0, 2]
    assert frequent(leaves, [0, 2], 1) == [0, 1, 2]


def test_dropped_groups_break_the_range_of_lines():
    leaves = [Leaf(line, 1, 1, 9, 0, 0) for line in (3, 5, 7, 9)]
    assert list(line_ranges(leaves, [0, 1, 3])) == [(3, 6), (9, 10)]


def test_centres_of_two_heaps_are_their_means():
    centres = k_means(np.array([1, 2, 3, 100, 102.0]))
    assert centres.tolist() == [2, 101]
    assert middle(centres) == 101


def test_several_samples_give_the_lowest_of_each_threshold():
    assert lowest([Thresholds(5, 2, 9), Thresholds(7, 1, 3)]) == Thresholds(5, 1, 3)


def test_sample_page_teaches_what_its_body_exceeds():
    leaves = read_leaves(read_ctext(news_page("Tides", HARBOUR)))
    learned = learn_thresholds(leaves)
    assert learned.length == pytest.approx(length(leaves, body_segment(leaves, Thresholds(200, 1, 1))), rel=0.01)
    assert learned.length < DEFAULTS.length


def test_page_with_one_cluster_teaches_nothing():
    assert learn_thresholds(read_leaves(read_ctext("<p>one</p><p>two</p>"))) is None


def test_method_learns_from_example_and_later_pages():
    section = Section(news_page("Tides", HARBOUR), method="tag-paths")
    section.learn(news_page("Books", LIBRARY))
    article = section.extract(news_page("Bread from old stones", BAKERY))
    assert article.method == "tag-paths"
    assert article.text.split("\n\n") == list(BAKERY)
    assert article.title == "Bread from old stones"
    assert "2 sample pages" in article.reason


def test_method_does_without_an_example():
    assert extract(news_page("Bread", BAKERY), method="tag-paths").text.split("\n\n") == list(BAKERY)


def test_page_of_links_is_no_article():
    assert isinstance(extract('<body><a href="/1">Weather for the week</a>', method="tag-paths"), NoArticle)
