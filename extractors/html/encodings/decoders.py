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
- `ADDED`: bytes that Python rejects → the standard's characters, by runs: first two bytes, then one character per
  trail byte (for Big5 0xA1 follows 0x7E).
- `EXCHANGED`: bytes whose character in Python also has other, correct bytes, so that only the bytes distinguish them.

Python's cp949 is the standard's EUC-KR without a difference; cp932 is Shift_JIS but for four bytes that are errors.
"""

import codecs
import re
from collections.abc import Callable
from functools import cache, partial

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
EXCHANGED = {
    "big5": {b"\xa2\x41": "\u2215", b"\xa2\x42": "\ufe68"},
    "euc-jp": {b"\x8f\xa2\xb7": "\uff5e"},
}
ADDED = {
    "big5": """
877A=㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥
87CB=讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋 8E69=箸 8E6F=簆 8E7E=糎 8EAB=緒 8EB4=縝 8ECD=者 8ED0=耨
8F57=菁 8F69=蒨 8F6E=萏 8FCB=覦覩 8FFE=起 906D=都 907A=銹 90DC=靜 90F1=響 91BF=鼖 9244=蔃 92AF=兙兛兝兞
92C8=鍮 92D1=瑹 9447=浧 94CA=禛 95D9=邗 9644=靝 96ED=瀞 96FC=嬨 9B76=爁 9B78=矗 9B7B=纇 9BC6=駖 9BDE=釔
9BEC=惞 9BF6=澶 9C42=輶 9C53=侻 9C62=營 9C68=鄄 9C6B=鷰 9C77=菏 9CBC=尐秣 9CD0=婧 9D57=輋 9D5A=筑 9DC4=拐
9EA9=恢 9EEF=痹 9EFD=汊 9F60=鬮 9F66=鼗 9FCB=僭 9FD8=弌 A063=蠏 A077=拎 A0D5=瑨 A0DF=煢 A0E4=牐
A3C0=␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ C6CF=廴 C6D3=无 C6D5=癶 C6D7=隶
C6DE=〃仝 FA5F=倩 FA66=偽 FABD=包 FAC5=卄 FAD5=卿 FB48=嘅 FBB8=婷 FBF3=幵 FBF9=廐 FC4F=彘 FC6C=悤 FCB9=撐
FCE2=晴 FCF1=杞 FDB7=沜渝 FDBB=港 FDF1=煮 FE52=猪 FE6F=瑜 FEAA=瓩 FEDD=砉
    """,
    "euc-jp": """
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
    """,
}

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
    """Return the text of `data` in an encoding of the standard (`declaration.NAMES`), with one U+FFFD per error. Never
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
_register("big5", partial(_added_or_error, name="big5"))
_register("shift_jis", _error_of_two)
_register("euc-kr", _error_of_two)
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
