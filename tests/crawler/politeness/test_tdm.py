"""tdmrep.json, by the final report's own examples and what else servers may send."""

import json

import pytest

from crawler.politeness.tdm import TdmRules, parse, url_of

SITE = "https://provider.example"
RULES = [
    {"location": "/directory-a/open*", "tdm-reservation": 0},
    {"location": "/directory-a/", "tdm-reservation": 1, "tdm-policy": "https://provider.example/policies/policy.json"},
    {"location": "/*.html$", "tdm-reservation": "1"},
    {"location": "/directory-b/images/*.jpg", "tdm-reservation": 1},
]


@pytest.mark.parametrize(
    ("path", "reserved"),
    [
        ("/directory-a/x", True),
        ("/directory-a/open/1.html", False),
        ("/page.html", True),
        ("/page.html?print", None),
        ("/directory-b/images/1.jpg", True),
        ("/directory-b/1.jpg", None),
        ("/", None),
        ("/Directory-a/x", None),
    ],
)
def test_the_first_rule_that_fits_counts(path, reserved):
    assert parse(json.dumps(RULES).encode()).reserves(SITE + path) is reserved


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"{}",
        b"[1, null]",
        b'[{"location": 1, "tdm-reservation": 1}]',
        b'[{"location": "/"}]',
        b"[" * 9999,
    ],
)
def test_a_file_that_says_nothing_usable_says_nothing(body):
    assert parse(body) == TdmRules()


@pytest.mark.parametrize("value", [2, "yes", None, True, 1.0, ""])
def test_other_values_are_as_good_as_nothing(value):
    assert parse(json.dumps([{"location": "/", "tdm-reservation": value}]).encode()) == TdmRules()


def test_where_the_file_is():
    assert url_of(SITE + ":8443/a/b?c#d") == SITE + ":8443/.well-known/tdmrep.json"
