from html import escape
from pathlib import Path

import pytest

from extractors import extract
from extractors.html.sanitising import sanitise
from tests.clean_html import assert_clean
from tests.console.web.injections import injections
from tests.extractors.pages import BAKERY
from tests.samples import sample
from tests.tables import rows

URL = "https://gazette.example/town/1"


@pytest.mark.parametrize(("html", "clean"), rows(Path(__file__).with_name("sanitised.txt")))
def test_only_what_is_allowed_remains(html, clean):
    assert sanitise(html) == clean


def test_no_injection_survives_as_text_attribute_or_markup():
    texts = injections(sample(500, 6000))
    for start in range(0, len(texts), 500):
        part = [text.replace("\x00", "") for text in texts[start : start + 500]]
        values = [escape(text) for text in part]
        lines = "".join(f'<p class="{text}"><a href="{text}">{text}</a> {BAKERY[0]}</p>' for text in values)
        media = "".join(f'<img src="{text}" srcset="{text} 2x" alt="{text}">' for text in values)
        code = "".join(f'<pre class="language-{text}">{text}</pre>' for text in values)
        for body in (lines + media + code, "".join(f"<p>{BAKERY[0]}</p>{text}" for text in part)):
            article = extract(f"<html><body><article>{body}</article></body></html>", URL, refuse="never")
            assert_clean(article.html if article else "")
