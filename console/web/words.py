"""Texts and queries as words of a full-text index, Chinese too.

Chinese text has no spaces, so each run of characters becomes overlapping pairs and its last character:

    自然语言 → 自然 然语 语言 言

A query of two or more characters is a phrase of pairs and matches any part of a text; a single character is the
beginning of a pair. Other words are those of Unicode, without case.
"""

import re

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_QUERY = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')
MOST_WORDS = 12  # words of a query
MOST_LETTERS = 60  # letters of a word


def words_of(text: str) -> str:
    """Return the words of a text, separated by blanks."""
    words: list[str] = []
    for run in _RUN.findall(text.lower()):
        if _is_cjk(run):
            words += [run[place : place + 2] for place in range(len(run))]
        else:
            words.append(run[:MOST_LETTERS])
    return " ".join(words)


def match_of(query: str) -> str:
    """Return a query as an FTS5 expression: all words, "a phrase", -without; empty if it has no word."""
    wanted: list[str] = []
    unwanted: list[str] = []
    for minus, quoted, plain in _QUERY.findall(query)[:MOST_WORDS]:
        phrase = _phrase(quoted or plain)
        if phrase:
            (unwanted if minus else wanted).append(phrase)
    if not wanted:
        return ""
    text = " AND ".join(wanted)
    return f"({text}) NOT ({' OR '.join(unwanted)})" if unwanted else text


def _phrase(text: str) -> str:
    runs = _RUN.findall(text.lower())
    if not runs:
        return ""
    words = words_of(" ".join(runs[:-1])).split()
    last, is_start = runs[-1], False
    if not _is_cjk(last):
        words.append(last[:MOST_LETTERS])
    elif len(last) == 1:
        words.append(last)
        is_start = True
    else:
        words += [last[place : place + 2] for place in range(len(last) - 1)]
    quoted = '"' + " ".join(words) + '"'
    return f"{quoted} *" if is_start else quoted


def _is_cjk(run: str) -> bool:
    return re.match(f"[{_CJK}]", run) is not None


SNIPPET = 180  # characters of a snippet


def snippet(text: str, query: str) -> list[tuple[str, bool]]:
    """Return a part of a text around the first match of a query, as pieces; True: the piece matches."""
    plain = " ".join(text[:200_000].split())
    words = [quoted or word for _, quoted, word in _QUERY.findall(query)[:MOST_WORDS]]
    parts = [part for word in words if _RUN.search(word) for part in (word, *_RUN.findall(word))]
    wanted = "|".join(re.escape(part) for part in sorted(set(parts), key=len, reverse=True))
    pattern = re.compile(wanted or "(?!)", re.IGNORECASE)
    first = pattern.search(plain)
    start = max(0, first.start() - SNIPPET // 3) if first else 0
    piece = plain[start : start + SNIPPET]
    pieces: list[tuple[str, bool]] = [("…", False)] if start else []
    end = 0
    for match in pattern.finditer(piece):
        pieces += [(piece[end : match.start()], False), (match[0], True)]
        end = match.end()
    rest = "…" if start + SNIPPET < len(plain) else ""
    return [*pieces, (piece[end:] + rest, False)]
