import pytest

from extractors.decoding import decode

CHINESE = "<p>港口管理处周一启用了新的潮汐站，渔民可以免费查看水位。</p>"


def test_byte_order_mark_beats_every_declaration():
    data = b'\xef\xbb\xbf<meta charset="gbk">' + CHINESE.encode()
    assert decode(data, "text/html; charset=big5") == ('<meta charset="gbk">' + CHINESE, "utf-8")


def test_http_header_beats_the_meta_element():
    data = '<meta charset="utf-8">Ð°'.encode("koi8-r", "replace") + "Привет".encode("koi8-r")
    text, name = decode(data, "text/html; charset=koi8-r")
    assert text.endswith("Привет")
    assert name == "koi8-r"


@pytest.mark.parametrize("label", ["gb2312", "GBK", "gb18030", "x-gbk"])
def test_each_chinese_label_is_read_as_gb18030(label):
    data = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">镕𠀀'.encode("gb18030")
    text, name = decode(data)
    assert text.endswith("镕𠀀")
    assert name == "gb18030"


def test_page_that_calls_itself_gb2312_but_is_utf8_is_utf8():
    data = f'<meta charset="gb2312">{CHINESE}'.encode()
    assert decode(data) == (data.decode(), "utf-8")


def test_page_that_calls_itself_utf8_but_is_gbk_is_gb18030():
    data = f'<meta charset="utf-8">{CHINESE}'.encode("gbk")
    assert decode(data)[0].endswith(CHINESE)


def test_undeclared_chinese_bytes_are_recognised():
    assert decode(CHINESE.encode("gbk")) == (CHINESE, "gb18030")


def test_undeclared_western_bytes_are_windows_1252():
    assert decode("Café “Zur Mühle”".encode("cp1252")) == ("Café “Zur Mühle”", "windows-1252")


def test_undeclared_utf8_is_recognised():
    assert decode(CHINESE.encode()) == (CHINESE, "utf-8")


@pytest.mark.parametrize("charset", ["gbk", "utf-8", "big5", "shift_jis", "euc-kr", "euc-jp"])
def test_broken_character_never_swallows_the_markup_behind_it(charset):
    broken = b"\xe6" if charset != "shift_jis" else b"\x81"
    text, _ = decode(b"abc" + broken + b"<p>def</p>", f"text/html; charset={charset}")
    assert text == "abc\ufffd<p>def</p>"


def test_latin1_is_read_as_windows_1252_like_in_a_browser():
    assert decode(b"\x93quoted\x94", "text/html; charset=iso-8859-1") == ("“quoted”", "windows-1252")


@pytest.mark.parametrize("label", ["no-such-charset", "zlib_codec", "utf-7", "idna", "undefined"])
def test_label_that_is_no_encoding_of_the_web_is_ignored(label):
    assert decode(CHINESE.encode(), f"text/html; charset={label}") == (CHINESE, "utf-8")


def test_meta_that_claims_utf16_in_readable_bytes_means_utf8():
    assert decode(b'<meta charset="utf-16">caf\xc3\xa9')[0].endswith("café")


def test_declaration_inside_a_comment_does_not_count():
    data = f'<!-- <meta charset="shift_jis"> --><meta charset="gbk">{CHINESE}'.encode("gbk")
    assert decode(data)[0].endswith(CHINESE)
