"""Tiny screenshots, written without any picture library: a page of prose is a block, a list is stripes."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def png(grey: NDArray[np.uint8], claimed: tuple[int, int] | None = None) -> bytes:
    """An 8-bit grey PNG; `claimed` (width, height) makes its header lie."""
    height, width = grey.shape
    header = struct.pack(">IIBBBBB", *(claimed or (width, height)), 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def article(number: int = 0) -> NDArray[np.uint8]:
    """A grey block on white, a little lower for each number."""
    grey = np.full((112, 112), 255, np.uint8)
    grey[10 + number : 80 + number, 20:90] = 120
    return grey


def listing(number: int = 0) -> NDArray[np.uint8]:
    """Dark stripes on white, a little lower for each number."""
    grey = np.full((112, 112), 255, np.uint8)
    grey[10 + number : 100 : 12, 20:90] = 0
    return grey


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
