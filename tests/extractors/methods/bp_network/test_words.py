import subprocess
import sys

import pytest

from extractors.methods.bp_network import words
from extractors.methods.bp_network.words import characters_and_words, cut_run, jieba_tokenizer, rjieba_tokenizer

NEWS = """中国石油大学的研究人员周一在港口开放了新的潮汐观测站，工程师说旧的水位计自风暴以来误差近一掌。
渔民可以免费查看码头旁的数字。"""


def test_chinese_is_cut_into_words():
    assert words.words("港口开放了新的观测站") == ["港口", "开放", "了", "新", "的", "观测站"]


def test_other_scripts_are_words_between_signs():
    assert words.words("Café-Besitzer öffnen; Новый год 2024!") == [
        "café",
        "besitzer",
        "öffnen",
        "новый",
        "год",
        "2024",
    ]


def test_mixed_scripts_fall_apart():
    assert words.words("买T恤") == ["买", "t", "恤"]


@pytest.mark.parametrize("tokenizer", [jieba_tokenizer, rjieba_tokenizer])
def test_both_tokenizers_give_the_same_words(tokenizer):
    cut = tokenizer()
    assert [tuple(cut(run)) for run in words.HAN.findall(NEWS)] == [cut_run(run) for run in words.HAN.findall(NEWS)]


def test_without_rjieba_jieba_cuts(monkeypatch):
    monkeypatch.setitem(sys.modules, "rjieba", None)
    words.tokenizer.cache_clear()
    cut_run.cache_clear()
    try:
        assert words.words("港口开放") == ["港口", "开放"]
        assert words.tokenizer().__self__.__class__.__module__ == "jieba"
    finally:
        words.tokenizer.cache_clear()


def test_labels_need_no_dictionary():
    assert characters_and_words("港口 Open 7") == ["港", "口", "open", "7"]


def test_no_dictionary_is_loaded_without_a_chinese_title():
    code = (
        "import sys; from extractors import extract;"
        "page = '<title>The harbour - Gazette</title><p>' + 'The harbour opened its new tide station 港口. ' * 9;"
        "extract(page); assert 'extractors.methods.bp_network' not in sys.modules;"
        "assert extract(page, method='bp-network').text;"
        "assert not {'jieba', 'rjieba'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
