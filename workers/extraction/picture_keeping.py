"""Pictures of articles that a task keeps beside its outputs (`pictures: keep`).

    row ─▶ want_pictures ─▶ ledger of pictures ─▶ spider, gates ─▶ inbox ─▶ keep_pictures ─▶ a file beside each output

The addresses are in a ledger of their own, whose states, attempts and leases are those of the pages: a picture is
`written` once its file is complete in each folder, and a killed process loses none. An article waits for no picture.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from ..errors import OutputError, SinkUnavailable
from ..extraction_config import ExtractionConfig
from ..keys import pictures_of
from ..ledger import Ledger
from ..page_store import unpack
from ..picture_links import file_name, pictures_in
from ..reporting.worker_reports import Watch, WorkerTimes
from ..rows import Row
from ..sinks import ObjectStore
from ..sinks.picture_folder import open_folders
from ..url_states import Fingerprint, Found, PageLease
from ..writing.outputs import options_of

RANK = -1.0  # all are equal; a spider leases ranks below 0 without a bound on their number


def want_pictures(ledger: Ledger, row: Row) -> None:
    """Let the pictures of a row wait to be fetched, unless they are known. `ledger`: that of the task."""
    pictures = Ledger(ledger.redis, pictures_of(ledger.task))
    pictures.add(Found(url, RANK) for url in pictures_in(row.get("html") or ""))


def keep_pictures(
    ledger: Ledger,
    names: Sequence[Fingerprint],
    config: ExtractionConfig,
    worker: str,
    watch: Watch,
    times: WorkerTimes,
) -> str:
    """Store the fetched pictures of one job; return why they cannot be stored now, else "". They are then tried again.

    `ledger`: that of the pictures; `config`: of their task.
    """
    problem = ""
    outputs = {output: options_of(config, output) for output in config.outputs}
    with ExitStack() as opened:
        try:
            folders = open_folders(outputs, config.task, Path(config.folder))
        except OutputError as error:
            ledger.postpone(names, times.task_pause, str(error))
            return str(error)
        for store, _ in folders:
            opened.callback(store.close)
        for lease in chain.from_iterable(ledger.take_all(names, worker, seconds=times.page_lease)):
            watch.writing(ledger.task, [lease.fingerprint], times.write_deadline)
            try:
                problem = problem or _store(folders, lease)
            except ValueError as error:
                ledger.settle(lease.fingerprint, "failed", str(error), worker=worker)
            if problem:
                ledger.release(lease.fingerprint, worker, times.sink_pause, problem)
            else:  # nothing happens if it has failed
                ledger.settle(lease.fingerprint, "written", "", worker=worker)
                watch.wrote(ledger.task)
            watch.end()
    return problem


def _store(folders: Sequence[tuple[ObjectStore, str]], lease: PageLease) -> str:
    """Store a picture in all folders; return why that is impossible now, else "". `ValueError`: it is damaged."""
    picture = unpack(lease.page).body
    try:
        for store, place in folders:
            store.put(f"{place}/{file_name(lease.url)}", picture, is_again=lease.again)
    except (SinkUnavailable, OutputError) as error:
        return str(error)
    return ""
