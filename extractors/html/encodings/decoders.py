"""Bytes → text by the decoders of the Encoding Standard (https://encoding.spec.whatwg.org/, as of June 2025).

Python's codecs do the work at C speed. Where they disagree with the standard, `differences` has the facts: characters
that Python decodes differently are corrected in the text; bytes that Python rejects are passed to an error handler. It
takes one step of the standard's decoder, so that an error consumes exactly what it does in a browser: never the ASCII
byte after a broken lead byte, except the digits of a gb18030 character that the end of the page truncates.
"""

import codecs
import re
from collections.abc import Callable
from functools import cache

from .differences import ADDED, EXCHANGED, REPLACED

REPLACEMENT = "\ufffd"

_CODECS = {"gb18030": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932", "euc-kr": "cp949", "euc-jp": "euc_jp"}
_ENCODERS = {**_CODECS, "big5": "cp950", "iso-2022-jp": "iso2022_jp"}
_UTF = {"utf-8": "utf-8", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}
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
_EXCHANGED = {name: re.compile(b"|".join(map(re.escape, table))) for name, table in EXCHANGED.items()}
# Complete characters and errors. An ASCII byte in the place of a trail byte, which the decoder restores after an error,
# is taken as a trail byte: the boundary is the same.
_WHOLE = {
    "big5": re.compile(rb"(?:[\x81-\xfe][\s\S]|[\x00-\x80\xff]++)*+"),
    "euc-jp": re.compile(
        rb"(?:\x8f[\xa1-\xfe][\s\S]|(?:[\x8e\xa1-\xfe]|\x8f(?![\xa1-\xfe]))[\s\S]|[^\x8e\x8f\xa1-\xfe]++)*+"
    ),
}

Step = Callable[[bytes, int], tuple[str, int]]


def decode_as(data: bytes, name: str) -> str:
    """Return the text of `data` in an encoding of the standard (`labels.NAMES`), with one U+FFFD per error. Never
    fails.

    Byte order marks are not handled here. "replacement" gives one U+FFFD for the whole text, as the standard requires.
    """
    if name in _CODECS:
        return _decode_multi_byte(data, name)
    if name in _UTF:
        return data.decode(_UTF[name], "replace")
    if name == "iso-2022-jp":
        return _decode_iso_2022_jp(data)
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
    exchanged = _EXCHANGED.get(name)
    if exchanged and exchanged.search(data):
        return _decode_around(data, name, exchanged)
    return _by_codec(data, name)


def _by_codec(data: bytes, name: str) -> str:
    text = data.decode(_CODECS[name], f"standard-{name}")
    return text.translate(REPLACED[name]) if any(map(text.__contains__, _REPLACED.get(name, ()))) else text


def _decode_around(data: bytes, name: str, exchanged: re.Pattern[bytes]) -> str:
    """Decode data in which byte sequences occur that the standard decodes differently from Python's codec.

    Such a sequence counts only where a character begins, not across the border of two characters.
    """
    pieces: list[str] = []
    start = boundary = 0
    for found in exchanged.finditer(data):
        whole = _WHOLE[name].match(data, boundary, found.start())
        boundary = whole.end() if whole else boundary
        if boundary == found.start():
            pieces += _by_codec(data[start:boundary], name), EXCHANGED[name][found[0]]
            start = boundary = found.end()
    return "".join((*pieces, _by_codec(data[start:], name)))


# One step of a decoder, at the first byte of a sequence that Python rejects: the text, and where decoding continues.


def _step_gb18030(data: bytes, at: int) -> tuple[str, int]:
    if data[at] == 0x80:
        return "€", at + 1
    if data[at] == 0xFF or len(data) == at + 1:
        return REPLACEMENT, at + 1
    if not 0x30 <= data[at + 1] <= 0x39:
        return _error_of_two(data, at)
    # Four bytes: a sequence that the end truncates is one error; if a byte does not fit, only the first byte is an
    # error; else the pointer is beyond the ranges.
    if len(data) == at + 2:
        return REPLACEMENT, at + 2
    if not 0x81 <= data[at + 2] <= 0xFE:
        return REPLACEMENT, at + 1
    if len(data) == at + 3:
        return REPLACEMENT, at + 3
    return REPLACEMENT, at + (4 if 0x30 <= data[at + 3] <= 0x39 else 1)


def _step_euc_jp(data: bytes, at: int) -> tuple[str, int]:
    if data[at] == 0x8F and 0xA1 <= data[at + 1 : at + 2].ljust(1, b"\0")[0] <= 0xFE:
        third = data[at + 2 : at + 3]
        return REPLACEMENT, at + 2 + (bool(third) and third[0] >= 0x80)
    if data[at] in (0x8E, 0x8F) or data[at] >= 0xA1:
        return _added_or_error(data, at, "euc-jp")
    return REPLACEMENT, at + 1


def _step_big5(data: bytes, at: int) -> tuple[str, int]:
    return _added_or_error(data, at, "big5")


def _step_two_bytes(data: bytes, at: int) -> tuple[str, int]:
    return _error_of_two(data, at)


def _added_or_error(data: bytes, at: int, name: str) -> tuple[str, int]:
    character = _added(name).get(data[at : at + 2])
    return (character, at + 2) if character else _error_of_two(data, at)


def _error_of_two(data: bytes, at: int) -> tuple[str, int]:
    """Handle an error in a two-byte sequence.

    It consumes the lead byte, and its trail byte unless that is ASCII; 0x80 and 0xFF are not lead bytes.
    """
    leads = data[at] not in (0x80, 0xFF)
    return REPLACEMENT, at + 1 + (leads and len(data) > at + 1 and data[at + 1] >= 0x80)


@cache
def _added(name: str) -> dict[bytes, str]:
    runs = (run.split("=") for run in ADDED[name].split())
    return {pair: character for first, text in runs for pair, character in _spread(bytes.fromhex(first), text, name)}


def _spread(first: bytes, text: str, name: str) -> list[tuple[bytes, str]]:
    lead, trail = first
    trails = [*range(trail, 0x7F), *range(max(trail, 0xA1), 0xFF)] if name == "big5" else range(trail, 0xFF)
    return [(bytes([lead, byte]), character) for byte, character in zip(trails, text, strict=False)]


def _register(name: str, step: Step) -> None:
    def handle(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        return step(error.object, error.start)

    codecs.register_error(f"standard-{name}", handle)


_register("gb18030", _step_gb18030)
_register("big5", _step_big5)
_register("shift_jis", _step_two_bytes)
_register("euc-kr", _step_two_bytes)
_register("euc-jp", _step_euc_jp)


# ISO-2022-JP switches between its character tables by escape sequences.

_ESCAPE_OR_RUN = re.compile(rb"\x1b(?:\([BJI]|\$[@B])|\x1b|[^\x1b]+")
_PAIR_OR_BYTE = re.compile(rb"((?:[\x21-\x7e]{2})+)|[\x21-\x7e][^\x21-\x7e]|[\s\S]")
_TO_EUC = bytes(byte | 0x80 for byte in range(256))
_ASCII = "".join(chr(byte) if byte < 0x80 and byte not in (0x0E, 0x0F) else REPLACEMENT for byte in range(256))
_ROMAN = _ASCII.replace("\\", "¥").replace("~", "‾")
_KATAKANA = "".join(chr(0xFF61 - 0x21 + byte) if 0x21 <= byte <= 0x5F else REPLACEMENT for byte in range(256))
_TABLES = {b"\x1b(B": _ASCII, b"\x1b(J": _ROMAN, b"\x1b(I": _KATAKANA, b"\x1b$@": None, b"\x1b$B": None}


def _decode_iso_2022_jp(data: bytes) -> str:
    """Decode ISO-2022-JP. Two escape sequences with nothing between them are an error, because they could hide text."""
    pieces: list[str] = []
    table: str | None = _ASCII
    just_escaped = False
    for found in _ESCAPE_OR_RUN.finditer(data):
        token = found[0]
        if token in _TABLES:
            table = _TABLES[token]
            pieces.append(REPLACEMENT if just_escaped else "")
        elif token == b"\x1b":
            pieces.append(REPLACEMENT)
        elif table is None:
            pieces += map(_jis_0208, _PAIR_OR_BYTE.finditer(token))
        else:
            pieces.append(codecs.charmap_decode(token, "replace", table)[0])
        just_escaped = token in _TABLES
    return "".join(pieces)


def _jis_0208(found: re.Match[bytes]) -> str:
    return _decode_multi_byte(found[1].translate(_TO_EUC), "euc-jp") if found[1] else REPLACEMENT
