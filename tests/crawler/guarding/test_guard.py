"""Which addresses may be contacted, by the address alone and by the allow list.

Those that are not public are in `tests.crawler.addresses`.
"""

import ipaddress

import pytest

from crawler.guarding.guard import (
    AllowListError,
    Guard,
    guard_from,
    is_odd_spelling,
    is_public,
    refusal,
)

PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946"]
WRAPPED_PUBLIC = {
    "mapped": "::ffff:8.8.8.8",
    "NAT64": "64:ff9b::8.8.8.8",
    "6to4": "2002:808:808::1",
    "Teredo": "2001:0:808:808:0:0:f7f7:f7f7",
}


@pytest.mark.parametrize("address", [*PUBLIC, *WRAPPED_PUBLIC.values()])
def test_public_addresses_are_public(address):
    assert is_public(ipaddress.ip_address(address))


def allows(entry, address, *, host="site.example", port=80):
    return Guard([entry]).allows(ipaddress.ip_address(address), host, port)


def test_nothing_private_is_allowed_unless_it_is_listed():
    assert not Guard().allows(ipaddress.ip_address("127.0.0.1"), "localhost", 80)
    assert Guard().allows(ipaddress.ip_address("8.8.8.8"), "site.example", 80)


def test_a_listed_address_is_allowed_on_every_port():
    assert allows("127.0.0.1", "127.0.0.1", port=8080)
    assert not allows("127.0.0.1", "127.0.0.2")


def test_a_listed_port_opens_no_other_port():
    assert allows("127.0.0.1:8080", "127.0.0.1", port=8080)
    assert not allows("127.0.0.1:8080", "127.0.0.1", port=6379)
    assert allows("[::1]:8080", "::1", port=8080)
    assert not allows("[::1]:8080", "::1", port=80)


def test_a_listed_network_is_allowed_in_ipv6_wrappers_too():
    assert allows("10.0.0.0/8", "10.20.30.40")
    assert allows("10.0.0.0/8", "::ffff:10.20.30.40")
    assert not allows("10.0.0.0/8", "192.168.0.1")


def test_a_listed_name_is_allowed_whatever_private_address_it_has_and_no_other_name():
    assert allows("intranet.example", "10.0.0.5", host="Intranet.example.")
    assert not allows("intranet.example", "10.0.0.5", host="wiki.intranet.example")
    assert allows("intranet.example:8080", "10.0.0.5", host="intranet.example", port=8080)
    assert not allows("intranet.example:8080", "10.0.0.5", host="intranet.example", port=80)


def test_only_listed_hosts_are_the_users_own():
    guard = Guard(["127.0.0.1:8080", "10.0.0.0/8", "intranet.example"])
    assert guard.lists("127.0.0.1", 8080)
    assert guard.lists("10.1.1.1", 80)
    assert guard.lists("intranet.example", 443)
    assert not guard.lists("127.0.0.1", 80)
    assert not guard.lists("news.example", 80)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("file:///etc/passwd", "not file"),
        ("ftp://site.example/", "not ftp"),
        ("http:///path", "no host"),
        ("http://reader:secret@site.example/", "move it to auth"),
        ("http://%31%32%37.0.0.1/", "an invalid host"),
        ("http://" + "a" * 64 + ".example/", "an invalid host"),
        ("http://site.example:99999/", "invalid URL"),
    ],
)
def test_what_no_connection_can_be_made_to_is_refused_by_its_text(url, says):
    assert says in refusal(url)


@pytest.mark.parametrize("host", ["0177.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "1.2.3.4.", "09", "a.0x"])
def test_numbers_that_are_no_usual_address_are_odd(host):
    assert is_odd_spelling(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "8.8.8.8", "::1", "2606:2800::1", "site.example", "1.2.3.example", "a1"])
def test_names_and_usual_addresses_are_not_odd(host):
    assert not is_odd_spelling(host)


def test_http_urls_are_left_to_their_address():
    assert refusal("http://127.0.0.1/") is None
    assert refusal("https://site.example/") is None


def test_the_environment_adds_to_the_task_lists_hosts():
    guard = guard_from(["127.0.0.1"], {"EXEMPLAR_ALLOW_HOSTS": " 10.0.0.0/8 ,, intranet.example:8080 "})
    assert guard.lists("127.0.0.1", 80)
    assert guard.lists("10.9.9.9", 80)
    assert guard.lists("intranet.example", 8080)


@pytest.mark.parametrize("entry", ["127.0.0.1:0", "127.0.0.1:http", "*.example", "a b", "10.0.0.0/99", "[::1]x"])
def test_an_entry_that_cannot_be_read_is_named(entry):
    with pytest.raises(AllowListError, match="allow_hosts"):
        guard_from([], {"EXEMPLAR_ALLOW_HOSTS": entry})
