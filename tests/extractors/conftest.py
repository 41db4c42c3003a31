"""Tests of what depends on the walk over the tree run in both of its forms, where there is a compiled one.

Those of whole extractions run once: `test_walk` compares what both forms extract.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from extractors.html.walk import in_python, walk_in_use

HERE = Path(__file__).parent
IN_BOTH = ("html", "content", "metadata", "methods")  # folders
NO_WALK = {
    "test_code_language", "test_date_forms", "test_dates", "test_decoding", "test_dom", "test_expressions",
    "test_labelled_pages", "test_language", "test_like_elements", "test_list_forms", "test_markdown", "test_network",
    "test_phrases", "test_pictures", "test_sanitising", "test_simhash", "test_solar_hijri", "test_tagless_text",
    "test_titles", "test_trees", "test_urls", "test_words",
}  # fmt: skip
LEFT_OUT = NO_WALK | {"test_body_fragment", "test_walk"}  # the first is slow, the second compares both forms itself


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    folder = metafunc.definition.path.relative_to(HERE).parts[0]
    name = metafunc.definition.path.stem
    if walk_in_use() == "compiled" and folder in IN_BOTH and name not in LEFT_OUT:
        metafunc.parametrize("form_of_walk", ("compiled", "Python"), indirect=True)


@pytest.fixture(autouse=True)
def form_of_walk(request: pytest.FixtureRequest) -> Iterator[None]:
    if getattr(request, "param", "") == "Python":
        with in_python():
            yield
    else:
        yield
