"""Bytes → text by the decoders of the Encoding Standard (https://encoding.spec.whatwg.org/, as of June 2025).

Python's codecs do the work at C speed. Where they disagree with the standard, characters that Python decodes
differently are corrected in the text; bytes that Python rejects are passed to an error handler. It takes one step of
the standard's decoder, so that an error consumes exactly what it does in a browser: never the ASCII byte after a broken
lead byte, except the digits of a gb18030 character that the end of the page truncates.

The differences between Python's codecs and the standard's indexes were found by comparing every byte sequence. The
standard is that of June 2025, whose index gb18030 follows GB18030-2022: A6D9 … FE A0, private use until 2005, are
vertical punctuation and eight ideographs, and A3A0 stays a space. Its four-byte ranges still are those of 2000 with
the one exchange of 2005 (A8BC is ḿ, 8135F437 is U+E7C7).

- `REPLACED`: the character that Python gives → the standard's. Python gives it for no other bytes.
- `ADDED`: bytes of EUC-JP that Python rejects → the standard's characters, by runs: first two bytes, then one
  character per trail byte.

Left as Python has them: ISO-2022-JP, what HKSCS added to Big5 in 2008, and bytes whose character in Python also has
other, correct bytes (∕ and ﹨ in Big5, ～ of JIS X 0212).

Python's cp949 is the standard's EUC-KR without a difference; cp932 is Shift_JIS but for four bytes that are errors.
"""

import codecs
from collections.abc import Callable
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
ADDED = """
ADA1=①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ
ADC0=㍉㌔㌢㍍㌘㌧㌃㌶㍑㍗㌍㌦㌣㌫㍊㌻㎜㎝㎞㎎㎏㏄㎡
ADDF=㍻〝〟№㏍℡㊤㊥㊦㊧㊨㈱㈲㈹㍾㍽㍼≒≡∫∮∑√⊥∠∟⊿∵∩∪
F9A1=纊褜鍈銈蓜俉炻昱棈鋹曻彅丨仡仼伀伃伹佖侒侊侚侔俍偀倢俿倞偆偰偂傔僴僘兊兤冝冾凬刕劜劦勀勛匀匇匤
F9D0=卲厓厲叝﨎咜咊咩哿喆坙坥垬埈埇﨏塚增墲夋奓奛奝奣妤妺孖寀甯寘寬尞岦岺峵崧嵓﨑嵂嵭嶸嶹巐弡弴彧德
FAA1=忞恝悅悊惞惕愠惲愑愷愰憘戓抦揵摠撝擎敎昀昕昻昉昮昞昤晥晗晙晴晳暙暠暲暿曺朎朗杦枻桒柀栁桄棏﨓楨
FAD0=﨔榘槢樰橫橆橳橾櫢櫤毖氿汜沆汯泚洄涇浯涖涬淏淸淲淼渹湜渧渼溿澈澵濵瀅瀇瀨炅炫焏焄煜煆煇凞燁燾犱
FBA1=犾猤猪獷玽珉珖珣珒琇珵琦琪琩琮瑢璉璟甁畯皂皜皞皛皦益睆劯砡硎硤硺礰礼神祥禔福禛竑竧靖竫箞精絈絜
FBD0=綷綠緖繒罇羡羽茁荢荿菇菶葈蒴蕓蕙蕫﨟薰蘒﨡蠇裵訒訷詹誧誾諟諸諶譓譿賰賴贒赶﨣軏﨤逸遧郞都鄕鄧釚
FCA1=釗釞釭釮釤釥鈆鈐鈊鈺鉀鈼鉎鉙鉑鈹鉧銧鉷鉸鋧鋗鋙鋐﨧鋕鋠鋓錥錡鋻﨨錞鋿錝錂鍰鍗鎤鏆鏞鏸鐱鑅鑈閒隆
FCD0=﨩隝隯霳霻靃靍靏靑靕顗顥飯飼餧館馞驎髙髜魵魲鮏鮱鮻鰀鵰鵫鶴鸙黑 FCF1=ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ￢￤＇＂
"""

REPLACEMENT = "\ufffd"

_CODECS = {"gb18030": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932", "euc-kr": "cp949", "euc-jp": "euc_jp"}
_ENCODERS = {**_CODECS, "big5": "cp950", "iso-2022-jp": "iso2022_jp"}
_UTF = {"utf-8": "utf-8", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}
_BY_PYTHON = {**_UTF, "iso-2022-jp": "iso2022_jp_ext"}
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

Step = Callable[[bytes, int], tuple[str, int]]


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
    text = data.decode(_CODECS[name], f"standard-{name}")
    return text.translate(REPLACED[name]) if any(map(text.__contains__, _REPLACED.get(name, ()))) else text


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
        character = _added().get(data[at : at + 2])
        return (character, at + 2) if character else _error_of_two(data, at)
    return REPLACEMENT, at + 1


def _error_of_two(data: bytes, at: int) -> tuple[str, int]:
    """Handle an error in a two-byte sequence.

    It consumes the lead byte, and its trail byte unless that is ASCII; 0x80 and 0xFF are not lead bytes.
    """
    leads = data[at] not in (0x80, 0xFF)
    return REPLACEMENT, at + 1 + (leads and len(data) > at + 1 and data[at + 1] >= 0x80)


@cache
def _added() -> dict[bytes, str]:
    found: dict[bytes, str] = {}
    for run in ADDED.split():
        first, text = run.split("=")
        lead, trail = bytes.fromhex(first)
        found |= {bytes([lead, byte]): character for byte, character in enumerate(text, trail)}
    return found


def _register(name: str, step: Step) -> None:
    def handle(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        return step(error.object, error.start)

    codecs.register_error(f"standard-{name}", handle)


_register("gb18030", _step_gb18030)
_register("big5", _error_of_two)
_register("shift_jis", _error_of_two)
_register("euc-kr", _error_of_two)
_register("euc-jp", _step_euc_jp)
