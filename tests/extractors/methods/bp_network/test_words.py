""" """

import subprocess
import sys

import pytest

from extractors.methods.bp_network.words import (
    HAN,
    article_title,
    cut_run,
    matches,
    relevance,
    rjieba_tokenizer,
    title_words,
    tokenizer,
    words,
)

NEWS = """中国石油大学的研究人员周一在港口开放了新的潮汐观测站，工程师说旧的水位计自风暴以来误差近一掌。
渔民可以免费查看码头旁的数字。"""


def test_chinese_is_cut_into_words():
    assert words("港口开放了新的观测站") == ["港口", "开放", "了", "新", "的", "观测站"]


def test_other_scripts_are_words_between_signs():
    assert words("Café-Besitzer öffnen; Новый год 2024!") == [
        "café",
        "besitzer",
        "öffnen",
        "новый",
        "год",
        "2024",
    ]


def test_mixed_scripts_fall_apart():
    assert words("买T恤") == ["买", "t", "恤"]


def test_without_rjieba_jieba_cuts_into_the_same_words(monkeypatch):
    cut = rjieba_tokenizer()
    expected = [tuple(cut(run)) for run in HAN.findall(NEWS)]
    monkeypatch.setitem(sys.modules, "rjieba", None)
    tokenizer.cache_clear()
    cut_run.cache_clear()
    try:
        assert [cut_run(run) for run in HAN.findall(NEWS)] == expected
        assert tokenizer().__self__.__class__.__module__ == "jieba"
    finally:
        tokenizer.cache_clear()


def test_no_dictionary_is_loaded_without_a_chinese_title():
    code = (
        "import sys; from extractors import extract;"
        "page = '<title>The harbour - Gazette</title><p>' + 'The harbour opened its new tide station 港口. ' * 9;"
        "extract(page); assert 'extractors.methods.bp_network' not in sys.modules;"
        "assert extract(page, method='bp-network').text;"
        "assert not {'jieba', 'rjieba'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("港口开放_新华网", "港口开放"),
        ("港口开放-新华网", "港口开放"),
        ("Well-known tides", "Well-known tides"),
        ("Well-known tides - The Gazette", "Well-known tides"),
        ("a_b-c", "a"),
        ("- Gazette", "- Gazette"),
        ("", ""),
    ],
)
def test_title_is_cut_at_the_last_sign(title, content):
    assert article_title(title) == content


def test_title_words_are_distinct_without_stop_words_and_single_characters():
    assert title_words("港口的港口和新观测站_新华网") == ("港口", "观测站")
    assert title_words("The tide of the harbour is a tide") == ("tide", "harbour")


def test_relevance_is_the_share_of_the_titles_weight():
    title = title_words("港口 观测站")
    lines = ["港口开放了，港口", "观测站在港口", "渔民", "观测 站"]
    assert relevance(lines, title) == [2 / 5, 1, 0, 0]


def test_a_part_of_a_longer_word_is_no_match():
    assert relevance(["The art of carting", "a cart", "CART."], ("cart",)) == [0, 1, 1]


def test_the_verbatim_form_counts_every_match_by_its_length():
    assert matches(["港口港口开放", "观测站"], ("港口", "观测站")).tolist() == [4, 3]
