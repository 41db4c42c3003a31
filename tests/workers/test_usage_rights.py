"""What is said of a page's use, and to whom: a table of headers and meta elements."""

import pytest

from workers.usage_rights import NOTHING_DECLARED, SKIPPABLE, Usage, directives_of, usage_of


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("noindex", ["noindex"]),
        ("  noai ,noimageai,, ", ["noai", "noimageai"]),
        ("", []),
        # a crawler's name in front
        ("exemplar: noindex", ["noindex"]),
        ("Exemplar:noindex, noarchive", ["noindex", "noarchive"]),
        ("otherbot: noindex, nofollow", []),
        ("googlebot: nofollow, exemplar: noai", ["noai"]),
        ("noarchive, googlebot: nofollow, noindex", ["noarchive"]),
        ("*: noindex", ["noindex"]),
        ("exemplar: none", ["noindex", "nofollow"]),
        # directives with a value
        ("max-snippet: 50", ["max-snippet: 50"]),
        ("max-image-preview:large, noarchive", ["max-image-preview: large", "noarchive"]),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", ["unavailable_after: 25 jun 2010 15:00:00 pst"]),
        ("exemplar: max-snippet: 0", ["max-snippet: 0"]),
        (":", [":"]),
        ("é" * 200, ["é" * 100]),
    ],
)
def test_directives_that_are_said_to_us(line, expected):
    assert directives_of(line, "Exemplar") == expected


@pytest.mark.parametrize(
    ("meta", "header", "file", "reserved"),
    [
        (None, None, "1", True),
        (None, "0", "1", False),
        ("0", "1", "1", False),
        ("yes", "1", None, True),
        ("2", " 1 ", "0", True),
        (None, "maybe", "0", False),
    ],
)
def test_what_stands_nearest_to_the_content_counts(meta, header, file, reserved):
    headers = {name: [value] for name, value in (("tdm-reservation", header), ("tdmrep", file)) if value}
    assert usage_of(headers, [], meta, "Exemplar").tdm_reservation is reserved


def test_a_page_is_skipped_for_what_a_task_names():
    said = Usage(("noindex", "noai"), True)
    assert said.forbids([]) is None
    assert said.forbids(["noarchive"]) is None
    assert said.forbids(["noarchive", "noai"]) == "noai"
    assert said.forbids(["tdm-reservation", "noai"]) == "tdm-reservation"
    assert Usage((), False).forbids(SKIPPABLE) is None
    assert NOTHING_DECLARED.forbids(SKIPPABLE) is None
