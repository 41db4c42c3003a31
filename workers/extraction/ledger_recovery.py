"""A ledger that lost its last second, or everything, is completed from the rows of the outputs.

Redis replies before a write is on its disk. After a restart it may have lost the record of written rows, and a worker
would write them again. So in each epoch of Redis (`workers.redis_access.epoch`) the first worker that writes to an
output reads its newest rows, while it holds it, until enough consecutive rows are in the ledger. With an emptied Redis
it reads the whole output.

A recovery may be interrupted, and each output may have rows that others lack. So a row that a recovery has added does
not count among those consecutive rows while an output has not been read to the end since. Recoveries are numbered: the
step that adds rows gives them the number of the present one, and notes the first one for all outputs of the task
(`unhealed`); the end of the recovery from an output removes that note.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date, datetime
from itertools import chain
from typing import Any, Literal, cast

from .. import keys
from ..errors import SinkUnavailable
from ..extraction_config import ExtractionConfig
from ..ledger import Ledger, day_code
from ..redis_access.epoch import current_epoch
from ..redis_access.full_redis import even_when_full
from ..redis_access.redis_clock import day_at
from ..sinks import WrittenRow, is_queued
from ..task_state.forgetting import batches, has_forgotten
from ..url_states import Fingerprint, fingerprint, recovered_recheck
from ..writing.outputs import Output

KNOWN_IN_A_ROW = 1000  # consecutive rows that must be in the ledger; in one second fewer rows are written
IN_DOUBT = 20_000  # newest rows of a task; some of them may have waited for delivery when Redis lost them
OTHERS_IN_A_ROW = 20_000  # consecutive rows of other tasks in the same file, after which one known row is enough
UNKNOWN, KNOWN, LEARNT = 0, 1, 2  # answers of `record_written`; learnt: only known from an output

Action = Literal["record", "deliver", ""]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The pages that a worker still holds, each with the outputs that have its rows, and the epoch of Redis."""

    epoch: str
    delivered: Mapping[Fingerprint, frozenset[str]]


def confirm(ledger: Ledger, pages: Mapping[Fingerprint, Sequence[str]], worker: str, *, seconds: float) -> Confirmed:
    """Extend a worker's leases of pages to `seconds` from now; return those that it still holds.

    `pages`: for each the names of the outputs that have its rows already; they are kept with the page, in addition to
    those that another worker noted. The epoch is read after the leases: leases of the same epoch as the rows that were
    compared cannot have been given twice.
    """
    args = [part for name, outputs in pages.items() for part in (name, json.dumps(list(outputs), ensure_ascii=False))]
    pipe = ledger.redis.pipeline(transaction=False)  # in this order; without MULTI, which a full Redis refuses
    ledger.step("renew", worker, ledger.clock() + seconds, *args, pipe=pipe)
    pipe.hget(keys.EPOCH, "id")
    answers, epoch = cast("tuple[list[bytes | None], bytes | None]", pipe.execute())
    delivered = {
        name: frozenset(json.loads(answer)) for name, answer in zip(pages, answers, strict=True) if answer is not None
    }
    return Confirmed(epoch.decode() if epoch else current_epoch(ledger.redis), delivered)


def heal(
    ledger: Ledger,
    config: ExtractionConfig,
    output: Output,
    outputs: Sequence[Output],
    epoch: str,
    progress: Callable[[], None],
) -> int:
    """Add the rows of an output that this process holds to the ledger; return how many were missing in it.

    A row counts as written if all `outputs` have it, else as delivered to those that do. If the task has queued
    outputs, too, the newest rows only count as delivered: Redis may have lost the rows that waited. The same applies if
    an output gets only some of the rows. Written rows are rechecked again. Nothing happens if a process has done this
    in the same epoch, or if the ledger forgets old URLs by its setting: then each row is looked up when it is written.
    `config` is the caller's own: an emptied Redis has none yet. `progress` is called before each step. Raises
    `SinkUnavailable`.
    """
    if output.healed_in == epoch:
        return 0
    healed = keys.of_task(ledger.task, "healed")
    learnt = 0
    known = cast("bytes | None", ledger.redis.hget(healed, output.name))
    if (known is None or known.decode() != epoch) and not has_forgotten(ledger):
        even_when_full(ledger.redis, "SADD", keys.LEDGERS, ledger.task)
        learnt = _Recovery(ledger, config, output, outputs).run(progress)
        even_when_full(ledger.redis, "HDEL", ledger.keys["unhealed"], output.name)
    even_when_full(ledger.redis, "HSET", healed, output.name, epoch)
    output.healed_in = epoch
    return learnt


class _Recovery:
    """The recovery of a ledger from one output of its task. `outputs`: all file outputs."""

    def __init__(self, ledger: Ledger, config: ExtractionConfig, output: Output, outputs: Sequence[Output]):
        self.ledger, self.output, self.outputs = ledger, output, outputs
        self.tasks = config.names or (ledger.task,)  # earlier rows may have a former name of the task
        self.revisit = config.revisit
        self.has_queues = any(is_queued(name, ledger.task) for name in config.outputs)
        self.names = [output.name, _listed(sorted({output.name, *(other.name for other in outputs)}))]

    def run(self, progress: Callable[[], None]) -> int:
        learnt, known_in_a_row, read_in_a_row, own_rows = 0, 0, 0, 0
        for rows in batches(chain.from_iterable(map(self.output.sink.newest, self.tasks))):
            progress()
            own = [row for row in rows if row.task in self.tasks]
            known = self._compare(own, "")
            unknown = [row for row, how in zip(own, known, strict=True) if how == UNKNOWN]
            learnt += len(unknown)
            own_rows += len(own)
            if unknown:
                self._record(unknown, in_doubt=own_rows <= IN_DOUBT)
                known_in_a_row = read_in_a_row = 0
            else:
                known_in_a_row += known.count(KNOWN)
                read_in_a_row += len(rows) - known.count(LEARNT)
            if known_in_a_row >= KNOWN_IN_A_ROW or (known_in_a_row and read_in_a_row >= OTHERS_IN_A_ROW):
                break
        return learnt

    def _record(self, rows: Sequence[WrittenRow], *, in_doubt: bool) -> None:
        """Settle rows that all outputs have; for the others, store which outputs have them.

        Rows that are not in doubt count as delivered to all queued outputs and to outputs that get only some rows.
        """
        may_wait = self.has_queues and in_doubt
        if len(self.outputs) == 1 and not may_wait:
            self._compare(rows, "record")
            return
        having: list[list[str]] = [[] for _ in rows]
        for output in self.outputs:
            with suppress(SinkUnavailable):  # its own rows are compared before it is written
                is_assumed = output.is_filtered() and not in_doubt
                for delivered, has_it in zip(having, output.sink.has(rows), strict=True):
                    delivered += [output.name] * (has_it or is_assumed)
        is_partly = [may_wait or len(delivered) < len(self.outputs) for delivered in having]
        everywhere = [row for row, is_lacking in zip(rows, is_partly, strict=True) if not is_lacking]
        partly = [(row, those) for row, those, is_lacking in zip(rows, having, is_partly, strict=True) if is_lacking]
        self._compare(everywhere, "record")
        self._compare([row for row, _ in partly], "deliver", [those for _, those in partly])

    def _compare(
        self, rows: Sequence[WrittenRow], action: Action, delivered: Sequence[Sequence[str]] = ()
    ) -> list[int]:
        """Return for each row whether the ledger knows it, and call `action` with those that it does not know."""
        if not rows:
            return []
        now = self.ledger.clock()
        today = day_code(day_at(now))
        args: list[Any] = [now, *self.names]
        for number, row in enumerate(rows):
            name, canonical = fingerprint(row.url), fingerprint(row.canonical_url)
            record = json.dumps({"url": row.url, "rank": 0.0}, ensure_ascii=False).encode("utf-8", "replace")
            place = self.ledger.place_of(canonical if row.is_entry else name)
            outputs = _listed(delivered[number]) if delivered else ""
            plan = None
            if action == "record" and not row.is_entry:
                plan = recovered_recheck(self.revisit, row.version, _fetched_at(row, now), now=now)
            recheck = json.dumps(asdict(plan)) if plan else ""
            args += [name, record, _day(row, today), canonical, *place, recheck, int(row.is_entry), outputs]
        return [int(known) for known in self.ledger.step("record_written", action, today, *args)]


def _day(row: WrittenRow, today: str) -> str:
    """Return the code of the day on which the page was fetched: the URL was first seen on that day or before."""
    try:
        return day_code(date.fromisoformat(row.fetched_at[:10]))
    except ValueError:
        return today


def _fetched_at(row: WrittenRow, now: float) -> float:
    """Return when the page was fetched, in Unix seconds."""
    try:
        return datetime.fromisoformat(row.fetched_at).timestamp()
    except (ValueError, OverflowError):
        return now


def _listed(outputs: Sequence[str]) -> str:
    return json.dumps(list(outputs), ensure_ascii=False) if outputs else ""
