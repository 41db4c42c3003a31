"""Odd spellings of loopback, through the operating system's own resolver: none of them gets past the guard.

Twisted's reactor is a matter of the process, so the resolver runs in a child.
"""

import json
import subprocess
import sys

import pytest

from crawler.guarding.guard import RefusedAddresses

SPELLINGS = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "017700000001",
    "0", "0.0.0.0", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "localhost", "LOCALHOST", "localhost.",
]  # fmt: skip

CHILD = """
import json, sys
from twisted.internet import asyncioreactor
asyncioreactor.install()
from twisted.internet import defer, reactor
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer
from crawler.gates.context import FetchContext
from crawler.guarding.guard import Guard
from crawler.gates.connections import GuardedResolver

@implementer(IResolutionReceiver)
class Receiver:
    def __init__(self, name):
        self.name, self.found, self.done = name, [], defer.Deferred()
    def resolutionBegan(self, resolution): pass
    def addressResolved(self, address): self.found.append(address.host)
    def resolutionComplete(self): self.done.callback((self.name, self.found))

allow, port, names = json.loads(sys.argv[1])
context = FetchContext(guard=Guard(allow))
resolver = GuardedResolver(reactor, lambda: [context])
resolver.install_on_reactor()

def resolve(name):
    receiver = Receiver(name)
    reactor.nameResolver.resolveHostName(receiver, name, port)
    return receiver.done

def finish(results):
    refused = {name: context.refused.at(name, port) for name in names}
    print(json.dumps({"found": {name: found for _, (name, found) in results}, "refused": refused}))
    reactor.stop()

reactor.callWhenRunning(lambda: defer.DeferredList([resolve(name) for name in names]).addCallback(finish))
reactor.run()
"""


def resolved(names, *, allow=(), port=80):
    child = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps([list(allow), port, names])],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return json.loads(child.stdout)


@pytest.fixture(scope="module")
def unlisted():
    return resolved(SPELLINGS)


@pytest.mark.parametrize("name", SPELLINGS)
def test_no_spelling_of_loopback_gets_an_address(unlisted, name):
    assert unlisted["found"][name] == []


def test_what_was_refused_is_remembered_for_the_message(unlisted):
    assert unlisted["refused"]["127.0.0.1"] == "127.0.0.1"
    assert unlisted["refused"]["2130706433"] == "127.0.0.1"


def test_a_listed_address_and_port_is_resolved_on_that_port_only():
    assert resolved(["127.0.0.1"], allow=["127.0.0.1:8080"], port=8080)["found"] == {"127.0.0.1": ["127.0.0.1"]}
    assert resolved(["127.0.0.1"], allow=["127.0.0.1:8080"], port=6379)["found"] == {"127.0.0.1": []}


def test_a_listed_name_lets_its_private_addresses_pass():
    found = resolved(["localhost", "127.1"], allow=["localhost"])["found"]
    assert found["localhost"]
    assert found["127.1"] == []


def test_what_was_refused_is_found_by_the_names_other_spelling_until_it_is_allowed():
    refused = RefusedAddresses()
    refused.note("bücher.test", 80, "10.0.0.1")
    assert refused.at("xn--bcher-kva.test", 80) == "10.0.0.1"
    assert refused.at("bücher.test", 8080) is None
    refused.note("xn--bcher-kva.test", 80, None)
    assert refused.at("bücher.test", 80) is None
