"""E-mail addresses that Cloudflare masks in pages: shown as "[email protected]", decoded by a script.

The value of `data-cfemail` is hexadecimal: a key, and each byte of the address XOR the key.
"""

from typing import cast

from lxml import etree

MARK = "data-cfemail"
_MASKED = etree.XPath(f"descendant::*[@{MARK}]")


def unmask(root: etree._Element) -> None:
    """Put the addresses into the elements that hold the masked ones; a link that the mask added becomes plain text."""
    for element in cast(list[etree._Element], _MASKED(root)):
        address = decode(element.get(MARK, ""))
        if address is not None:
            tail = element.tail
            element.clear()
            element.tag, element.text, element.tail = "span", address, tail


def decode(masked: str) -> str | None:
    """Return the address; None if the value is not one."""
    try:
        key, *coded = bytes.fromhex(masked)
        address = bytes(byte ^ key for byte in coded).decode()
    except ValueError:
        return None
    return address if "@" in address and address.isprintable() else None
