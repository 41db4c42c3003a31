"""Bytes → text, as browsers do it, with two indulgences for pages whose declaration is plainly wrong.

Order of evidence: byte order mark, HTTP header, meta element, content (https://html.spec.whatwg.org/#determining-the-character-encoding).
Names are read as the Encoding Standard reads them: gb2312 and gbk are gb18030, iso-8859-1 is windows-1252 and so on.
The indulgences: a page that calls itself gb2312 or gbk and is valid UTF-8 is UTF-8; a page that calls itself UTF-8, is
not, and is plausible gb18030 is gb18030.

Broken bytes become U+FFFD and take no following ASCII with them, so that markup after them survives.
"""

import codecs
import re

META_SEARCH = 4_096  # bytes in which a meta element may declare the encoding; the standard asks for 1,024 at least
SNIFF = 200_000  # bytes that a guess looks at
FALLBACK = "cp1252"  # the Web's own for pages that say nothing
MIN_HANZI = 0.6  # share of the bytes ≥ 0x80 that must be common hanzi (GB 2312 level 1) for a guess of gb18030
MAX_BROKEN = 0.01  # share of characters that may be broken in a guess of gb18030

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:+-]+)", re.IGNORECASE)
_HTTP = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_COMMON_HANZI = re.compile(rb"[\xb0-\xd7][\xa1-\xfe]")
_HIGH_BYTES = re.compile(rb"[\x80-\xff]")

# Encoding Standard names → Python codecs; labels that Python reads as the standard does need no entry.
_CODECS = {
    "gb18030": "gb18030", "gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030",
    "chinese": "gb18030", "csgb2312": "gb18030", "gb_2312": "gb18030", "cp936": "gb18030",
    "big5": "big5hkscs", "big5-hkscs": "big5hkscs", "cn-big5": "big5hkscs", "x-x-big5": "big5hkscs",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "ksc5601": "cp949", "windows-949": "cp949",
    "euc-jp": "euc_jp", "x-euc-jp": "euc_jp",
    "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "latin1": "cp1252", "l1": "cp1252", "ascii": "cp1252",
    "us-ascii": "cp1252", "windows-1252": "cp1252", "x-user-defined": "cp1252",
    "iso-8859-9": "cp1254", "iso-8859-11": "cp874", "tis-620": "cp874", "unicode": "utf-8", "utf8": "utf-8",
    "utf-16": "utf-16-le", "unicode-1-1-utf-8": "utf-8", "x-unicode20utf8": "utf-8",
}  # fmt: skip
_NAMES = {"cp1252": "windows-1252", "big5hkscs": "big5", "cp932": "shift_jis", "cp949": "euc-kr", "euc_jp": "euc-jp"}


def decode(data: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Return the text of a page and the name of its encoding; `content_type` is the HTTP header. Never fails."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace"), name
    declared = _http_charset(content_type) or _meta_charset(data)
    if declared in (None, "utf-8", "gb18030"):
        text = _as_utf8(data)
        if text is not None:
            return text, "gb18030" if declared == "gb18030" and data.isascii() else "utf-8"
        if declared != "gb18030" and is_plausible_gb18030(data):
            declared = "gb18030"
    codec = declared or FALLBACK
    return data.decode(codec, "replace"), _NAMES.get(codec, codec)


def codec_of(label: str) -> str | None:
    """Return the Python codec that reads pages labelled so, or None for a name that is no text encoding."""
    label = label.strip().lower()
    known = _CODECS.get(label)
    if known:
        return known
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    # Python has codecs that the Web has not: zlib, idna, utf-7 …
    return info.name if info._is_text_encoding and info.name not in _NOT_OF_THE_WEB else None


_NOT_OF_THE_WEB = frozenset({"utf-7", "utf-32", "utf-32-le", "utf-32-be", "idna", "punycode", "unicode_escape",
                             "raw_unicode_escape", "undefined", "mbcs", "oem", "palmos", "charmap"})  # fmt: skip


def _http_charset(content_type: str | None) -> str | None:
    found = _HTTP.search(content_type or "")
    return codec_of(found[1]) if found else None


def _meta_charset(data: bytes) -> str | None:
    head = data[:META_SEARCH]
    found = _META.search(_COMMENT.sub(b"", head)) or _XML.search(head)
    codec = codec_of(found[1].decode("ascii", "replace")) if found else None
    # The declaration could be read byte by byte, so the page is not UTF-16 (as the standard says).
    return "utf-8" if codec and codec.startswith("utf-16") else codec


def is_plausible_gb18030(data: bytes) -> bool:
    """Whether bytes that aren't UTF-8 read well as Chinese text."""
    sample = data[:SNIFF]
    high = len(_HIGH_BYTES.findall(sample))
    hanzi = 2 * len(_COMMON_HANZI.findall(sample))
    if not high or hanzi < MIN_HANZI * high:
        return False
    return sample.decode("gb18030", "replace").count("\ufffd") <= MAX_BROKEN * high


def _as_utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
