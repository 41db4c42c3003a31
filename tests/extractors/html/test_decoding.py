"""Decoding judged by the Encoding Standard's own tables: by digests of every byte sequence, and by its decoders' steps.

The digests were computed with a slow decoder, written from the standard's steps, over its index files (June 2025).
"""

import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extractors.html.decoding import decode
from extractors.html.encodings import declaration
from extractors.html.encodings.declaration import META_EXPECTED, NAMES, encoding_of
from extractors.html.encodings.decoders import decode_as, encode_as
from extractors.html.encodings.guess import MULTI_BYTE
from tests.samples import sample

CHINESE = "<p>港口管理处周一启用了新的潮汐站，渔民可以免费查看水位。</p>"
HIGH = range(0x80, 0x100)


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


def test_http_header_with_an_unknown_name_leaves_it_to_the_meta_element():
    data = f'<meta charset="gbk">{CHINESE}'.encode("gbk")
    assert decode(data, "text/html; charset=none") == (data.decode("gbk"), "gb18030")


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
        *(
            f"<style>{'a' * length}</style><meta charset=windows-1251>"
            for length in range(META_EXPECTED - 60, META_EXPECTED, 7)
        ),
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
        yield from (bytes([a, b, c, d]) for a in high for b in digits for c in high for d in digits)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gb18030", "be8d9c5994eb77ce96f93d9a54c88c12bd1cac476679bdbaadbf47ea973b69a8"),
        ("big5", "465b95382f6ea7276d8ec33272988d939c1db35f675beb40f8451cd493425244"),
        ("euc-kr", "63c4cfab31bd112fd8c85b85835ccaa4d5563558c46fb17861fff32b5e8eafbf"),
        ("shift_jis", "88374c312f2b6a88ae5147d148fa6dcdff0cbd048e555f2651734f0325b27087"),
        ("euc-jp", "caae6bbc6be277fc44c9401a11e6b999645564fce54a9f97676fcd5149b4e8d5"),
    ],
)
def test_every_byte_sequence_decodes_as_in_the_standard(name, expected):
    assert digest(decode_as(b"\n".join(every_sequence(name)), name)) == expected


@pytest.mark.parametrize("name", ["gb18030", "big5", "euc-kr", "shift_jis", "euc-jp"])
def test_declared_page_of_any_one_two_byte_sequence_is_decoded_by_its_table(name):
    pairs = [bytes([lead, trail]) for lead in HIGH for trail in range(256)]
    for page in [pair for pair in pairs if pair not in (b"\xff\xfe", b"\xfe\xff")][:: sample(40, 1)]:
        assert decode(page, f"text/html; charset={name}")[0] == decode_as(page, name)


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
        (b"a\x810", "gb18030", "a\ufffd"),  # cut off: the one error is all of it
        (b"a\x810\x81", "gb18030", "a\ufffd"),
        (b"\x80\xff\xa1", "big5", "\ufffd\ufffd\ufffd"),
        (b"\x81<\x81@\x81\x80a", "big5", "\ufffd<\ufffd@\ufffda"),
        (b"\xa2\xa2Ab\x80\xa2A", "big5", "╰Ab\ufffd∕"),  # A241 counts only where a character begins
        (b"\x80\xff\xa1", "euc-kr", "\ufffd\ufffd\ufffd"),
        (b"\xa1<\x81[\xfe\xa1\xc9\xa1a", "euc-kr", "\ufffd<\ufffd[\ufffd\ufffda"),
        (b"\xa0\xfd\xfe\xff\x81", "shift_jis", "\ufffd" * 5),
        (b"\x81<\x85@\x81\xff\xefzz", "shift_jis", "\ufffd<\ufffd@\ufffd\ufffdzz"),
        (b"\x80\xa0\xff\xa1", "euc-jp", "\ufffd\ufffd\ufffd\ufffd"),
        (b"\x8e<\x8e\xe0\x8f<\x8f\xa1<\x8f\xa1\xa1a", "euc-jp", "\ufffd<\ufffd\ufffd<\ufffd<\ufffda"),
        (b"\x8f\xa1", "euc-jp", "\ufffd"),
        (b"\x1bx\x1b$x\x1b", "iso-2022-jp", "\ufffdx\ufffd$x\ufffd"),
        (b"\x1b$B\x1b(Ba\x1b$B0\n0!0", "iso-2022-jp", "\ufffda\ufffd亜\ufffd"),  # two escapes in a row, broken pairs
        (b"\x0e\x80\x1b(I\x60", "iso-2022-jp", "\ufffd\ufffd\ufffd"),
        (b"\xe4\xbd<\xc0\x80\xed\xa0\x80\xf0\x90\x80", "utf-8", "\ufffd<" + "\ufffd" * 6),
        (b"\x00\xd8a\x00b", "utf-16le", "\ufffda\ufffd"),
        (b"any page", "replacement", "\ufffd"),
    ],
)
def test_error_consumes_what_the_standards_decoder_consumes(data, name, text):
    assert decode_as(data, name) == text


@pytest.mark.parametrize("charset", ["gbk", "big5", "shift_jis", "euc-kr", "euc-jp"])
def test_broken_character_never_swallows_the_markup_behind_it(charset):
    broken = b"\xe6" if charset != "shift_jis" else b"\x81"
    text, _ = decode(b"abc" + broken + b"<p>def</p>", f"text/html; charset={charset}")
    assert text == "abc\ufffd<p>def</p>"


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


@given(pieces, st.sampled_from(sorted(MULTI_BYTE)), st.integers(0, 60))
def test_text_up_to_a_tag_bracket_does_not_depend_on_what_follows(data, name, cut):
    before, after = data[:cut] + b"<", data[cut:]
    assert decode_as(before + after, name) == decode_as(before, name) + decode_as(after, name)


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


def test_english_page_that_calls_itself_gb2312_and_has_utf8_quotes_is_utf8():
    assert decode("<p>It’s a harbour</p>".encode(), "text/html; charset=gb2312")[0] == "<p>It’s a harbour</p>"


def test_one_hanzi_that_is_also_valid_utf8_stays_the_hanzi_that_was_declared():
    assert decode("<p>陆 Lu</p>".encode("gbk"), "text/html; charset=gbk") == ("<p>陆 Lu</p>", "gb18030")


@pytest.mark.parametrize("codec", ["gbk", "big5", "cp932", "cp949"])
def test_page_that_calls_itself_utf8_but_is_another_encoding_is_read_as_that(codec):
    text = f'<meta charset="utf-8">{SENTENCES[codec][0] * 2}'
    assert decode(text.encode(codec))[0] == text


def test_utf8_page_with_a_broken_byte_stays_utf8():
    data = CHINESE.encode().replace("站".encode(), b"\xe7\xab")
    assert decode(data, "text/html; charset=utf-8") == (CHINESE.replace("站", "\ufffd"), "utf-8")
    assert decode(data) == (CHINESE.replace("站", "\ufffd"), "utf-8")


SINGLE_BYTE = {
    "cp1252": "Ça a été l’été où la forêt a brûlé près de la mer, déjà très sèche.",
    "cp1250": "Wczoraj wieczorem strażacy ugasili pożar łąki nad Wisłą, która płonęła cały dzień, jak ogłosił wójt.",
    "cp1251": "Вчера вечером пожарные потушили траву, которая горела весь день.",
    "koi8_u": "Учора ввечері пожежники погасили траву, що горіла цілий день у їхньому селі.",
    "cp866": "Вчера вечером пожарные потушили траву, которая горела весь день.",
    "cp1253": "Χθες το βράδυ οι πυροσβέστες έσβησαν τη φωτιά στο λιβάδι.",
    "cp1254": "Dün akşam itfaiye, bütün gün yanan çayırdaki yangını söndürdü.",
    "cp1255": "אמש כיבו הכבאים את האש שבערה כל היום בשדה.",
    "cp1256": "أخمد رجال الإطفاء مساء أمس الحريق الذي اشتعل طوال اليوم.",
    "iso8859_6": "أخمد رجال الإطفاء مساء أمس الحريق الذي اشتعل طوال اليوم.",
    "cp874": "เมื่อวานตอนเย็นเจ้าหน้าที่ดับเพลิงดับไฟที่ไหม้ทุ่งหญ้าตลอดทั้งวัน",
    "cp1257": "Vakar vakare ugniagesiai užgesino pievą, kuri degė visą dieną, nes buvo labai sausa.",
    "utf_16_le": "昨天晚上，消防队员扑灭了草地上的大火。",
    "utf_16_be": "昨天晚上，消防队员扑灭了草地上的大火。",
    "iso2022_jp": "昨日の夜、消防隊員が草原の火を消した。",
}


LATIN = {"cp1252", "cp1250", "cp1254", "cp1257"}  # read in one another, they lose few letters


@pytest.mark.parametrize("content_type", ["text/html", "text/html; charset=utf-8", "text/html; charset=iso-8859-1"])
@pytest.mark.parametrize("codec", SINGLE_BYTE)
def test_page_without_a_declaration_or_with_the_servers_is_read(codec, content_type):
    if codec in LATIN and "8859" in content_type:
        return
    page = f"<html><title>1</title><p>{SINGLE_BYTE[codec]}</p><p>{SINGLE_BYTE[codec]}</p></html>"
    assert decode(page.encode(codec), content_type)[0] == page


def test_western_page_is_read_as_declared_even_with_few_words_of_another_script():
    page = "<p>Das Wort \xe4hnlich, \xfcber, gr\xf6\xdfer, \xabm\xfcder\xbb \x96 \xcc\xee\xf1\xea\xe2\xe0</p>"
    data = page.encode("latin-1")
    assert decode(data, "text/html; charset=iso-8859-1") == (data.decode("cp1252"), "windows-1252")


def test_right_meta_element_counts_under_a_wrong_header():
    page = "<meta charset=windows-1258><p>Hà N\u1ed9i</p>".replace("\u1ed9", "ô\u0323")
    assert decode(page.encode("cp1258"), "text/html; charset=utf-8") == (page, "windows-1258")


@pytest.mark.parametrize("label", ["hz-gb-2312", "iso-2022-kr", "replacement"])
def test_label_that_the_standard_refuses_is_no_declaration(label):
    assert decode(CHINESE.encode("gbk"), f"text/html; charset={label}") == (CHINESE, "gb18030")


# Pages without a declaration

JAPANESE = [
    "漁師は無料で水位を確認できます。",
    "昨日の午後、図書館に新しい閲覧室ができた。",
    "あすの天気はくもり、最高気温は20度。",
]
RUSSIAN = [
    "Рыбаки смотрят уровень воды бесплатно.",
    "Вчера библиотека открыла новый зал.",
    "Завтра облачно, до 20 градусов.",
]
SENTENCES = {
    "gbk": ["渔民可以免费查看水位。", "昨天下午，市图书馆开放了新的阅览室。", "天气预报：明天多云，最高气温二十度。"],
    "big5": ["漁民可以免費查看水位。", "昨天下午，市圖書館開放了新的閱覽室。", "天氣預報：明天多雲，最高氣溫二十度。"],
    "cp932": JAPANESE,
    "euc_jp": JAPANESE,
    "cp949": [
        "어민들은 무료로 수위를 확인할 수 있다.",
        "어제 오후 도서관에 새 열람실이 문을 열었다.",
        "내일은 흐리고 낮 기온은 20도입니다.",
    ],
    "cp1251": RUSSIAN,
    "koi8_r": RUSSIAN,
    "cp1252": [
        "Café “Zur Mühle”",
        "Les pêcheurs vérifient le niveau d’eau à l’entrée.",
        "La città è più fredda",
        "El niño pequeño",
        "Demain, déjà 20 °C — l’été…",
    ],
}
FOUND_AS = {
    "gbk": "gb18030", "cp932": "shift_jis", "euc_jp": "euc-jp", "cp949": "euc-kr", "cp1251": "windows-1251",
    "koi8_r": "koi8-r", "cp1252": "windows-1252",
}  # fmt: skip


@pytest.mark.parametrize(("codec", "sentence"), [(codec, text) for codec, texts in SENTENCES.items() for text in texts])
def test_undeclared_encoding_of_one_sentence_is_recognised(codec, sentence):
    page = f"<html><title>{sentence}</title><p class=a>{sentence}</p></html>"
    assert decode(page.encode(codec)) == (page, FOUND_AS.get(codec, codec))


@pytest.mark.parametrize("codec", ["gb18030", "big5", "cp932", "cp949", "euc_jp"])
def test_undeclared_page_with_a_broken_byte_is_recognised(codec):
    data = "".join(f"<p>{n} {sentence}</p>" for n in range(30) for sentence in SENTENCES.get(codec, SENTENCES["gbk"]))
    page = data.encode(codec)
    middle = page.index(b"</p>", len(page) // 2)
    text = decode(page[:middle] + b"\xff" + page[middle:])[0]
    assert text == data[: text.index("\ufffd")] + "\ufffd" + data[text.index("\ufffd") :]


def test_undeclared_utf8_is_recognised():
    assert decode(CHINESE.encode()) == (CHINESE, "utf-8")


# Encodings that are not declared, by sentences of our own


def sentences(text):
    return tuple(" ".join(part.split()) for part in text.split("\n\n"))


UNDECLARED = {
    "windows-1250": sentences(
        """Zarząd portu otworzył wczoraj nową stację pływów, a rybacy mogą bezpłatnie sprawdzać poziom wody. Każdy łódź
musi być zgłoszona przed wyjściem w morze, również w święta.

Správa přístavu včera otevřela novou stanici, kde si rybáři mohou zdarma ověřit výšku hladiny. Každá loď musí
být před vyplutím ohlášena, a to i ve svátek.

A kikötő igazgatósága tegnap új állomást nyitott, és a halászok ingyen nézhetik meg, hogy milyen magas a víz.
Minden hajót be kell jelenteni, mielőtt kifut, akkor is, ha ünnep van, és csak egy őr felügyeli a működését.

Uprava luke jučer je otvorila novu postaju, pa ribari mogu besplatno provjeriti razinu vode. Svaki brod mora
biti prijavljen prije isplovljavanja, čak i kada je praznik, a što nije prijavljeno, ostaje na vezu.

Conducerea portului a deschis ieri o staţie nouă, unde pescarii află fără plată cât de înaltă este apa. Fiecare
barcă trebuie anunţată înainte să iasă pe mare, dar numai în zilele în care vântul bate, şi aşa va rămâne."""
    ),
    "iso-8859-5": sentences(
        """Управление порта вчера открыло новую станцию, и рыбаки могут бесплатно узнать уровень воды. О каждой
лодке надо
сообщать до выхода в море."""
    ),
}
UNDECLARED["iso-8859-2"] = UNDECLARED["windows-1250"]
UNDECLARED["iso-8859-7"] = (SINGLE_BYTE["cp1253"],)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in UNDECLARED.items() for text in texts])
def test_smaller_languages_are_read_in_their_encodings(name, text):
    assert decode(f"<p>{text}</p>".encode(name))[0] == f"<p>{text}</p>"


WESTERN = sentences(
    """Die Hafenverwaltung öffnete gestern eine neue Station, und die Fischer können kostenlos prüfen, wie hoch das
Wasser steht. Für größere Boote gilt das nicht, denn ihre Führer müssen sich anmelden.

La direction du port a ouvert hier une nouvelle station où les pêcheurs vérifient gratuitement la hauteur de
l’eau. Chaque bateau doit être annoncé à la capitainerie, même les jours fériés, dès le départ.

La dirección del puerto abrió ayer una nueva estación; ¿quién la usará? Los pescadores ven allí el nivel del
agua sin pagar, y el próximo año habrá más señales en la bahía.

La direzione del porto ha aperto ieri una nuova stazione: così i pescatori sapranno già al mattino com’è
l’acqua. Ogni barca però dovrà annunciarsi, perché più di metà non lo fa e ciò è vietato.

A direção do porto abriu ontem uma nova estação, e os pescadores já não pagam para ver o nível da água. Também
as embarcações maiores terão de se anunciar, e as exceções são poucas.

Havneledelsen åbnede i går en ny station, hvor fiskerne kan se vandstanden gratis. Alle både skal anmeldes, før
de sejler ud, også på helligdage, når vinden blæser fra øst.

Hafnarstjórnin opnaði í gær nýja stöð þar sem sjómenn geta séð hæð vatnsins án þess að greiða. Öll skip verða að
tilkynna sig áður en þau sigla út á hafið, og það á líka við um helgar.

Sadama juhatus avas eile uue jaama, kus kalurid näevad tasuta, kui kõrge on vesi. Iga paat tuleb enne merele
minekut üles anda, ka siis, kui on püha, ja õhtul ei tohi ükski väljuda."""
)


@pytest.mark.parametrize("text", WESTERN)
def test_western_languages_stay_western(text):
    assert decode(f"<p>{text}</p>".encode("windows-1252"))[0] == f"<p>{text}</p>"


# Encodings that are declared wrongly

ASIAN = {  # the last two texts of each were written after the rule and its constants, and changed nothing
    "gb18030": [
        "老木匠用了三个冬天才做完这张桌子，他说木头要慢慢干，急不得。桌子现在放在学校的图书室里，孩子们围着它写作业。",
        "雨停以后，山路上全是泥。送信的人把自行车推到桥边，坐下来等太阳出来。",
        "养蜂人每年四月把蜂箱搬到河对岸，那里的油菜花开得最早。",
        "球队在加时赛中以三比二获胜，守门员扑出了两个点球，赛后被评为全场最佳球员。",
    ],
    "big5": [
        "老木匠用了三個冬天才做完這張桌子，他說木頭要慢慢乾，急不得。桌子現在放在學校的圖書室裡，孩子們圍著它寫作業。",
        "雨停以後，山路上全是泥。送信的人把腳踏車推到橋邊，坐下來等太陽出來。",
        "養蜂人每年四月把蜂箱搬到河對岸，那裡的油菜花開得最早。",
        "球隊在延長賽中以三比二獲勝，守門員撲出了兩個十二碼球，賽後被評為全場最佳球員。",
    ],
    "shift_jis": [
        "老いた大工は三度の冬をかけてこの机を作った。木はゆっくり乾かさなければならないと言う。机は今、学校の図書室にある。",
        "雨がやんだあと、山道はどろだらけだった。郵便屋さんは橋のそばで日が出るのを待った。",
        "養蜂家は毎年四月に巣箱を川の向こう岸へ運ぶ。",
        "チームは延長戦の末、三対二で勝利し、ゴールキーパーが最優秀選手に選ばれた。",
    ],
    "euc-kr": [
        "늙은 목수는 겨울을 세 번 보내고서야 이 책상을 다 만들었다. 나무는 천천히 말려야 한다고 그는 말한다.",
        "비가 그친 뒤 산길은 온통 진흙이었다. 우체부는 자전거를 다리 옆에 세우고 해가 나기를 기다렸다.",
        "양봉가는 해마다 사월이면 벌통을 강 건너편으로 옮긴다.",
        "대표팀은 연장전 끝에 삼 대 이로 이겼고, 골키퍼가 최우수 선수로 뽑혔다.",
    ],
}
ASIAN["euc-jp"] = ASIAN["shift_jis"]
WRITTEN = {name for name in NAMES if not name.startswith(("utf", "replacement", "x-user"))}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in ASIAN.items() for text in texts])
def test_asian_page_under_any_other_declaration_is_read(name, text):
    page = f"<html><title>{text[:14]}</title><h1>{text[:14]}</h1><p class=a>{text}</p></html>"
    data = encode_as(page, name)
    read = {declared: decode(data, f"text/html; charset={declared}") for declared in WRITTEN}
    assert read == dict.fromkeys(WRITTEN, (page, name))


@pytest.mark.parametrize("declared", ["gb18030", "big5", "shift_jis", "euc-kr", "iso-8859-2", "windows-1257"])
@pytest.mark.parametrize("name", ["windows-1251", "koi8-r", "windows-1253", "windows-1255", "windows-1256"])
def test_page_in_another_alphabet_under_a_wrong_declaration_is_read(name, declared):
    codec = {"koi8-r": "koi8_u"}.get(name, name.replace("windows-", "cp"))
    page = f"<p>{SINGLE_BYTE[codec].replace('і', 'и').replace('ї', 'й')}</p>"
    assert decode(encode_as(page, name), f"text/html; charset={declared}")[0] == page


UNUSUAL = {
    "gb18030": [
        "陆 Lu",
        "李明 王芳 张伟",
        "價格：１２００元　電話",
        "漁民可以免費查看水位。",
        JAPANESE[1],
        RUSSIAN[0],
        "It’s",
        "鬱龘靐齉爩",
    ],
    "big5": ["李明 王芳 張偉", "價格：１２００元", "★☆◆ 第３章"],
    "shift_jis": ["ﾊﾝｶｸｶﾀｶﾅ ﾃｽﾄ", "東京都港区", "★◆●"],
    "euc-jp": ["カタカナ", "東京都港区", "★◆●"],
    "euc-kr": ["大韓民國 憲法 第一條", "서울", "뷁 똠방각하", "日本語 カタカナ"],
    "windows-874": ["กขค", "ราคา ๑๒๐", SINGLE_BYTE["cp874"]],
    "windows-1251": ["Привет", "ё", "Љубав и њихова кућа", "MOCKBA Москва"],
    "windows-1255": ["שלום"],
    "windows-1256": ["سلام", "روز خوب"],
    "windows-1258": ["Hà Nô\u0323i"],
    "iso-8859-3": ["Ħafna ġodda u żgħira ċavetta"],
    "iso-8859-8-i": [SINGLE_BYTE["cp1255"]],
    "iso-8859-10": ["ðþŋ"],
    "iso-8859-14": ["ŵyŷ Ŵŷ ŵ"],
    "iso-8859-16": ["și țară ăâî"],
    "iso-2022-jp": [JAPANESE[0]],
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
