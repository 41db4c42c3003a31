"""Decoding judged by the Encoding Standard's own tables: by digests of every byte sequence, and by its decoders' steps.

The digests were computed with a slow decoder, written from the standard's steps, over its index files (June 2025);
those of Big5 and EUC-JP again after 194 characters of the one, and one of the other, were given up.
"""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extractors.html.decoding import decode
from extractors.html.encodings import declaration
from extractors.html.encodings.declaration import NAMES, encoding_of
from extractors.html.encodings.decoders import decode_as, encode_as
from extractors.html.encodings.guess import MULTI_BYTE
from tests.samples import sample

CHINESE = "<p>港口管理处周一启用了新的潮汐站，渔民可以免费查看水位。</p>"
HIGH = range(0x80, 0x100)
TEXTS = json.loads((Path(__file__).parents[1] / "metadata/languages.json").read_text("utf-8"))
ENCODINGS = {  # with languages that are written in them
    "gb18030": "zh", "big5": "zh-Hant", "shift_jis": "ja", "euc-jp": "ja", "iso-2022-jp": "ja", "euc-kr": "ko",
    "utf-16le": "zh", "utf-16be": "zh", "windows-874": "th", "windows-1250": "pl cs sk hu hr sl",
    "windows-1251": "ru uk bg sr mk", "windows-1252": "de fr es it pt ca nl da sv no is fi et", "windows-1253": "el",
    "windows-1254": "tr", "windows-1255": "he", "windows-1256": "ar", "windows-1257": "lv lt et",
    "iso-8859-2": "pl cs sk hu hr sl", "iso-8859-5": "ru bg", "iso-8859-6": "ar", "iso-8859-7": "el", "koi8-r": "ru bg",
    "koi8-u": "uk", "ibm866": "ru",
}  # fmt: skip
GB18030_IN_SHORT = (
    "398dd5261e8b85578d1a3e4643932fbaa5531e15ff2640fa59b67facd74dd69b"  # a ninth of its four-byte sequences
)
ASIAN = ("gb18030", "big5", "shift_jis", "euc-kr", "euc-jp")
LATIN = {"windows-1250", "windows-1254", "windows-1257", "iso-8859-2"}  # as windows-1252 they lose few letters


def texts(name, length):
    """Return texts in an encoding, of so many characters: one for each of its languages."""
    return [TEXTS[language][:length] for language in ENCODINGS[name].split()]


def encoded(page, name):
    return page.encode(name) if name.startswith("utf") else encode_as(page, name)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


# The order of evidence


def test_byte_order_mark_beats_every_declaration():
    data = b'\xef\xbb\xbf<meta charset="gbk">' + CHINESE.encode()
    assert decode(data, "text/html; charset=big5") == ('<meta charset="gbk">' + CHINESE, "utf-8")


@pytest.mark.parametrize(("mark", "codec"), [(b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be")])
def test_utf16_is_known_by_its_byte_order_mark(mark, codec):
    assert decode(mark + CHINESE.encode(codec), "text/html; charset=utf-8") == (CHINESE, codec)


def test_http_header_beats_the_meta_element():
    data = '<meta charset="utf-8">Ð°'.encode("koi8-r", "replace") + "Привет".encode("koi8-r")
    text, name = decode(data, "text/html; charset=koi8-r")
    assert text.endswith("Привет")
    assert name == "koi8-r"


@pytest.mark.parametrize(
    "head",
    [
        "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=windows-1251'>",
        '<meta content="text/html; charset = windows-1251" http-equiv=content-type>',
        "<meta/charset = windows-1251 />",
        '<title>a</title><!-- <meta charset="shift_jis"> --><meta charset="cp1251">',
        '<a title="<meta charset=koi8-r>"></a><meta name=a charset="x-cp1251">',
        '<meta http-equiv="refresh" content="1; charset=koi8-r"><meta charset="windows-1251">',
        '<meta charset="nonsense"><meta charset=windows-1251><meta charset=koi8-r>',
        '<?xml version="1.0" encoding="windows-1251"?>',
        "<script>" + "var a = 1;\n" * 300 + "</script><meta charset=windows-1251>",
        f"<style>{'a' * 60_000}</style><meta charset=windows-1251>",
    ],
)
def test_meta_element_is_read_as_a_browser_reads_it(head):
    assert decode(f"{head}Привет".encode("cp1251")) == (f"{head}Привет", "windows-1251")


def test_meta_that_claims_utf16_in_readable_bytes_means_utf8():
    assert decode(b'<meta charset="utf-16">caf\xc3\xa9')[0].endswith("café")


def test_meta_that_claims_x_user_defined_means_windows_1252():
    assert decode(b'<meta charset="x-user-defined">\x80')[0].endswith("€")


def test_header_that_claims_utf16_of_a_page_without_a_nul_does_not_count():
    assert decode(CHINESE.encode(), "text/html; charset=utf-16") == (CHINESE, "utf-8")


# Names


def test_labels_are_the_standards():
    known = sorted(f"{label} {encoding_of(label)}" for label in declaration.NAME_OF)
    assert len(known) == 228
    assert digest("\n".join(known)) == "ec2fd343848c1e52560602406e608f43d1c6d9142fe1173ad04fbbbcfaaebac4"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_no_label_loses_a_readable_page(name):
    assert decode(b"<p>def</p>", f"text/html; charset={name}")[0] == "<p>def</p>"


# Tables


def every_sequence(name):
    yield from (bytes([lead]) for lead in HIGH)
    yield from (bytes([lead, trail]) for lead in HIGH for trail in range(256))
    if name == "euc-jp":
        yield from (bytes([0x8F, second, third]) for second in HIGH for third in HIGH)
    if name == "gb18030":
        high, digits = range(0x81, 0xFF), range(0x30, 0x3A)
        some = range(0x81, 0xFF, sample(9, 1))
        yield from (bytes([a, b, c, d]) for a in some for b in digits for c in high for d in digits)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gb18030", sample(GB18030_IN_SHORT, "be8d9c5994eb77ce96f93d9a54c88c12bd1cac476679bdbaadbf47ea973b69a8")),
        ("big5", "1da77c57232a0453c3409f3aecc59781870762e26cc0d436704a80e0250b3726"),
        ("euc-kr", "63c4cfab31bd112fd8c85b85835ccaa4d5563558c46fb17861fff32b5e8eafbf"),
        ("shift_jis", "88374c312f2b6a88ae5147d148fa6dcdff0cbd048e555f2651734f0325b27087"),
        ("euc-jp", "348672d527352c1b2e28d3ed3d60f821f08348d0e14b07605787f8c3810f06c4"),
    ],
)
def test_every_byte_sequence_decodes_as_in_the_standard(name, expected):
    assert digest(decode_as(b"\n".join(every_sequence(name)), name)) == expected


def test_every_single_byte_encoding_is_the_standards():
    names = sorted(
        NAMES - {*MULTI_BYTE, "utf-8", "utf-16le", "utf-16be", "iso-2022-jp", "replacement", "x-user-defined"}
    )
    tables = "\n".join(f"{name} {decode_as(bytes(HIGH), name)}" for name in names)
    assert digest(tables) == "24401880b8ffb2027ea0911d8896f78928cff7ba09ab071bcb7aec09e67f25e2"


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        (b"a\x1b$B0!\x1b(J\\~\x1b(I1\x1b$@F|K\\\x1b(B\\", "iso-2022-jp", "a亜¥‾ｱ日本\\"),
        (b"A\x80\xff", "x-user-defined", "A\uf780\uf7ff"),
        (b"\\~", "shift_jis", "\\~"),
        (b"\\~", "euc-jp", "\\~"),
    ],
)
def test_characters_that_the_tables_above_leave_out(data, name, text):
    assert decode_as(data, name) == text


# Errors


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        (b"\xff\x81", "gb18030", "\ufffd\ufffd"),
        (b"\x81<\x81\x7f\x81\xffa", "gb18030", "\ufffd<\ufffd\x7f\ufffda"),
        (b"\x810<", "gb18030", "\ufffd0<"),  # the digit and what follows are read again
        (b"\x810\x81<", "gb18030", "\ufffd0\ufffd<"),
        (b"\x810\x810", "gb18030", "\x80"),
        (b"\x810\xc4\xe3", "gb18030", "\ufffd0你"),
        (b"\x84\x31\xa5\x30", "gb18030", "\ufffd"),  # pointer 39420, beyond the ranges
        (b"\x80\xff\xa1", "big5", "\ufffd\ufffd\ufffd"),
        (b"\x81<\x81@\x81\x80a", "big5", "\ufffd<\ufffd@\ufffda"),
        (b"\x80\xff\xa1", "euc-kr", "\ufffd\ufffd\ufffd"),
        (b"\xa1<\x81[\xfe\xa1\xc9\xa1a", "euc-kr", "\ufffd<\ufffd[\ufffd\ufffda"),
        (b"\xa0\xfd\xfe\xff\x81", "shift_jis", "\ufffd" * 5),
        (b"\x81<\x85@\x81\xff\xefzz", "shift_jis", "\ufffd<\ufffd@\ufffd\ufffdzz"),
        (b"\x8e<\x8e\xe0\x8f<\x8f\xa1<a", "euc-jp", "\ufffd<\ufffd\ufffd<\ufffd<a"),
        (b"\x8f\xa1", "euc-jp", "\ufffd"),
        (b"\x1b$B0!\x80\x1b(B<p>", "iso-2022-jp", "亜\ufffd<p>"),
        (b"\xe4\xbd<\xc0\x80\xed\xa0\x80\xf0\x90\x80", "utf-8", "\ufffd<" + "\ufffd" * 6),
        (b"\x00\xd8a\x00b", "utf-16le", "\ufffda\ufffd"),
        (b"any page", "replacement", "\ufffd"),
    ],
)
def test_error_consumes_what_the_standards_decoder_consumes(data, name, text):
    assert decode_as(data, name) == text


pieces = st.lists(
    st.one_of(
        st.binary(max_size=6),
        st.sampled_from([b"<", b"\x81", b"\x8f", b"\x8e\xa1", b"\xa2A", b"\x8f\xa2\xb7", b"\x810", b"\xff", b"\x1b$B"]),
    ),
    max_size=12,
).map(b"".join)


@given(pieces, st.sampled_from(sorted(MULTI_BYTE)))
@example(b"\x8fA\x8f\xa2\xb7<", "euc-jp")
def test_multi_byte_decoder_keeps_every_tag_bracket(data, name):
    assert decode_as(data, name).count("<") == data.count(b"<")


@given(st.binary(max_size=200), st.none() | st.sampled_from([f"text/html; charset={name}" for name in sorted(NAMES)]))
def test_any_bytes_decode(data, content_type):
    text, name = decode(data, content_type)
    assert isinstance(text, str)
    assert name in NAMES


# Pages whose declaration is wrong


@pytest.mark.parametrize("label", ["gb2312", "gbk", "gb18030", "big5", "shift_jis"])
def test_page_that_calls_itself_gb2312_but_is_utf8_is_utf8(label):
    data = f'<meta charset="{label}">{CHINESE}'.encode()
    assert decode(data) == (data.decode(), "utf-8")
    assert decode(data, f"text/html; charset={label}") == (data.decode(), "utf-8")


def test_one_hanzi_that_is_also_valid_utf8_stays_the_hanzi_that_was_declared():
    assert decode("<p>陆 Lu</p>".encode("gbk"), "text/html; charset=gbk") == ("<p>陆 Lu</p>", "gb18030")


@pytest.mark.parametrize("name", ["gb18030", "big5", "shift_jis", "euc-kr"])
def test_page_that_calls_itself_utf8_but_is_another_encoding_is_read_as_that(name):
    text = f'<meta charset="utf-8">{texts(name, 20)[0]}'
    assert decode(encoded(text, name))[0] == text


def test_utf8_page_with_a_broken_byte_stays_utf8():
    data = CHINESE.encode().replace("站".encode(), b"\xe7\xab")
    assert decode(data, "text/html; charset=utf-8") == (CHINESE.replace("站", "\ufffd"), "utf-8")
    assert decode(data) == (CHINESE.replace("站", "\ufffd"), "utf-8")


@pytest.mark.parametrize("content_type", ["text/html", "text/html; charset=utf-8", "text/html; charset=iso-8859-1"])
@pytest.mark.parametrize("name", ENCODINGS)
def test_page_without_a_declaration_or_with_the_servers_is_read(name, content_type):
    for text in texts(name, 80) if name not in LATIN or "8859" not in content_type else ():
        page = f"<html><title>1</title><p>{text}</p><p>{text}</p></html>"
        assert decode(encoded(page, name), content_type)[0] == page


def test_right_meta_element_counts_under_a_wrong_header():
    page = "<meta charset=windows-1258><p>Hà N\u1ed9i</p>".replace("\u1ed9", "ô\u0323")
    assert decode(page.encode("cp1258"), "text/html; charset=utf-8") == (page, "windows-1258")


@pytest.mark.parametrize("label", ["hz-gb-2312", "iso-2022-kr", "replacement"])
def test_label_that_the_standard_refuses_is_no_declaration(label):
    assert decode(CHINESE.encode("gbk"), f"text/html; charset={label}") == (CHINESE, "gb18030")


# Pages without a declaration

RUSSIAN = (
    "Рыбаки смотрят уровень воды бесплатно.",
    "Вчера библиотека открыла новый зал.",
    "Завтра облачно, до 20 градусов.",
)
SENTENCES = {
    **{name: [TEXTS[ENCODINGS[name]][start : start + 20] for start in (0, 20, 40)] for name in ASIAN},
    "windows-1251": RUSSIAN,
    "koi8-r": RUSSIAN,
    "windows-1250": ("Conducerea portului a deschis ieri o staţie nouă, unde pescarii află cât de înaltă este apa.",),
    "windows-1252": (
        "Café “Zur Mühle”",
        "Les pêcheurs vérifient le niveau d’eau à l’entrée.",
        "La città è più fredda",
        "El niño pequeño",
        "Demain, déjà 20 °C — l’été…",
    ),
}


@pytest.mark.parametrize(("name", "sentence"), [(name, text) for name, texts in SENTENCES.items() for text in texts])
def test_undeclared_encoding_of_one_sentence_is_recognised(name, sentence):
    page = f"<html><title>{sentence}</title><p class=a>{sentence}</p></html>"
    assert decode(encoded(page, name)) == (page, name)


def test_undeclared_utf8_is_recognised():
    assert decode(CHINESE.encode()) == (CHINESE, "utf-8")


# Encodings that are declared wrongly

WRITTEN = {name for name in NAMES if not name.startswith(("utf", "replacement", "x-user"))}


@pytest.mark.parametrize("start", [0, 60, 120, 180])
@pytest.mark.parametrize("name", ASIAN)
def test_asian_page_under_any_other_declaration_is_read(name, start):
    text = TEXTS[ENCODINGS[name]][start : start + 60]
    page = f"<html><title>{text[:14]}</title><h1>{text[:14]}</h1><p class=a>{text}</p></html>"
    data = encode_as(page, name)
    read = {declared: decode(data, f"text/html; charset={declared}") for declared in WRITTEN}
    assert read == dict.fromkeys(WRITTEN, (page, name))


@pytest.mark.parametrize("declared", ["gb18030", "big5", "shift_jis", "euc-kr", "iso-8859-2", "windows-1257"])
@pytest.mark.parametrize("name", ["windows-1251", "koi8-r", "windows-1253", "windows-1255", "windows-1256"])
def test_page_in_another_alphabet_under_a_wrong_declaration_is_read(name, declared):
    page = f"<p>{texts(name, 60)[0]}</p>"
    assert decode(encoded(page, name), f"text/html; charset={declared}")[0] == page


@pytest.mark.parametrize("language", ["pl", "cs", "sk"])
def test_page_of_windows_in_central_europe_that_calls_itself_iso_8859_2_is_read(language):
    page = f"<p>„{TEXTS[language]}”</p>"
    assert decode(encode_as(page, "windows-1250"), "text/html; charset=iso-8859-2") == (page, "windows-1250")
    plain = f"<p>{TEXTS[language]}</p>"
    assert decode(encode_as(plain, "iso-8859-2"), "text/html; charset=iso-8859-2") == (plain, "iso-8859-2")


UNUSUAL = {
    "gb18030": [
        "李明 王芳 张伟",
        "價格：１２００元　電話",
        "漁民可以免費查看水位。",
        TEXTS["ja"][:20],
        RUSSIAN[0],
        "It’s",
        "鬱龘靐齉爩",
    ],
    "big5": ["李明 王芳 張偉", "價格：１２００元", "★☆◆ 第３章"],
    "shift_jis": ["ﾊﾝｶｸｶﾀｶﾅ ﾃｽﾄ", "東京都港区", "★◆●"],
    "euc-jp": ["カタカナ", "東京都港区", "★◆●"],
    "euc-kr": ["大韓民國 憲法 第一條", "서울", "뷁 똠방각하", "日本語 カタカナ"],
    "windows-874": ["กขค", "ราคา ๑๒๐", TEXTS["th"][:60]],
    "windows-1251": ["Привет", "ё", "Љубав и њихова кућа", "MOCKBA Москва"],
    "windows-1255": ["שלום"],
    "windows-1256": ["سلام", "روز خوب"],
    "windows-1258": ["Hà Nô\u0323i"],
    "iso-8859-3": ["Ħafna ġodda u żgħira ċavetta"],
    "iso-8859-8-i": [TEXTS["he"][:50]],
    "iso-8859-10": ["ðþŋ"],
    "iso-8859-14": ["ŵyŷ Ŵŷ ŵ"],
    "iso-8859-16": ["și țară ăâî"],
    "iso-2022-jp": [TEXTS["ja"][:20]],
    "ibm866": ["ПОГОДА"],
    "macintosh": ["café à œ “x”"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in UNUSUAL.items() for text in texts])
def test_unusual_text_is_read_as_it_is_declared(name, text):
    page = f"<p>{text}</p>"
    assert decode(encode_as(page, name), f"text/html; charset={name}") == (page, name)


def test_utf16_page_is_read_as_its_header_says():
    page = f"\0{CHINESE * 9}"
    assert decode(page.encode("utf-16-le"), "text/html; charset=utf-16le") == (page, "utf-16le")


def test_tags_in_utf_16_decide_also_where_the_bytes_are_valid_utf_8():
    page = "<p>\ub8e4\ue4ad\uadb8</p>"  # the bytes of these characters are 中中 in UTF-8
    assert decode(page.encode("utf-16-le")) == (page, "utf-16le")
