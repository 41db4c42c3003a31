import json
from pathlib import Path

import pytest

from extractors.metadata.language import find_language

# Our own short news, each of at least 220 characters, by the tag of their language
TEXTS = json.loads(Path(__file__).with_name("languages.json").read_text(encoding="utf-8"))
CHINESE = "港口管理处周一启用了新的潮汐站，渔民可以免费查看水位。"
ENGLISH = "The harbour office opened its new tide station on Monday, and the old one is to be sold."
GERMAN = "Das Hafenamt hat am Montag seine neue Station eröffnet."
CROATIAN = TEXTS["hr"]


@pytest.mark.parametrize("declared", ["", "en-US", "zh-CN", "x-default"])
def test_the_language_of_a_text_is_found_whatever_its_page_declares(declared):
    found = {language: find_language(declared, text) for language, text in TEXTS.items() if len(text) >= 220}
    missed = {language: tag for language, tag in found.items() if tag != language}
    assert len(found) >= 40
    assert missed.keys() <= {"hr"}  # to the detector, Bosnian is the same
    assert set(missed.values()) <= {find_language(declared, "")}  # none is taken for another


@pytest.mark.parametrize(("length", "wrong"), [(30, 0.02), (100, 0.0)])
def test_a_short_text_has_no_language_rather_than_a_wrong_one(length, wrong):
    pieces = [(tag, text[at : at + length]) for tag, text in TEXTS.items() for at in range(0, len(text), length)]
    found = [(tag, find_language("", piece)) for tag, piece in pieces if len(piece) == length]
    assert sum(seen not in (tag, None) for tag, seen in found) <= wrong * len(found)
    assert sum(seen == tag for tag, seen in found) > 0.7 * len(found)


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("zh-CN", CHINESE, "zh"),
        ("en", CHINESE, "zh"),  # a template's default
        ("", CHINESE, "zh"),
        ("zh-TW", CHINESE, "zh"),  # the characters are simplified
        ("zh-CN", TEXTS["zh-Hant"], "zh-Hant"),
        ("zh_TW", "", "zh-Hant"),
        ("zh-Hant-HK", "市中心", "zh-Hant"),  # characters of both scripts
        ("zh-CN", "市中心", "zh"),
        ("", "港の新しい潮位計は月曜日に動き始めた。", "ja"),
        ("", "항구 사무소는 월요일에 새 조위 관측소를 열었다.", "ko"),
        ("uk", "Портова служба відкрила нову станцію в понеділок.", "uk"),
        ("", "Портовая служба открыла новую станцию в понедельник.", "ru"),
        ("zh", ENGLISH, "en"),
        ("", ENGLISH, "en"),
        ("en_US", ENGLISH, "en"),
        ("de", GERMAN, "de"),
        ("", GERMAN, "de"),
        ("en", GERMAN, "de"),
        ("hr-HR", CROATIAN, "hr"),
        ("nn", TEXTS["no"], "nn"),
        ("nb-NO", "", "no"),
        ("", f"iPhone, Linux: {CHINESE}", "zh"),
        ("", "OpenAI 发布了 GPT-5，开发者可以通过 API 和 Python SDK 调用 Function calling 功能", "zh"),
        ("javascript:", ENGLISH, "en"),
        ("zh", "int main() { return 0; } // done", "zh"),
        ("", "int main() { return 0; } // done", None),
        ("", "John Smith, Mary Brown, Peter Jones", None),
        ("", "$12.5 million USD 2024 Q3", None),
        ("", "a\ud800\0", None),
        ("fr", "Read more", "fr"),
        ("", "", None),
    ],
)
def test_language_is_the_declared_one_unless_the_text_is_in_another(declared, text, language):
    assert find_language(declared, text) == language
