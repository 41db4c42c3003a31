"""The encoding that a page declares: the HTTP header's charset, the meta element, the XML declaration.

labels.txt has names and labels as the Encoding Standard lists them ("Names and labels", 228 labels). Two of the
standard's encodings share one decoder and here one name: GBK is gb18030. Names are those of `document.characterSet` in
the DOM, in lower case.

Source: "prescan a byte stream to determine its encoding",
https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding. The standard looks at 1,024 bytes and
then lets the parser find later meta elements; we look at more bytes at once.
"""

import re
from pathlib import Path

_ROWS = [row.split() for row in Path(__file__).with_name("labels.txt").read_text("utf-8").splitlines()[1:]]
NAMES = frozenset(row[0] for row in _ROWS)
NAME_OF = {label: row[0] for row in _ROWS for label in row}
_ASCII_WHITESPACE = "\t\n\f\r "

META_SEARCH = 65_536  # bytes; in 40 of 1,693 development pages the meta element is beyond 1,024, in 2 beyond 64,000
META_LENGTH = 1_024  # bytes that a meta element may have after its charset

_HTTP = re.compile(r"(?:^|[;,\s])charset\s*+=\s*+[\"']?+\s*+([^\s;,\"']+)", re.IGNORECASE)
_IN_CONTENT = re.compile(rb"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"'][^\s;]*))", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"'>]+)")
_UTF_16_XML = {b"<\0?\0x\0": "utf-16le", b"\0<\0?\0x": "utf-16be"}
_VALUE = rb"(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>\"'][^\s>]*+))"
_ATTRIBUTE = re.compile(rb"([^\s/>][^\s/>=]*+)(?:\s*+=\s*+" + _VALUE + rb")?")
_MARKUP = re.compile(
    rb"<!--(?:-?>|.*?(?:-->|\Z))"
    rb"|<(/?[a-z][^\s/>]*+)((?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+)*+)"
    rb"|<[!/?][^>]*+",
    re.IGNORECASE | re.DOTALL,
)


def encoding_of(label: str) -> str | None:
    """Return the name of the encoding that a label means, or None ("get an encoding" in the standard)."""
    return NAME_OF.get(label.strip(_ASCII_WHITESPACE).lower())


def in_header(content_type: str | None) -> str | None:
    """Return the encoding that an HTTP Content-Type names; None if it names none or an unknown one."""
    found = _HTTP.search(content_type or "")
    return encoding_of(found[1]) if found else None


def in_page(data: bytes) -> str | None:
    """Return the encoding that a page names; None if it names none or an unknown one.

    UTF-16 means UTF-8 there, because the declaration is readable as ASCII; x-user-defined means windows-1252.
    """
    if data[:6] in _UTF_16_XML:
        return _UTF_16_XML[data[:6]]
    head = data[:META_SEARCH]
    last = head.lower().rfind(b"charset")
    for found in _MARKUP.finditer(head[: last + META_LENGTH] if last >= 0 else b""):
        if found[1] and found[1].lower() == b"meta" and (name := _in_meta(found[2])):
            return _readable(name)
    found_xml = _XML.match(data)
    return _readable(encoding_of(_text(found_xml[1]))) if found_xml else None


def _in_meta(attributes: bytes) -> str | None:
    values: dict[bytes, bytes] = {}
    for name, *value in _ATTRIBUTE.findall(attributes):
        values.setdefault(name.lower(), b"".join(value))
    if b"charset" in values:
        return encoding_of(_text(values[b"charset"]))
    if values.get(b"http-equiv", b"").lower() != b"content-type":
        return None
    found = _IN_CONTENT.search(values.get(b"content", b""))
    return encoding_of(_text(b"".join(filter(None, found.groups())))) if found else None


def _readable(name: str | None) -> str | None:
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def _text(label: bytes) -> str:
    return label.decode("ascii", "replace")
