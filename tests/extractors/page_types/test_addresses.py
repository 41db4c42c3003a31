from pathlib import Path

import pytest

from extractors.page_types.addresses import link_features, shape_of
from tests.tables import rows


@pytest.mark.parametrize(("one", "other", "is_sibling"), rows(Path(__file__).with_name("siblings.txt")))
def test_siblings_have_one_shape_and_strangers_others(one, other, is_sibling):
    assert (shape_of(one) == shape_of(other)) is (is_sibling == "yes")


def test_text_that_is_no_address_is_its_own_shape():
    assert shape_of("mailto:a@b.example") == "mailto:a@b.example"


@pytest.mark.parametrize("link", ["javascript:void(0)", "mailto:a@a.example", "#top", "?page=2", "", "http://["])
def test_what_leads_to_no_page_counts_for_nothing(link):
    assert link_features("https://a.example/town/", [link], [link])["links_below"] == 0
