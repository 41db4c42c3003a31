from pathlib import Path

import lxml.html
import pytest

from extractors.content.code_language import code_language
from tests.tables import rows


@pytest.mark.parametrize(("language", "html"), rows(Path(__file__).with_name("code_languages.txt")))
def test_the_language_that_a_highlighter_wrote(language, html):
    root = lxml.html.document_fromstring(f"<body><article class='post language-go python'>{html}</article></body>")
    assert code_language(root.find(".//pre")) == language
