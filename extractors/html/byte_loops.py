"""Loops that find what of a page must be changed before parsing. `dom` calls only their compiled form (`compiled`).

Without it `dom` searches with its expressions, which decide in both cases.
"""

from ..compiled import adopt

CONTROLS, REFERENCES, C1 = 1, 2, 4
ALL = CONTROLS | REFERENCES | C1
BLOCK = 4_096  # bytes that are compared together before the place of a match is determined …
STRIDE = 64  # … and of those in which a frequent sign is searched
FIRST_ALLOWED, LAST_ALLOWED, NOT_CONTROLS = 32, 126, 160  # bounds of the code points that are not control characters


def _kinds() -> bytes:
    """Return the kind of each byte: 1 white space, 2 slash, 3 quotation mark, 4 bracket, 5 equals sign, 0 others."""
    kinds = bytearray(256)
    for byte in (0x20, *range(0x09, 0x0E)):
        kinds[byte] = 1
    for byte, kind in ((0x2F, 2), (0x22, 3), (0x27, 3), (0x3C, 4), (0x3E, 4), (0x3D, 5)):
        kinds[byte] = kind
    return bytes(kinds)


KINDS_OF_BYTES = _kinds()


def needs(data: bytes) -> int:
    """Return what may have to be changed in a page, as a sum of flags: control characters (`CONTROLS`), references to
    them (`REFERENCES`), control characters of C1 (`C1`).
    """
    signs, end = data, len(data)
    found = begin = 0
    while begin < end:
        stop = begin + BLOCK if begin + BLOCK < end else end
        controls = references = c1 = 0
        # Without branches: compilers make these loops compare many bytes at once.
        for place in range(begin, stop):
            byte = signs[place]
            controls |= (byte < 32) & (byte != 9) & (byte != 10) & (byte != 13) | (byte == 127)
        if controls:
            return ALL  # once they are removed, the others may appear
        for place in range(begin, stop if stop < end else end - 1):
            references |= (signs[place] == 0x26) & (signs[place + 1] == 0x23)
            c1 |= (signs[place] == 0xC2) & (signs[place + 1] < 0xA0)
        if c1:
            found |= C1
        if references and not found & REFERENCES:
            for place in range(begin, stop if stop < end - 2 else end - 2):
                if signs[place] == 0x26 and signs[place + 1] == 0x23 and _may_be_control(signs, place + 2, end):
                    found |= REFERENCES
                    break
        begin = stop
    return found


def first_end(data: bytes) -> int:
    """Return where the first end tag of body or html may be, -1 if there is none."""
    signs, end = data, len(data) - 6
    begin = 0
    while begin < end:
        stop = begin + BLOCK if begin + BLOCK < end else end
        seen = 0
        for place in range(begin, stop):  # without branches, as above
            second, third = signs[place + 2] | 0x20, signs[place + 3] | 0x20
            name = ((second == 0x62) | (second == 0x68)) & ((third == 0x6F) | (third == 0x74))
            seen |= name & (signs[place] == 0x3C) & (signs[place + 1] == 0x2F)
        if seen:
            while begin < stop:
                second, third = signs[begin + 2] | 0x20, signs[begin + 3] | 0x20
                name = second in (0x62, 0x68) and third in (0x6F, 0x74)
                if name and signs[begin] == 0x3C and signs[begin + 1] == 0x2F:
                    return begin
                begin += 1
        begin = stop
    return -1


def _may_be_control(signs: bytes, place: int, end: int) -> bool:
    """Return whether the numeric reference whose `&#` ends before `place` may mean a control character."""
    base, value = 10, 0
    if signs[place] | 0x20 == 0x78:
        base = 16
        place += 1
    while place < end and value < NOT_CONTROLS:
        byte = signs[place]
        if 0x30 <= byte <= 0x39:
            value = value * base + byte - 0x30
        elif base == 16 and 0x61 <= byte | 0x20 <= 0x66:
            value = value * base + (byte | 0x20) - 0x57
        else:
            break
        place += 1
    return value < FIRST_ALLOWED or LAST_ALLOWED < value < NOT_CONTROLS


def has_overfull_tag(data: bytes, most: int) -> bool:
    """Return whether a tag has at least `most` attributes."""
    kinds, signs, end = KINDS_OF_BYTES, data, len(data)
    start = _next_bracket(signs, 0, end)
    while start < end - 1:
        if 0x61 <= signs[start + 1] | 0x20 <= 0x7A:
            place = start + 1
            while place < end and kinds[signs[place]] in (0, 3, 5):  # the tag's name
                place += 1
            count = 0
            while place < end and 1 <= kinds[signs[place]] <= 2:
                while place < end and 1 <= kinds[signs[place]] <= 2:
                    place += 1
                name = place
                while place < end and kinds[signs[place]] == 0:
                    place += 1
                if place == name:
                    break
                count += 1
                if count >= most:
                    return True
                place = _after_value(signs, kinds, place, end)
        start = _next_bracket(signs, start + 1, end)  # it may be inside a value
    return False


def _next_bracket(signs: bytes, place: int, end: int) -> int:
    """Return where the next `<` is, from `place` on; `end` if there is none."""
    while place + STRIDE <= end:
        seen = 0
        for ahead in range(place, place + STRIDE):  # without branches, as above
            seen |= signs[ahead] == 0x3C
        if seen:
            break
        place += STRIDE
    while place < end and signs[place] != 0x3C:
        place += 1
    return place


def _after_value(signs: bytes, kinds: bytes, place: int, end: int) -> int:
    """Return the end of the value of the attribute whose name ends before `place`; `place` if it has no value."""
    value = place
    while value < end and kinds[signs[value]] == 1:
        value += 1
    if value >= end or signs[value] != 0x3D:
        return place
    value += 1
    while value < end and kinds[signs[value]] == 1:
        value += 1
    if value >= end:
        return place
    sign = signs[value]
    if kinds[sign] == 3:
        value += 1
        while value < end and signs[value] != sign:
            value += 1
        return value + 1 if value < end else place
    begin = value
    while value < end and kinds[signs[value]] in (0, 2, 5):
        value += 1
    return value if value > begin else place


def trial() -> list[object]:
    """Return what the functions give for some bytes."""
    pages = [
        b"",
        b"<p>",
        b"\x01",
        b"&#x1f;&#8217;",
        b"&#39;&#160;",
        b"\xc2\x85",
        b"\xc2\xa0</BoDy>x",
        b"<p a b='>' c=d>",
    ]
    tags = [has_overfull_tag(page, count) for page in pages for count in (1, 2, 3, 4)]
    ends = [first_end(page) for page in pages]
    return [[needs(page) for page in pages], ends, tags, has_overfull_tag(b"<a b=\"<c d e=' f g", 3)]


adopt(globals())
