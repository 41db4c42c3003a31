"""Deliveries whose processes are killed while the store goes away and comes back: no row lost, none twice, none half.

`EXEMPLAR_TEST_KILLS=20 EXEMPLAR_TEST_ROWS=5000 pytest tests/workers/test_store_kills.py` runs the long form.
"""

import io
import multiprocessing
import os
import random
import signal
import threading
import time
from contextlib import contextmanager

import pyarrow.parquet as pq
import pytest

from workers.errors import SinkUnavailable
from workers.rows import key_of
from workers.sinks import RowBatch, open_sink

from .batch_sink_suite import keys
from .sink_suite import row
from .store_servers import s3_server
from .test_parquet import rows_of
from .test_stores import lines

ROWS = int(os.environ.get("EXEMPLAR_TEST_ROWS", "500"))
KILLS = int(os.environ.get("EXEMPLAR_TEST_KILLS", "4"))
BATCH_ROWS, COME_AGAIN = 50, 5
PLACES = ("{task}/", "{task}.parquet", "{task}/ sftp", "{task}.jsonl.zst s3", "{task}.parquet s3")


def batches():
    """Batches that share rows: each has some rows of the one before, which may be there."""
    rows = [row(number, text=f"{number} " * 400) for number in range(ROWS)]
    for start in range(0, ROWS, BATCH_ROWS):
        again = rows[max(0, start - COME_AGAIN) : start]
        yield RowBatch(f"{start:032x}", again + rows[start : start + BATCH_ROWS], frozenset(map(key_of, again)))


class FolderPlace:
    """Files of this machine. It goes away by another name of the folder."""

    kill_within = 0.4

    def __init__(self, folder, form):
        self.folder = folder
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
        (self.folder / "out").mkdir(exist_ok=True)
        (self.folder / "out").rename(self.folder / "aside")
        (self.folder / "out").write_text("")
        yield
        (self.folder / "out").unlink()
        (self.folder / "aside").rename(self.folder / "out")


class SftpPlace(FolderPlace):
    """The same through an SFTP server."""

    kill_within = 0.8

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

    kill_within = 3.0

    def __init__(self, server, form):
        self.server, self.bucket = server, server.bucket()
        self.output = f"s3://{self.bucket}/{form}"

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
def place(request, tmp_path, monkeypatch):
    form, _, store = request.param.partition(" ")
    if store == "s3":
        with s3_server() as server:
            for name, value in server.environment(server.endpoint).items():
                monkeypatch.setenv(name, value)
            yield S3Place(server, form)
    else:
        server = request.getfixturevalue("sshd") if store == "sftp" else None
        yield SftpPlace(tmp_path, form, server) if server else FolderPlace(tmp_path, form)


def rows_in(name, data):
    """The rows of an object. Raises an error if it is not complete."""
    return rows_of(pq.read_table(io.BytesIO(data))) if name.endswith(".parquet") else lines(name, data)


class Reader(threading.Thread):
    """Reads all objects again and again; each must be complete and, once there, stay as it is."""

    def __init__(self, place):
        super().__init__(daemon=True)
        self.place, self.ends, self.problems, self.rounds, self.seen = place, threading.Event(), [], 0, {}

    def run(self):
        while not self.ends.wait(0.05):
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


def deliver(place, done):
    """Deliver what is not delivered; the first batch, and one that failed, may be there."""
    sink = place.open()
    is_again = True
    for one in list(batches())[done.value :]:
        while True:
            again = frozenset(map(key_of, one.rows)) if is_again else one.again
            try:
                sink.write(RowBatch(one.id, one.rows, again))
            except SinkUnavailable:
                is_again = True
                time.sleep(0.1)
                continue
            break
        done.value += 1
        is_again = False


@pytest.mark.timeout(900)
@pytest.mark.parametrize("place", PLACES if KILLS >= 20 else PLACES[:4], indirect=True)
def test_killed_deliveries_leave_each_row_once_and_no_object_half(place):
    chance = random.Random(7)
    context = multiprocessing.get_context("fork")
    done = context.Value("i", 0)
    place.open().check()
    reader = Reader(place)
    reader.start()
    kills = 0
    while done.value * BATCH_ROWS < ROWS:
        process = context.Process(target=deliver, args=(place, done), daemon=True)
        process.start()
        if kills in (KILLS // 3, 2 * KILLS // 3):
            time.sleep(chance.uniform(0, place.kill_within))
            with place.away():
                time.sleep(1)
        if kills < KILLS:
            process.join(chance.uniform(0.02, place.kill_within))
            if process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
        process.join()
    reader.ends.set()
    reader.join(60)
    found = [one for name, data in place.objects().items() for one in rows_in(name, data)]
    print(f"{len(found)} rows, {kills} kills, {reader.rounds} rounds of the reader")
    assert keys(found) == sorted(key_of(row(number)) for number in range(ROWS))
    assert (reader.problems, kills > 0, reader.rounds > 0) == ([], True, True)
