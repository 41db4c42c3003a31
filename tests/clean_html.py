"""What the HTML of articles may contain: `assert_clean` fails for anything else."""

import re

import lxml.html

from extractors.html.sanitising import ATTRIBUTES, ELEMENTS, sanitise


def assert_clean(html: str) -> None:
    """Fail if HTML has an element, an attribute or an address that is not allowed, or changes when it is read again."""
    assert not {"script", "style", "iframe", "object", "embed", "svg", "form", "base", "meta", "link"} & ELEMENTS
    if not html:
        return
    for element in lxml.html.fragment_fromstring(html, create_parent="article").iterdescendants():
        assert element.tag in ELEMENTS
        assert set(element.keys()) <= ATTRIBUTES.get(element.tag, set())
        for name in ("href", "src"):
            assert re.match(r"https?://|mailto:", element.get(name) or "https://")
        assert re.fullmatch(r"language-[\w+#.-]+", element.get("class") or "language-x")
    assert sanitise(html) == html  # a browser's rules read what was written
