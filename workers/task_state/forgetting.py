"""Forgetting URLs: by age (they are still counted), or one by one (they can be added again)."""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import islice
from typing import Any, TypeVar, cast

import redis

from .. import keys
from ..ledger import BUCKET_BITS, FIRST_RANK, WRITTEN_ENTRY, Ledger, day_code, day_of, glob_escaped, short
from ..pages.quarantine import drop_page
from ..url_states import Fingerprint, Found, fingerprint
from ..writing.row_queue import forget_queues

DAYS_KEPT = 400  # days whose counts are kept
CLAIMS_LEFT = b"2"  # value of `unseen`, as in forget_settled.lua: claims of forgotten URLs are not released yet
AT_ONCE = 200  # buckets or claims in one step, so that no step blocks Redis for long

Item = TypeVar("Item")


def expire(ledger: Ledger, age: timedelta) -> int:
    """Forget the settled URLs that were first seen longer than `age` ago; they count as forgotten. Return their number.

    Entries of list pages that were written longer ago are forgotten as well, but not counted.
    """
    before = day_code(ledger.today() - age)
    forgotten = sum(int(ledger.step("forget_settled", "day", before, *names)) for names in buckets(ledger))
    counts = ledger.keys["counts"]
    if ledger.redis.hget(counts, "unseen") == CLAIMS_LEFT:  # also after an expiry that was interrupted
        _release_claims(ledger, lambda owners: [not known for known in ledger.known_fingerprints(owners)])
        ledger.redis.hset(counts, "unseen", 1)
    _expire_entries(ledger, before)
    return forgotten


def forget_days(ledger: Ledger) -> None:
    """Forget the counts of days more than `DAYS_KEPT` ago."""
    oldest = ledger.today() - timedelta(days=DAYS_KEPT)
    days = ledger.keys["days"]
    old = [code for code in cast(list[bytes], ledger.redis.hkeys(days)) if day_of(code.decode()[:4]) < oldest]
    if old:
        ledger.redis.hdel(days, *[code.decode() for code in old])


def _expire_entries(ledger: Ledger, before: str) -> None:
    """Forget the entries that were written before a day."""
    mark = f"{WRITTEN_ENTRY}{before}".encode()
    for batch in batches(ledger.redis.hscan_iter(ledger.keys["entries"], count=AT_ONCE)):
        if old := [name for name, value in batch if value.startswith(WRITTEN_ENTRY.encode()) and value < mark]:
            _note_forgotten(ledger)
            ledger.redis.hdel(ledger.keys["entries"], *[name.decode() for name in old])


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the items in groups for one step each."""
    remaining = iter(items)
    while batch := list(islice(remaining, AT_ONCE)):
        yield batch


def forget_url(ledger: Ledger, url: str, *, fetch: bool = False) -> bool:
    """Forget one normalised URL in any state, so that it can be found again. False if it is not in the ledger.

    Entries of list pages can be forgotten, too. With `fetch` a URL of the ledger waits again in the same step, before
    all others: the next run fetches it even if it is no longer on any list.
    """
    name = fingerprint(url)
    is_known = ledger.known_fingerprints([name])[0]
    pipe = ledger.redis.pipeline(transaction=True)
    pipe.hdel(ledger.keys["entries"], name)
    ledger.step("drop", name, pipe=pipe)
    bucket, slot = ledger.place_of(name)
    ledger.step("forget_settled", "slot", slot, bucket, pipe=pipe)
    if is_known or ledger.is_entry(name):
        _note_forgotten(ledger, pipe)
    if is_known and fetch:
        ledger.step("add", *ledger.add_args([Found(url, FIRST_RANK)]), pipe=pipe)
    was_known = any(pipe.execute()[:3])
    drop_page(ledger.redis, ledger.task, name)
    _release_claims(ledger, lambda owners: [owner == name for owner in owners])
    return was_known


def forget_rejected(ledger: Ledger, reason: str) -> int:
    """Forget the rejected URLs of one reason, so that they can be found again; return their number."""
    code = short(reason)
    return sum(int(ledger.step("forget_settled", "reason", code, *names)) for names in buckets(ledger))


def forget_task(connection: "redis.Redis", task: str) -> None:
    """Forget a task's whole ledger with the pages and rows that wait, its example, and the state of its last walk."""
    ledgers = (task, keys.pictures_of(task))
    for name in ledgers:
        Ledger(connection, name).step("uncount")
    for key in connection.scan_iter(match=glob_escaped(keys.of_task(task, "")) + "*", count=1000):
        connection.unlink(key)
    forget_queues(connection, task)
    connection.srem(keys.LEDGERS, *ledgers)
    connection.srem(keys.FETCHED, *ledgers)
    connection.zrem(keys.QUARANTINES, task)
    connection.zrem(keys.OFF_TEMPLATE, task)
    connection.hdel(keys.PROPOSALS, task)
    connection.hdel(keys.UNPROPOSED, task)
    connection.hdel(keys.HISTORIES, task)
    connection.hdel(keys.ALARMS, task)
    if not connection.hexists(keys.TASKS, task):  # the task is no longer published, and its last pages are forgotten
        connection.hdel(keys.CONFIGS, task)
    _note_forgotten(Ledger(connection, task))


def has_forgotten(ledger: Ledger) -> bool:
    """Whether URLs of the task were ever forgotten, so that outputs may already have their rows."""
    return bool(ledger.redis.hexists(ledger.keys["counts"], "unseen"))


def _note_forgotten(ledger: Ledger, pipe: Any = None) -> None:
    (pipe or ledger.redis).hsetnx(ledger.keys["counts"], "unseen", 1)


def buckets(ledger: Ledger) -> Iterator[list[str]]:
    """Yield the names of all buckets that a task may have, in batches. A search would read the keys of all tasks."""
    yield from batches(f"{ledger.keys['done']}:{number:x}" for number in range(2**BUCKET_BITS))


def _release_claims(ledger: Ledger, is_lost: Callable[[list[Fingerprint]], list[bool]]) -> None:
    """Release the canonical URLs whose owner is no longer in the ledger."""
    found = ledger.redis.hscan_iter(ledger.keys["claims"], count=AT_ONCE)
    for batch in batches(pair for pair in found if not pair[0].endswith(b":for")):
        lost = is_lost([owner.decode() for _, owner in batch])
        if free := [canonical.decode() for (canonical, _), owner_lost in zip(batch, lost, strict=True) if owner_lost]:
            ledger.redis.hdel(ledger.keys["claims"], *free)
