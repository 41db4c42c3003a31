"""Bytes → text, as browsers do it, with five exceptions for pages with a wrong declaration.

Order of evidence: byte order mark, HTTP header, meta element, content
(https://html.spec.whatwg.org/#determining-the-character-encoding). Names and decoders are those of the Encoding
Standard (`encodings`): gb2312 and gbk are gb18030, iso-8859-1 is windows-1252 and so on. Broken bytes become U+FFFD and
never consume the ASCII byte after them, so that markup survives.

The exceptions, each only where the bytes themselves contradict the declaration:

- A page that is valid UTF-8, with a sequence of three bytes or several letters, is UTF-8: text in other encodings is
  never valid UTF-8, except for a few letters.
- A page that is declared as UTF-8, and mostly is not, is read in the encoding of its meta element, if that is another
  one, else in the most likely one: most of its letters would be lost. So is a page that is declared as ISO-8859-1 or
  windows-1252, often by a server for all of its pages, and in which whole words are written without ASCII letters.
- A page that is much more likely a text in another encoding than in the declared one (`guess.far_likelier`), as a page
  in GBK that is declared as Big5 or windows-1251, is in that encoding; so is one in windows-1250 that is declared as
  ISO-8859-2, in which its signs are control characters.
- A page with tags in UTF-16, or with the escape sequences of ISO-2022-JP, is in that encoding if nothing, UTF-8 or
  ISO-8859-1 is declared.
- UTF-16 without a single NUL, and the labels for which the standard refuses to show a page ("replacement": hz-gb-2312,
  iso-2022-kr …, a guard against scripts, which we do not run), count as no declaration. No page is lost.

Control characters belong to terminals and never to a text: `without_controls` removes them from pages, feeds and lists.
"""

import codecs
import re

from .encodings.declaration import in_header, in_page
from .encodings.decoders import REPLACEMENT, decode_as
from .encodings.guess import MAX_BROKEN, far_likelier, guess, is_damaged_utf8, telling

SNIFF = 1_500  # bytes of the runs with non-ASCII bytes in which broken ones are counted
MIN_LETTERS = 4  # distinct non-ASCII characters that contradict gb2312 where UTF-8 has no sequence of three bytes
COMPARED = 400  # bytes of these runs that are compared in two encodings; longer ones tell hardly more
UNDECLARED, DECLARED = 4, 1  # characters per error from which damaged text is still read as UTF-8
FOREIGN = 3.0  # mean length of the runs of non-ASCII bytes above which a text is not Western European

HEAD = 2048  # bytes that are examined for control characters
CONTROLS = bytes(code for code in range(1, 32) if code not in b"\t\n\f\r\x0e\x0f\x1b")  # without those of ISO 2022
FEW_CONTROLS, CONTROLS_MOST = 8, 0.02  # number or share of them that a text may have; random bytes have 9%

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16be"), (codecs.BOM_UTF16_LE, "utf-16le"))
_UTF_16_TAG = re.compile(rb"<\0[/!?a-zA-Z]")
_UTF_16_SIZE = 1_000  # bytes that are searched for a tag
_JAPANESE = (b"\x1b$B", b"\x1b$@")  # escape sequences of ISO-2022-JP
_THREE_BYTES = re.compile(r"[\u0800-\U0010ffff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_C1 = re.compile(rb"[\x80-\x9f]")  # control characters in ISO-8859-2, signs and letters in windows-1250
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
# C0 without \t, \n and \r, DEL, C1; and surrogates, which cannot be encoded as UTF-8
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SPACES = frozenset("\x0b\x0c\x1c\x1d\x1e\x1f") | set(map(chr, range(0x80, 0xA0)))  # those that separate words


def decode(data: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Return the text of a page and the name of its encoding; `content_type` is the HTTP header. Never fails."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return decode_as(data[len(mark) :], name), name
    utf8 = _as_utf8(data)
    is_surely_utf8 = utf8 is not None and _contradicts(utf8)
    if utf8 is not None and is_surely_utf8 and b"\0" not in data[:_UTF_16_SIZE]:
        return utf8, "utf-8"
    declared = _declared(data, content_type)
    if declared in (None, "utf-8", "windows-1252") and (escaped := _of_escapes(data)):
        return decode_as(data, escaped), escaped
    if utf8 is not None and (is_surely_utf8 or declared in (None, "utf-8")):
        return utf8, "utf-8"
    name = _undeclared(data) if declared is None else _instead_of(declared, data)
    return decode_as(data, name), name


def is_binary(data: bytes) -> bool:
    """Whether bytes are not text in any encoding: a PDF, an archive, or with NUL bytes or many control characters."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or _of_escapes(data):
        return False
    if data.startswith((b"%PDF-", b"WARC/")) or (b"\0" in data[:512] and data.lstrip()[:1] != b"<"):
        return True
    head = data[:HEAD]
    controls = len(head) - len(head.translate(None, CONTROLS))
    return controls >= FEW_CONTROLS and controls > CONTROLS_MOST * len(head)


def _declared(data: bytes, content_type: str | None) -> str | None:
    name = in_header(content_type)
    if name is None or name == "replacement" or (name.startswith("utf-16") and b"\0" not in data):
        name = in_page(data)
    return None if name == "replacement" else name


def _as_utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _contradicts(utf8: str) -> bool:
    """Whether text decoded as UTF-8 contradicts another multi-byte declaration (two bytes can be one hanzi, too)."""
    if utf8.isascii():
        return False
    return bool(_THREE_BYTES.search(utf8)) or len(set(_NOT_ASCII.findall(utf8))) >= MIN_LETTERS


def _of_escapes(data: bytes) -> str | None:
    """Return the encoding of ASCII tags that no other encoding would write so, or None."""
    if b"\0" in data[:_UTF_16_SIZE] and (tag := _UTF_16_TAG.search(data, 0, _UTF_16_SIZE)):
        return "utf-16be" if tag.start() % 2 else "utf-16le"
    return "iso-2022-jp" if data.isascii() and any(sequence in data for sequence in _JAPANESE) else None


def _undeclared(data: bytes) -> str:
    return "utf-8" if is_damaged_utf8(decode_as(telling(data, SNIFF), "utf-8"), UNDECLARED) else guess(data)


def _instead_of(declared: str, data: bytes) -> str:
    """Return the encoding of a page that is declared as `declared`, and may be in another one."""
    if data.isascii() or declared.startswith("utf-16"):
        return declared
    if declared != "utf-8" and (likelier := far_likelier(telling(data, COMPARED), declared)):
        return likelier
    if declared == "iso-8859-2" and _C1.search(data):
        return "windows-1250"
    if declared not in ("utf-8", "windows-1252"):
        return declared
    sample = telling(data, SNIFF)
    runs = _HIGH_BYTES.findall(sample)
    if declared == "utf-8":
        is_right = is_damaged_utf8(decode_as(sample, "utf-8"), DECLARED)
    else:
        is_right = sum(map(len, runs)) <= FOREIGN * len(runs)
    if is_right:
        return declared
    most = MAX_BROKEN * sum(map(len, runs)) + 1
    for name in filter(None, (in_page(data), guess(data))):
        if name not in (declared, "replacement") and decode_as(sample, name).count(REPLACEMENT) <= most:
            return name
    return declared


def without_controls(text: str) -> str:
    """Return `text` without control characters except \\t, \\n and \\r; those that separate words become a space."""
    if text.isprintable() or not _CONTROLS.search(text):
        return text
    return _CONTROLS.sub(lambda found: " " if found[0] in _SPACES else "", text)
