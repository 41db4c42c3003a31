"""The guard's gates by themselves; a whole crawl behind them is in test_section_spider."""

import ipaddress

import pytest
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response

from crawler.gates.context import PROXY, FetchContext
from crawler.gates.errors import AddressRefused, RequestRefused
from crawler.gates.guard_gates import AddressGate, UrlGate
from crawler.guarding.guard import Guard

URL = "http://site.example/a"
GUARD = Guard(["intranet.example:8080"])


def context(contact="a@example.org"):
    return FetchContext(guard=GUARD, contact=contact)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "data:text/html,hi", "ftp://site.example/"])
def test_other_schemes_do_not_pass(url):
    with pytest.raises(RequestRefused, match="only http and https"):
        UrlGate(context()).process_request(Request(url))


def test_without_a_contact_only_listed_hosts_pass():
    gate = UrlGate(context(contact=""))
    gate.process_request(Request("http://intranet.example:8080/"))
    for url in (URL, "http://intranet.example/"):
        with pytest.raises(RequestRefused, match=r"settings\.contact"):
            gate.process_request(Request(url))


def test_a_response_from_a_private_address_does_not_pass_whatever_the_resolver_did():
    gate = AddressGate(context())
    public, private = (Response(URL, ip_address=ipaddress.ip_address(text)) for text in ("93.184.216.34", "10.0.0.1"))
    assert gate.process_response(Request(URL), public) is public
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1 is not public"):
        gate.process_response(Request(URL), private)


def test_a_host_whose_addresses_were_refused_is_not_just_not_found():
    where = context()
    gate = AddressGate(where)
    gate.process_exception(Request(URL), CannotResolveHostError())
    where.refused.note("site.example", 80, "10.0.0.1")
    gate.process_exception(Request(URL), TimeoutError())
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1 is not public"):
        gate.process_exception(Request(URL), CannotResolveHostError())
    gate.process_exception(Request(URL, meta={PROXY: ("proxy.test", 8080)}), CannotResolveHostError())
