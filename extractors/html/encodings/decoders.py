"""Bytes → text by the decoders of the Encoding Standard (https://encoding.spec.whatwg.org/, as of June 2025).

Python's codecs do the work at C speed. Where they disagree with the standard, characters that Python decodes
differently are corrected in the text; bytes that Python rejects are passed to an error handler, which consumes what a
browser does: never the ASCII byte after a broken lead byte.

The differences between Python's codecs and the standard's indexes were found by comparing every byte sequence. The
standard is that of June 2025, whose index gb18030 follows GB18030-2022: A6D9 … FE A0, private use until 2005, are
vertical punctuation and eight ideographs, and A3A0 stays a space. Its four-byte ranges still are those of 2000 with
the one exchange of 2005 (A8BC is ḿ, 8135F437 is U+E7C7).

`REPLACED` has the character that Python gives and the standard's; Python gives it for no other bytes.

Left as Python has them: ISO-2022-JP, what HKSCS added to Big5 in 2008, and bytes whose character in Python also has
other, correct bytes (∕ and ﹨ in Big5, ～ of JIS X 0212). A character of four bytes that the page's end cuts off may be
two errors. The characters of NEC and IBM (①, ㈱, 髙), which Python lacks in EUC-JP, are those of Shift_JIS.

Python's cp949 is the standard's EUC-KR without a difference; cp932 is Shift_JIS but for four bytes that are errors.
"""

import codecs
import re
from functools import cache

REPLACED = {
    "gb18030": str.maketrans(
        "\u1e3f\ue7c7\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796"
        "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
        "\ue7c7\u1e3f\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19"
        "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
    ),
    "big5": str.maketrans(
        "\u2022\uff64\u203e\u223c\u2641\u2609\xa5\xa2\xa3", "\u2027\ufe51\xaf\uff5e\u2295\u2299\uffe5\uffe0\uffe1"
    ),
    "shift_jis": str.maketrans("\uf8f0\uf8f1\uf8f2\uf8f3", "\ufffd" * 4),
    "euc-jp": str.maketrans("\u301c\u2016\u2212\xa2\xa3\xac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2"),
}
REPLACEMENT = "\ufffd"

_CODECS = {"gb18030": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932", "euc-kr": "cp949", "euc-jp": "euc_jp"}
_ENCODERS = {**_CODECS, "big5": "cp950", "iso-2022-jp": "iso2022_jp"}
_UTF = {"utf-8": "utf-8", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}
_BY_PYTHON = {**_UTF, "iso-2022-jp": "iso2022_jp_ext"}
_FOUR_BYTES = re.compile(rb"[\x81-\xfe][0-9][\x81-\xfe][0-9]")
_THREE_BYTES = re.compile(rb"\x8f[\xa1-\xfe][\x80-\xff]?")
_SINGLE_BYTE = {
    "ibm866": "cp866",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "iso-8859-8-i": "iso-8859-8",
    "windows-874": "cp874",
}
_SINGLE_BYTE_CORRECTIONS = {"koi8-u": {0xAE: "ў", 0xBE: "Ў"}, "windows-1255": {0xCA: "\u05ba"}}
# Characters that need correction are rare: searching for each of them costs less than translating the whole text, and
# less than one search with an expression.
_REPLACED = {name: tuple(map(chr, table)) for name, table in REPLACED.items()}


def decode_as(data: bytes, name: str) -> str:
    """Return the text of `data` in an encoding of the standard (`declaration.NAMES`), with one U+FFFD per error. Never
    fails.

    Byte order marks are not handled here. "replacement" gives one U+FFFD for the whole text, as the standard requires.
    """
    if name in _CODECS:
        return _decode_multi_byte(data, name)
    if name in _BY_PYTHON:
        return data.decode(_BY_PYTHON[name], "replace")
    if name == "replacement":
        return REPLACEMENT if data else ""
    return codecs.charmap_decode(data, "replace", _single_byte_table(name))[0]


def encode_as(text: str, name: str) -> bytes:
    """Return `text` in an encoding of the standard; characters that it lacks become numeric references (`&#8364;`).

    UTF-16, "replacement" and x-user-defined have no encoder in the standard, so they give UTF-8.
    """
    codec = _ENCODERS.get(name) or _SINGLE_BYTE.get(name, name)
    if name in _UTF or name in ("replacement", "x-user-defined"):
        codec = "utf-8"
    return text.encode("utf-8", "replace").decode().encode(codec, "xmlcharrefreplace")


@cache
def _single_byte_table(name: str) -> str:
    """Return 256 characters. In windows encodings the standard has C1 controls where Python has no character."""
    if name == "x-user-defined":
        return "".join(map(chr, [*range(128), *range(0xF780, 0xF800)]))
    codec = _SINGLE_BYTE.get(name, name)
    corrections = _SINGLE_BYTE_CORRECTIONS.get(name, {})

    def character(byte: int) -> str:
        hole = chr(byte) if byte < 0xA0 else REPLACEMENT
        return corrections.get(byte) or bytes([byte]).decode(codec, "ignore") or hole

    return "".join(map(character, range(256)))


def _decode_multi_byte(data: bytes, name: str) -> str:
    text = data.decode(_CODECS[name], "standard")
    return text.translate(REPLACED[name]) if any(map(text.__contains__, _REPLACED.get(name, ()))) else text


def _step(error: UnicodeError) -> tuple[str, int]:
    """Return the text of a sequence that Python rejects, and where decoding continues.

    An error consumes the lead byte, and its trail byte unless that is ASCII; 0x80 and 0xFF are not lead bytes.
    """
    assert isinstance(error, UnicodeDecodeError)
    data, at = error.object, error.start
    if error.encoding == "gb18030":
        if data[at] == 0x80:
            return "€", at + 1
        if _FOUR_BYTES.match(data, at):  # beyond the ranges
            return REPLACEMENT, at + 4
    leads = data[at] not in (0x80, 0xFF)
    if error.encoding == "euc_jp":
        if character := _in_shift_jis(data[at : at + 2]):
            return character, at + 2
        if found := _THREE_BYTES.match(data, at):  # not in JIS X 0212
            return REPLACEMENT, found.end()
        leads = leads and (data[at] > 0xA0 or data[at] in b"\x8e\x8f")
    return REPLACEMENT, at + 1 + (leads and len(data) > at + 1 and data[at + 1] >= 0x80)


def _in_shift_jis(sequence: bytes) -> str:
    """Return the character of two bytes of EUC-JP by their row and cell in Shift_JIS; "" if there is none."""
    if len(sequence) < 2 or min(sequence) < 0xA1 or max(sequence) == 0xFF:
        return ""
    row, cell = (byte - 0xA1 for byte in sequence)
    lead, trail = row // 2 + (0x81 if row < 62 else 0xC1), cell + (0x9F if row % 2 else 0x40 + (cell >= 63))
    character = bytes([lead, trail]).decode("cp932", "replace")
    return "" if REPLACEMENT in character else character


codecs.register_error("standard", _step)
