"""Strings that break careless programs, made by our own code, and complete rows that hold them.

    for row in naughty_rows(): …        one row for each string, and one with a title of a million characters
    as_stored(text)                     what an output keeps of a text: a lone surrogate becomes "?"

Rows hold their string in title, author, text, keywords and a block. Their URLs are plain.
"""

import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from extractors.article import Article, Block
from workers.rows import Row, row_of

LONG_TITLE_LENGTH = 1_000_000
TASK = "naughty"


def _controls() -> list[str]:
    """Every C0 and C1 control character, between letters so that trimming does not hide a loss; some alone."""
    codes = [*range(0x20), 0x7F, *range(0x80, 0xA0)]
    return [f"a{chr(code)}b" for code in codes] + ["\x00", "\x00\x00", "end\x00", "\x00begin", "\x1b[31mred\x1b[0m"]


def _spaces() -> list[str]:
    """Each space of Unicode at both ends and in the middle."""
    spaces = [chr(code) for code in range(0x20, 0x3001) if unicodedata.category(chr(code)) == "Zs"]
    return [f"{space}a{space}{space}b{space}" for space in spaces] + ["", " ", "\t", "   ", "\u3000"]


def _newlines() -> list[str]:
    """Each character or pair that some program takes for a line end: within, alone, and at the end."""
    ends = ["\n", "\r", "\r\n", "\n\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
    return [text for end in ends for text in (f"one{end}two", f"one{end}", end)] + ["\n\n\n", "a\n---\nb", "a\n...\nb"]


def _bidirectional() -> list[str]:
    marks = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    words = ["سمي", "ﷺ", "עברית ABC 123", 'מכתב,"ציטוט"', "الكل في المجمو عة (5)", "\u202egpj.exe", "\u2067a\u2069b"]
    return [f"a{mark}b" for mark in marks] + words


def _invisible() -> list[str]:
    marks = [0xAD, 0x34F, 0x180E, 0x200B, 0x200C, 0x200D, 0x2060, 0x2064, 0xFE0F, 0xFEFF, 0xFFF9, 0xFFFC, 0xFFFD]
    others = ["\ufefftitle", "\ufeff", "ï»¿title", "\ufffe", "\uffff", "\U000e0001\U000e0041"]
    return [f"a{chr(code)}b" for code in marks] + others


def _surrogates() -> list[str]:
    """Halves of pairs, as broken escapes of JSON leave them. No text of UTF-8 can hold them."""
    return ["\ud800", "\udbff", "\udc00", "\udfff", "a\ud83db", "\udc69\ud83d", "x\udc80y", "\ud83d\ud83d", "=\udcff"]


def _scripts() -> list[str]:
    """Combining characters, characters beyond the basic plane, joined ones, and those that change with their case."""
    family = "\u200d".join("👩👩👧👦")
    tower = "Z" + "".join(chr(0x300 + step) for step in range(0x50))
    wide = "".join(chr(0xFF01 + step) for step in range(94))
    return [
        "e\u0301", "é", tower * 20, "가", "\u1100\u1161", "ﬃ", "😀", family * 50, "👍\U0001f3fd", "🇨🇳", "1\ufe0f\u20e3",
        "𝒳²", "𠮷野家", "\U00010000", "\U0010fffd", "\U0010ffff", "𒀀", wide, "ｱｲｳｴｵ", "울란바토르", "中文，标点。“引”",
        "简体", "İstanbul", "ıI", "ß ẞ", "ǆ", "ไทย", "हिन्दी", "9" * 40, "0x10", "½", "١٢٣", "1e3", "NULL", "#N/A",
    ]  # fmt: skip


def _formulas() -> list[str]:
    """What a spreadsheet would calculate, send or run."""
    starts = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "|", "%", "'", '"=', "'=", " =", ";="]
    bodies = ["1+1", 'HYPERLINK("http://a.example","x")', "cmd|' /C calc'!A0"]
    whole = [
        "=", "+", "-", "@", "--", "-1", "+86 10 5555", "-1e5", "=A1", "''", "'", "'text", "'=1", "''=1", "@user: hi",
    ]  # fmt: skip
    return [start + body for start in starts for body in bodies] + whole


def _csv() -> list[str]:
    return [
        '"', '""', '"""', ",", ",,", ";", "a,b", 'a"b', '"a"', '"a', 'a"', 'a","b', '"\n"', '",\n"', "a\nb,c\r\nd",
        "\\", '\\"', "\\N", '"\r', "a\t b", "sep=;", "#comment", "a|b", '\n"\n', ',"",', "ID", "a'b",
    ]  # fmt: skip


def _json() -> list[str]:
    return [
        "{}", "[]", '{"a": 1}', '{"task": "t"', '"canonical_url": "http://a.example/1"', '\\u0041', "\\ud800", "\\n",
        '\\"', "\\\\", "/", "<\\/script>", '\n{"task": "x", "canonical_url": "u", "version": 1}\n', "]}", "NaN", "-0",
        "Infinity", "1e999", "\x7f\\x7f", '{"$ref": "#"}', '{"__proto__": {}}',
    ]  # fmt: skip


def _yaml() -> list[str]:
    return [
        "null", "Null", "NULL", "~", "true", "True", "false", "yes", "Yes", "NO", "no", "on", "off", "y", "n", "Y",
        "N", ".inf", "-.inf", ".nan", "<<", "=", "!!str", "---", "...", "--- a", "# a", "a # b", "a: b", ": a", "a:",
        "- a", "-", "? a", "& a", "&a", "*a", "!a", "!!python/x", "|", ">", "|-", "> a", "%YAML 1.2", "@a", "`a`",
        "[a", "{a", "a]", "a}", "'a", '"a', "a\n  b: c", "a\n---\nb: c", "0o17", "0x1F", "1_000", "12:30:45",
        "2026-03-12", "2026-03-12T08:30:00Z", "1.5e3", ".5", "title: x\ntags: [y]",
    ]  # fmt: skip


def _injections() -> list[str]:
    """Pieces of SQL, HTML, shells, templates, headers, log lines and format strings."""
    return [
        "'; DROP TABLE articles; --", "' OR '1'='1", "1; SELECT 1", "Robert'); --", "%' ESCAPE '\\", "a_b%c", "$1",
        ":name", "?", "%s", "%(a)s", "%n%n%x", "{}", "{0}", "{task}", "{title}", "{date:%Y}", "{0.__class__}",
        "${HOME}", "$HOME", "$(id)", "`id`", "; id", "| id", "&& id", "> /tmp/x", "* ? [a]", "!!", "~", "-rf",
        "--help", "{{7*7}}", "{% x %}", "#{7*7}", "<%= 7*7 %>", "${7*7}", "{{constructor}}",
        "<script>alert(1)</script>", "<img src=x onerror=x>", "</title>", "<!--", "-->", "<![CDATA[", "]]>",
        "<?xml version='1.0'?>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&lt;", "&#0;", "&", "<", "&amp;amp;",
        "\" onmouseover=\"x", "javascript:alert(1)", "http://a.example/?a=1&b=2#c", "a\r\nSet-Cookie: b=c",
        "WARC/1.1\r\nWARC-Type: response\r\n\r\n", "\n\nHTTP/1.1 200 OK", "[a](javascript:x)", "![a](b)", "# a",
        "> a", "```", "*a*", "<a>b</a>", "\\", "(?:(a+)+)$", "[[a]]", "::: a", "$$x$$",
    ]  # fmt: skip


def _paths() -> list[str]:
    return [
        ".", "..", "../", "../../etc/passwd", "/etc/passwd", "/", "//", "a/../../b", "..\\..\\b", "C:\\a", "\\\\a\\b",
        "~root", "CON", "NUL", "aux.md", "a.", "a ", " a", ".hidden", "...", "a/b", "a\\b", "a:b", "a*b?", "a|b", "-",
        "-a", "%2e%2e%2f", "%00", "a\x00.md", "/dev/null", "file:///etc", "\uff0e\uff0e\uff0f", "a\u2215b",
        "..%c0%af", "a.md", "a.md.md",
    ]  # fmt: skip


def _long() -> list[str]:
    """Long words and long lines, at and around powers of two."""
    sizes = [63, 64, 65, 79, 80, 81, 127, 128, 254, 255, 256, 257, 1023, 1024, 4095, 4097, 65535, 65537]
    return ["x" * size for size in sizes] + ["长" * 27, "长" * 86, "长" * 30_000, "👩" * 5000, "a " * 40_000, "ß" * 41]


_GROUPS = (
    _controls, _spaces, _newlines, _bidirectional, _invisible, _surrogates, _scripts, _formulas, _csv, _json, _yaml,
    _injections, _paths, _long,
)  # fmt: skip
NAUGHTY: tuple[str, ...] = tuple(dict.fromkeys(text for group in _GROUPS for text in group()))


def long_title() -> str:
    """Return a title of 1,000,000 characters, of one to four bytes each."""
    return ("Title 题目 😀 é " * (LONG_TITLE_LENGTH // 10))[:LONG_TITLE_LENGTH]


def as_stored(text: str) -> str:
    """Return what an output keeps of a text: each lone surrogate becomes "?"."""
    return text.encode("utf-8", "replace").decode()


def naughty_rows(task: str = TASK, *, long: bool = True) -> Iterator[Row]:
    """Yield a complete row for each string, fetched within nine minutes; `long`: then one with the long title."""
    for number, text in enumerate([*NAUGHTY, *([long_title()] if long else [])]):
        yield naughty_row(number, text, task)


def naughty_row(number: int, text: str, task: str = TASK) -> Row:
    """Return a complete row that holds a text in each field that pages fill with words."""
    url = f"http://naughty.example/{number}"
    article = Article(
        text=f"{text}\n\nbody {number}",
        blocks=(Block("paragraph", text), Block("paragraph", f"body {number}")),
        method="density",
        confidence=0.5,
        reason="for a test",
        title=text,
        author=text[:100_000],
        keywords=(text[:100_000], "plain"),
        language="en",
    )
    fetched_at = datetime(2026, 3, 12, 8, 30, tzinfo=UTC) + timedelta(seconds=number)
    return row_of(article, task=task, url=f"{url}?x", canonical_url=url, fetched_at=fetched_at)
