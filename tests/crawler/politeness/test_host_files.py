"""A host's own files: kept in Redis for all spiders; tdmrep.json by the final report's examples."""

import json

import pytest

from crawler.politeness.host_files import CLAIM_SECONDS, HostFile, HostFiles, TdmRules, parse_tdm
from crawler.politeness.robots import PARSED

HOST = "site.example:80"


@pytest.fixture
def files(connection):
    return HostFiles(connection, "robots")


def test_what_one_put_the_other_gets_for_as_long_as_it_counts(files, connection):
    HostFiles(connection, "robots").put(HOST, HostFile(200, b"User-agent: *\n\xff"), 600.0)
    file, left = files.get(HOST)
    assert file == HostFile(200, b"User-agent: *\n\xff")
    assert 590 < left <= 600
    assert files.get("other.example:80") is None
    assert HostFiles(connection, "tdmrep").get(HOST) is None


def test_of_a_huge_file_as_much_is_kept_as_shows_that_it_is_huge(files):
    files.put(HOST, HostFile(200, b"x" * (2 * PARSED)), 600.0)
    assert len(files.get(HOST)[0].body) == PARSED + 1


def test_one_asks_at_a_time(files, connection):
    assert files.claim(HOST)
    assert not HostFiles(connection, "robots").claim(HOST)
    assert files.claim("other.example:80")
    assert 0 < connection.pttl("exemplar:host:site.example:80:robots:asked") <= CLAIM_SECONDS * 1000
    files.release(HOST)
    assert HostFiles(connection, "robots").claim(HOST)


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
        ("/page.html?print", None),
        ("/directory-b/images/1.jpg", True),
        ("/", None),
    ],
)
def test_the_first_rule_that_fits_counts(path, reserved):
    assert parse_tdm(json.dumps(RULES).encode()).reserves(SITE + path) is reserved


VALUES = (2, "yes", None, True, 1.0, "")
WITH_OTHER_VALUES = [json.dumps([{"location": "/", "tdm-reservation": value}]).encode() for value in VALUES]


@pytest.mark.parametrize(
    "body", [b"{}", b"[1, null]", b'[{"location": 1, "tdm-reservation": 1}]', b"[" * 9999, *WITH_OTHER_VALUES]
)
def test_a_file_that_says_nothing_usable_says_nothing(body):
    assert parse_tdm(body) == TdmRules()
