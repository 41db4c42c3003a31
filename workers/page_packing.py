"""The compression of kept pages: pages that are written together form one block, packed with earlier pages.

A block is one zstd frame. Its dictionary is the raw content of earlier blocks, because pages of one section share most
of their bytes; they compress much better than with only the example as dictionary. Dictionaries are not stored: they
are lists of blocks. A dictionary is used for the blocks of one period only, which begins without one, so that no block
is needed for much longer than its own pages.
"""

from collections.abc import Callable, Sequence

import zstandard

from .page_store import unpack_body

# Of zstd. Level 19 takes 9 to 17 ms per page, as long as an extraction, to save a tenth of the disk (decision 38).
LEVEL = 9
LARGEST_DICTIONARY = 2**20  # bytes; 4 MB take much longer to prepare, and save little
GROWTH = 2  # a dictionary is replaced when the period has this many times its bytes

Dictionary = tuple[int, ...]  # ids of blocks, in order


class Packer:
    """Packs and unpacks blocks; `raw`: returns the raw bytes of a block. Not for several threads.

    Only one packer of a process keeps its tables: they take up to 50 MB, and a worker has many tasks.
    """

    _last: "Packer | None" = None

    def __init__(self, raw: Callable[[int], bytes]):
        self._raw = raw
        self._compressor: tuple[Dictionary, zstandard.ZstdCompressor] | None = None
        self._shared: tuple[Dictionary, zstandard.ZstdCompressionDict] | None = None

    def pack(self, raw: bytes, dictionary: Dictionary) -> bytes:
        """Return the frame of a block's raw bytes."""
        if Packer._last is not self and Packer._last is not None:
            Packer._last.forget()
        Packer._last = self
        if self._compressor is None or self._compressor[0] != dictionary:
            shared = self._dictionary(dictionary)
            if shared is not None:
                shared.precompute_compress(level=LEVEL)
            compressor = zstandard.ZstdCompressor(level=LEVEL, dict_data=shared, write_checksum=True)
            self._compressor = dictionary, compressor
        return self._compressor[1].compress(raw)

    def unpack(self, packed: bytes, dictionary: Dictionary, *, largest: int) -> bytes:
        """Return the raw bytes of a frame. Raises `ValueError` or `zstandard.ZstdError` if it is damaged."""
        return unpack_body(packed, self._dictionary(dictionary), largest=largest)

    def forget(self) -> None:
        """Free dictionaries and tables."""
        self._compressor = self._shared = None

    def _dictionary(self, dictionary: Dictionary) -> zstandard.ZstdCompressionDict | None:
        if not dictionary:
            return None
        if self._shared is None or self._shared[0] != dictionary:
            content = b"".join(self._raw(block) for block in dictionary)[-LARGEST_DICTIONARY:]
            self._shared = dictionary, zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        return self._shared[1]


def next_dictionary(blocks: Sequence[tuple[int, int]], present_size: int) -> Dictionary | None:
    """Return the dictionary that replaces one of `present_size` bytes; None if that one stays in use.

    `blocks`: id and raw size of the period's blocks, in order.
    """
    total = sum(size for _, size in blocks)
    if not blocks or present_size >= LARGEST_DICTIONARY or total < GROWTH * present_size:
        return None
    chosen: list[int] = []
    size = 0
    for block, raw_size in reversed(blocks):
        if size >= LARGEST_DICTIONARY:
            break
        chosen.append(block)
        size += raw_size
    return tuple(reversed(chosen))
