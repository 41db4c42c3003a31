"""Which limiter a URL's requests belong to, where those of one address share one."""

import asyncio

from crawler.politeness.addresses import KEPT, AddressBook


class Names:
    """Addresses from a table, in an order of its own."""

    def __init__(self, **table):
        self.table, self.lookups = table, []

    async def look_up(self, name, port):
        self.lookups.append((name, port))
        return self.table.get(name.replace(".", "_"), [])


def limiters(book, *urls):
    async def all_of_them():
        return [await book.limiter_of(url) for url in urls]

    return asyncio.run(all_of_them())


def test_names_and_ports_of_one_address_share_a_limiter():
    book = AddressBook(Names(a_example=["192.0.2.7"], b_example=["192.0.2.7"]).look_up)
    urls = ("http://a.example/1", "https://b.example/", "http://a.example:8080/")
    assert limiters(book, *urls) == ["192.0.2.7"] * 3


def test_the_order_of_the_addresses_does_not_matter():
    names = {"a_example": ["2001:db8::1", "192.0.2.9", "192.0.2.10"], "b_example": ["192.0.2.10", "192.0.2.9"]}
    book = AddressBook(Names(**names).look_up)
    assert limiters(book, "http://a.example/", "http://b.example/") == ["192.0.2.9"] * 2


def test_a_name_without_address_has_a_limiter_of_its_own():
    assert limiters(AddressBook(Names().look_up), "http://gone.example/") == ["gone.example:80"]


def test_an_address_is_kept_for_some_minutes():
    now, names = [1000.0], Names(a_example=["192.0.2.7"])
    book = AddressBook(names.look_up, lambda: now[0])
    limiters(book, "http://a.example/", "http://a.example/")
    assert names.lookups == [("a.example", 80)]
    now[0] += KEPT
    names.table["a_example"] = ["192.0.2.8"]
    assert limiters(book, "http://a.example/") == ["192.0.2.8"]
