import pytest

from extractors import extract
from extractors.html.masked_addresses import decode

from ..pages import BAKERY

KEY = 0x5A


def masked(address):
    """Return an address as Cloudflare masks it."""
    return bytes([KEY, *(byte ^ KEY for byte in address.encode())]).hex()


def text_of(paragraph):
    return extract(f"<body><h1>Bread</h1>{''.join(f'<p>{text}</p>' for text in BAKERY)}<p>{paragraph}</p></body>").text


@pytest.mark.parametrize("address", ["ada@mill.example", "烘焙@mill.example"])
def test_masked_address_is_decoded(address):
    assert decode(masked(address)) == address


@pytest.mark.parametrize("value", ["", "5", "zz", "5a", "5a61", masked("no address"), masked("a@b\n"), "5aff@"])
def test_other_values_are_not_addresses(value):
    assert decode(value) is None


def test_masked_addresses_in_text_and_in_links_are_read():
    plain = f'<a href="/cdn-cgi/l/email-protection" data-cfemail="{masked("ada@mill.example")}">[email protected]</a>'
    linked = f'<a href="/cdn-cgi/l/email-protection#5a"><span data-cfemail="{masked("b@mill.example")}">[x]</span></a>'
    text = text_of(f"Write to {plain} or to {linked} before noon.")
    assert text.endswith("Write to ada@mill.example or to b@mill.example before noon.")


def test_line_that_is_a_masked_address_stays():
    assert "ada@mill.example" in text_of(f'<a data-cfemail="{masked("ada@mill.example")}">[email protected]</a>')


def test_value_that_is_no_address_changes_nothing():
    assert "[email protected]" in text_of('Write to <a data-cfemail="zz">[email protected]</a> before noon, she said.')
