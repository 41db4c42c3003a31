"""Which limiter a URL's requests belong to, where those of one address share one."""

import asyncio
from types import SimpleNamespace

from crawler.politeness.addresses import KEPT, AddressBook


class Resolver:
    """Answers from a table, in an order of its own."""

    def __init__(self, **table):
        self.table, self.lookups = table, []

    def resolveHostName(self, receiver, name, port):  # noqa: N802 - Twisted's naming
        self.lookups.append((name, port))
        receiver.resolutionBegan(None)
        for address in self.table.get(name.replace(".", "_"), ()):
            receiver.addressResolved(SimpleNamespace(host=address))
        receiver.resolutionComplete()


def book_of(resolver):
    return AddressBook(lambda: resolver)


def limiters(book, *urls):
    async def all_of_them():
        return [await book.limiter_of(url) for url in urls]

    return asyncio.run(all_of_them())


def test_names_and_ports_of_one_address_share_a_limiter():
    book = book_of(Resolver(a_example=["192.0.2.7"], b_example=["192.0.2.7"]))
    urls = ("http://a.example/1", "https://b.example/", "http://a.example:8080/")
    assert limiters(book, *urls) == ["192.0.2.7"] * 3


def test_the_order_of_the_answer_does_not_matter():
    names = {"a_example": ["2001:db8::1", "192.0.2.9", "192.0.2.10"], "b_example": ["192.0.2.10", "192.0.2.9"]}
    assert limiters(book_of(Resolver(**names)), "http://a.example/", "http://b.example/") == ["192.0.2.9"] * 2


def test_a_name_without_address_has_a_limiter_of_its_own():
    assert limiters(book_of(Resolver()), "http://gone.example/") == ["gone.example:80"]


def test_an_address_is_kept_for_some_minutes():
    now = [1000.0]
    resolver = Resolver(a_example=["192.0.2.7"])
    book = AddressBook(lambda: resolver, lambda: now[0])
    limiters(book, "http://a.example/", "http://a.example/")
    assert resolver.lookups == [("a.example", 80)]
    now[0] += KEPT
    resolver.table["a_example"] = ["192.0.2.8"]
    assert limiters(book, "http://a.example/") == ["192.0.2.8"]
