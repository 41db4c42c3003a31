"""The site's only image, drawn in code: a river between two banks under an evening sky."""

import struct
import zlib

WIDTH, HEIGHT = 480, 200  # pixels
SKY, HILL, WATER, BANK = (236, 205, 170), (120, 132, 118), (126, 158, 176), (94, 104, 82)


def river_png() -> bytes:
    """Return the image as an 8-bit RGB PNG."""
    rows = b"".join(b"\0" + b"".join(bytes(_colour(x, y)) for x in range(WIDTH)) for y in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _colour(x: int, y: int) -> tuple[int, int, int]:
    hill_top = 70 + abs(x - 170) // 6 - x // 40
    if y > 165 - x // 12:
        return BANK
    if y > 105:
        return tuple(min(255, part + (y * 7 + x // 9) % 11) for part in WATER)  # type: ignore[return-value]
    return HILL if y > hill_top else SKY


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
