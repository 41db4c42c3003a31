"""Files beside an output that were moved aside, as by `logrotate`, including compressed ones.

out.jsonl.1   out.jsonl-20270131   out.jsonl.2.gz   out.jsonl-20270130.zst
"""

import bz2
import fnmatch
import gzip
import io
import lzma
import tempfile
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import zstandard

CHUNK = 1 << 20  # bytes
ENDINGS = (".*", "-[0-9]*")  # the ends of their names, as patterns of `glob`
COMPRESSED = (".gz", ".zst", ".xz", ".bz2")
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError)  # errors of a damaged compressed file


def files_of(pattern: str) -> set[Path]:
    """Return the files whose paths match a pattern of `glob`, and the files beside them that had such a name.

    `out.jsonl.gz` is another output, not one of `out.jsonl`.
    """
    top = Path(pattern).anchor
    found = {file for ending in ("", *ENDINGS) for file in Path(top).glob(pattern.removeprefix(top) + ending)}
    return {file for file in found if file.is_file() and not _is_compressed_output(file, pattern)}


def _is_compressed_output(file: Path, pattern: str) -> bool:
    return file.suffix in COMPRESSED and fnmatch.fnmatchcase(str(file.with_suffix("")), pattern)


def opened(path: Path) -> io.BufferedIOBase:
    """Open a file for reading its content, decompressed if it is compressed.

    Raises `OSError`; reading raises one of `DAMAGE` where the content is damaged.
    """
    with path.open("rb") as file:
        start = file.read(6)
    if start.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(path)
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True))
    if start.startswith(b"\xfd7zXZ"):
        return lzma.LZMAFile(path)
    if start.startswith(b"BZh"):
        return bz2.BZ2File(path)
    return path.open("rb")


def unpacked(path: Path) -> tuple[IO[bytes], Exception | None]:
    """Return an unnamed temporary file with the content of a compressed file, and the error at a damaged end, or None.

    Raises `OSError` if the file cannot be read, or the temporary one cannot be written.
    """
    damage: Exception | None = None
    with ExitStack() as stack:
        copy = stack.enter_context(tempfile.TemporaryFile(prefix="exemplar-"))
        try:
            with opened(path) as file:
                while part := file.read1(CHUNK):  # `read` would lose the data before the damage
                    copy.write(part)
        except DAMAGE as error:
            if isinstance(error, OSError) and error.errno:
                raise
            damage = error
        copy.flush()
        stack.pop_all()  # the caller closes it
    return copy, damage
