"""Files about hosts, kept for all spiders."""

import pytest

from crawler.politeness.host_files import CLAIM_SECONDS, HostFile, HostFiles
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


def test_an_answer_without_a_file_is_an_answer(files):
    files.put(HOST, HostFile(404, b""), 600.0)
    assert files.get(HOST)[0] == HostFile(404, b"")


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


def test_without_a_connection_nothing_is_kept():
    files = HostFiles(None, "robots")
    files.put(HOST, HostFile(200, b""), 600.0)
    assert files.get(HOST) is None
    assert files.claim(HOST)
    assert files.claim(HOST)
