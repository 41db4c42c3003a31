"""The encoding that a page declares: the HTTP header's charset, the meta element, the XML declaration.

Labels → names as the Encoding Standard lists them ("Names and labels", 228 labels). Two of the standard's encodings
share one decoder and here one name: GBK is gb18030. Names are those of `document.characterSet` in the DOM, in lower
case.

Source: "prescan a byte stream to determine its encoding",
https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding. The standard looks at 1,024 bytes and
then lets the parser find later meta elements; we look at more bytes at once.
"""

import re

# fmt: off
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8",
    "utf-16be": "unicodefffe",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16",
    "iso-8859-2": "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6":
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 "
        "iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7":
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 "
        "sun_eu_greek",
    "iso-8859-8":
        "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
        "iso_8859-8:1988 visual",
    "iso-8859-8-i": "csiso88598i logical",
    "iso-8859-16": "",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
    "ibm866": "866 cp866 csibm866",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "macintosh": "csmacintosh mac x-mac-roman",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
    "iso-2022-jp": "csiso2022jp",
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr",
    "x-user-defined": "",
    "iso-8859-10": "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso8859-13 iso885913",
    "iso-8859-14": "iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251",
    "windows-1252":
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
        "iso_8859-1:1987 l1 latin1 us-ascii x-cp1252",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1254":
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
        "x-cp1254",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
}
# fmt: on
NAMES = frozenset(_LABELS)
NAME_OF = {label: name for name, labels in _LABELS.items() for label in (name, *labels.split())}
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
