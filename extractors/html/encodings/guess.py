"""The probable encoding of bytes, if none is declared: the best one of the detector chardet whose text is plausible.

Of short texts the detector is not sure; in a wrong encoding they have control characters, or letters of two scripts in
one word. Bytes that are (nearly) UTF-8 are recognised before, because no other encoding resembles UTF-8.
"""

import re

import chardet

from .declaration import encoding_of
from .decoders import REPLACEMENT, decode_as

# The detector's encodings: labels of the standard, and names of Python for encodings of the standard
_LABELS = """
    gb18030 iso8859-2 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-13 iso8859-15 koi8-r koi8-u
    cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 tis-620
"""
_NAMES = {label: str(encoding_of(label)) for label in _LABELS.split()} | {
    "big5hkscs": "big5", "cp932": "shift_jis", "shift_jis_2004": "shift_jis", "euc_jis_2004": "euc-jp",
    "cp949": "euc-kr", "euc_kr": "euc-kr", "cp874": "windows-874", "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
}  # fmt: skip
MULTI_BYTE = ("gb18030", "big5", "shift_jis", "euc-kr", "euc-jp")
CHINESE = ("gb18030", "big5")
# The most frequent Chinese characters, of both scripts: 31% of the non-ASCII characters of a Chinese page (median of
# 549 stored pages; 7% of a short menu), and at most 10% of those of a page that is read in a wrong encoding.
FREQUENT = frozenset(
    "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没"
    "日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长新月业分全市"
    "這來個國們為學對後發無開經頭動長業說時會過還見當"
)
USUAL = 0.15  # share of frequent characters from which a text is surely Chinese; chosen on these pages
RARE, WEIGHT_OF_RARE = "iso-8859-4", 0.7  # hardly any page has it, and short texts of other languages resemble it
DETECTED = 65_536  # bytes that the detector examines
MOSTLY = 0.95  # of the runs with non-ASCII bytes, which are not broken
SAMPLE = 1_500  # bytes of runs with non-ASCII bytes in which the text must be plausible
SURE, FAR = 0.1, 3.0  # least score of an encoding that contradicts a declaration, and its ratio to the declared one's
FEW = 8  # bytes, about four hanzi; fewer contradict no declaration
MAX_BROKEN = 0.01  # share of errors that a text may have in another encoding than the declared one
MIXED = 0.25  # of the runs, in which a letter of another script may stand beside a Latin one

_RUNS = re.compile(rb"[A-Za-z]?[\x80-\xff][0-9@-~\x80-\xff]*")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_CONTROL = re.compile(r"[\x80-\x9f]")
_TWO_SCRIPTS = re.compile(r"[A-Za-z](?=[\u0370-\u0eff])|[\u0370-\u0eff](?=[A-Za-z])")


def guess(data: bytes) -> str:
    """Return the name of the most likely encoding of bytes that are not UTF-8."""
    scores = _scores(data)
    runs = telling(data, DETECTED).split(b"\n")
    for name in MULTI_BYTE:  # one broken byte is enough for the detector to exclude them
        whole = [run for run in runs if REPLACEMENT not in decode_as(run, name)]
        if MOSTLY * len(runs) < len(whole) < len(runs):
            scores[name] = max(_scores(b"\n".join(whole)).get(name, 0), scores.get(name, 0))
    sample = telling(data, SAMPLE)
    best = sorted(scores, key=scores.__getitem__, reverse=True)
    return next((name for name in best if name in MULTI_BYTE or _is_plausible(decode_as(sample, name))), "windows-1252")


def far_likelier(sample: bytes, declared: str) -> str | None:
    """Return the encoding in which bytes are much more likely a text than in the declared one; None if there is none.

    `sample`: runs with non-ASCII bytes, as `telling` returns them.
    """
    if len(sample) < FEW or (declared in CHINESE and _is_chinese(decode_as(sample, declared))):
        return None  # the detector takes two milliseconds
    scores = _scores(sample)
    best = max(scores, key=scores.__getitem__, default=declared)
    known = declared.removesuffix("-i")  # iso-8859-8-i differs from iso-8859-8 in the order of writing only
    is_sure = scores.get(best, 0) >= max(SURE, FAR * scores.get(known, 0))
    if not is_sure:
        return None
    text = decode_as(sample, best)
    is_whole = text.count(REPLACEMENT) <= MAX_BROKEN * len(sample)
    return best if is_whole and (best in MULTI_BYTE or _is_plausible(text)) else None


def _scores(data: bytes) -> dict[str, float]:
    """Return the encodings that the detector finds possible with its confidence, the surest first."""
    found = chardet.detect_all(
        data, ignore_threshold=True, compat_names=False, include_encodings=_NAMES, max_bytes=DETECTED
    )
    scores: dict[str, float] = {}
    for each in found:
        if name := _NAMES.get(str(each["encoding"])):
            scores.setdefault(name, each["confidence"] * (WEIGHT_OF_RARE if name == RARE else 1))
    return scores


def _is_chinese(text: str) -> bool:
    letters = "".join(_NOT_ASCII.findall(text))
    return sum(map(FREQUENT.__contains__, letters)) >= USUAL * len(letters)


def _is_plausible(text: str) -> bool:
    """Whether text, with one run in each line, has no control characters and seldom two scripts in one word."""
    runs = text.count("\n") + 1
    return not _CONTROL.search(text) and len(_TWO_SCRIPTS.findall(text)) <= MIXED * runs


def is_damaged_utf8(text: str, least: float) -> bool:
    """Whether text, decoded as UTF-8, has more than `least` characters per error: only a few bytes are broken."""
    whole = text.removesuffix(REPLACEMENT)  # a truncated page ends with an error
    errors = whole.count(REPLACEMENT)
    return sum(map(len, _NOT_ASCII.findall(whole))) - errors > least * errors


def telling(data: bytes, size: int) -> bytes:
    """Return the first runs with non-ASCII bytes, one per line, about `size` bytes in all.

    The rest adds no information.
    """
    runs, length = [], 0
    for found in _RUNS.finditer(data):
        runs.append(found[0][: size - length])
        length += len(runs[-1])
        if length >= size:
            break
    return b"\n".join(runs)
