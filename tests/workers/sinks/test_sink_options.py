import pytest

from workers.sinks import RowCondition


@pytest.mark.parametrize(
    ("languages", "admitted"),
    [
        (("zh",), ["zh", "zh-Hant"]),
        (("zh-Hant",), ["zh-Hant"]),
        (("en", "de"), ["en", "de"]),
        ((), ["zh", "zh-Hant", "en", "de", None]),
    ],
)
def test_a_language_admits_its_own_scripts_and_a_script_only_itself(languages, admitted):
    rows = [{"language": tag} for tag in ("zh", "zh-Hant", "en", "de", None)]
    assert [row["language"] for row in rows if RowCondition(languages).admits(row)] == admitted
