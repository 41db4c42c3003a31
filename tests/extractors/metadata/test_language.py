import pytest

from extractors.metadata.language import find_language

CHINESE = "港口管理处周一启用了新的潮汐站，渔民可以免费查看水位。"
ENGLISH = "The harbour office opened its new tide station on Monday, and the old one is to be sold."


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("zh-CN", CHINESE, "zh"),
        ("en", CHINESE, "zh"),  # a template's default
        ("", CHINESE, "zh"),
        ("", "港の新しい潮位計は月曜日に動き始めた。", "ja"),
        ("", "항구 사무소는 월요일에 새 조위 관측소를 열었다.", "ko"),
        ("uk", "Портова служба відкрила нову станцію в понеділок.", "uk"),
        ("", "Портовая служба открыла новую станцию в понедельник.", "ru"),
        ("zh", ENGLISH, "en"),
        ("", ENGLISH, "en"),
        ("en_US", ENGLISH, "en"),
        ("de", "Das Hafenamt hat am Montag seine neue Station eröffnet.", "de"),
        ("", "Das Hafenamt hat am Montag seine neue Station eröffnet.", None),
        ("", f"iPhone, Linux: {CHINESE}", "zh"),
        ("javascript:", ENGLISH, "en"),
        ("zh", "int main() { return 0; } // done", "zh"),
    ],
)
def test_language_is_the_declared_one_unless_the_letters_say_otherwise(declared, text, language):
    assert find_language(declared, text) == language
