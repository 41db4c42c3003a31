"""Deliveries whose processes are killed while the store goes away and comes back: no row lost, none twice, none half.

`EXEMPLAR_TEST_KILLS=100 pytest tests/workers/sinks/test_store_kills.py` runs a long form.
"""

import io
import os
import threading
from contextlib import contextmanager

import pyarrow.parquet as pq
import pytest

from tests.workers.batch_sink_suite import keys
from tests.workers.kills import deliver_with_kills
from tests.workers.sink_suite import row
from tests.workers.sinks.test_parquet import rows_of
from tests.workers.sinks.test_stores import lines
from workers.rows import key_of
from workers.sinks import RowBatch, open_sink

KILLS = int(os.environ.get("EXEMPLAR_TEST_KILLS", "3"))
BATCH_ROWS, COME_AGAIN = 20, 5
PLACES = ("{task}/", "{task}.parquet", "{task}/ sftp", "{task}.jsonl.zst s3", "{task}.parquet s3")


def batch_of(number):
    """A batch that has some rows of the one before, which may be there."""
    again = [_row(number * BATCH_ROWS - one) for one in range(COME_AGAIN, 0, -1) if number]
    rows = [_row(number * BATCH_ROWS + one) for one in range(BATCH_ROWS)]
    return RowBatch(f"{number:032x}", again + rows, frozenset(map(key_of, again)))


def _row(number):
    return row(number, text=f"{number} " * 400)


class FolderPlace:
    """Files of this machine. A file is in the place of their folder while it is away, from one moment to the next."""

    def __init__(self, folder, form):
        self.folder = folder
        (folder / "files").mkdir()
        (folder / "out").symlink_to("files")
        self.output = f"{'' if form.endswith('.parquet') else f'file://{folder}/'}out/{form}"

    def open(self):
        return open_sink(self.output, "t", self.folder)

    def objects(self):
        """The bytes of all objects by name, as a reader sees them; those that a move hides meanwhile are left out."""
        found = {}
        for path in sorted((self.folder / "out").rglob("[!.]*")):
            try:
                if path.is_file():
                    found[str(path)] = path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                continue
        return found

    @contextmanager
    def away(self):
        (self.folder / "file").write_text("")
        self._lead_to("file")
        yield
        self._lead_to("files")

    def _lead_to(self, name):
        (self.folder / "new").symlink_to(name)
        (self.folder / "new").rename(self.folder / "out")


class SftpPlace(FolderPlace):
    """The same through an SFTP server."""

    def __init__(self, folder, form, server):
        super().__init__(folder, form)
        self.server = server
        options = f"?key={server.key}&known_hosts={server.known_hosts}"
        self.output = f"sftp://{server.user}@127.0.0.1:{server.port}{folder}/out/{form}{options}"

    @contextmanager
    def away(self):
        self.server.stop()
        yield
        self.server.start()


class S3Place:
    """A bucket."""

    def __init__(self, server, bucket, form):
        self.server, self.bucket = server, bucket
        self.output = f"s3://{bucket}/{form}"

    def open(self):
        return open_sink(self.output, "t", None)

    def objects(self):
        return self.server.objects(self.bucket)

    @contextmanager
    def away(self):
        self.server.gate.close()
        yield
        self.server.gate.open()


@pytest.fixture
def place(request, tmp_path):
    form, _, store = request.param.partition(" ")
    if store == "s3":
        return S3Place(request.getfixturevalue("s3"), request.getfixturevalue("bucket"), form)
    if store == "sftp":
        return SftpPlace(tmp_path, form, request.getfixturevalue("sshd"))
    return FolderPlace(tmp_path, form)


def rows_in(name, data):
    """The rows of an object. Raises an error if it is not complete."""
    return rows_of(pq.read_table(io.BytesIO(data))) if name.endswith(".parquet") else lines(name, data)


class Reader(threading.Thread):
    """Reads all objects again and again; each must be complete and, once there, stay as it is."""

    def __init__(self, place):
        super().__init__(daemon=True)
        self.place, self.ends, self.problems, self.rounds, self.seen = place, threading.Event(), [], 0, {}
        self._lock = threading.Lock()

    def run(self):
        while not self.ends.wait(0.2):
            self.look()

    def look(self):
        with self._lock:
            for name, data in self.place.objects().items():
                if self.seen.get(name) == data:
                    continue
                if name in self.seen:
                    self.problems.append(f"{name} changed")
                self.seen[name] = data
                try:
                    rows_in(name, data)
                except Exception as error:
                    self.problems.append(f"{name}: {error!r}")
            self.rounds += 1


@pytest.mark.timeout(900)
@pytest.mark.parametrize("place", PLACES if KILLS >= 20 else PLACES[:4], indirect=True)
def test_killed_deliveries_leave_each_row_once_and_no_object_half(place):
    reader = Reader(place)
    reader.start()
    rows = deliver_with_kills(place.open, batch_of, kills=KILLS, away=place.away, outage=1.0, after_kill=reader.look)
    reader.ends.set()
    reader.join(60)
    found = [one for name, data in place.objects().items() for one in rows_in(name, data)]
    print(f"{len(found)} rows, {KILLS} kills, {reader.rounds} rounds of the reader")
    assert keys(found) == keys(rows)
    assert (reader.problems, reader.rounds > 0) == ([], True)
