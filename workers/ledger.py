"""The ledger: every URL of a task has exactly one state, and the ledger is the queue of record.

    waiting ──lease──▶ leased ──arrive──▶ fetched ──settle──▶ written | duplicate | rejected | failed
       ▲                 │                   │                                          │
       ├─────────────────┼───────────────────┼──────────────── accept, by a person ─────┘
       └── put_back, ◀───┘                   └─ a worker `take`s the pages of a job and `begin`s each before it works
           back-off, or the lease expired       on it; if the worker dies, they are queued again

    seen = waiting + leased + fetched + written + duplicate + rejected + failed + forgotten, at any moment

Each change of state is one Lua script, so it is atomic. Open URLs (the first three states) have a full record; a
settled one is 7 bytes of its fingerprint with a short value, in one of 16,384 small hashes.

The entries of list pages are not URLs of the ledger, since they are not fetched. It only records which of them have a
row.

`rejected` is a URL that has no article for this task (a dead link, a list page, robots.txt, a filter); `failed` one
that should have given an article and did not.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Literal, Unpack, cast

import redis
from redis.commands.core import Script

from . import keys
from .lua import COMMON, SCRIPTS
from .redis_access.full_redis import even_when_full, in_one_step
from .redis_access.redis_clock import clock_of, day_at
from .redis_access.redis_scripts import Step
from .url_states import (
    FINAL_STATES,
    OPEN_STATES,
    Claim,
    Counts,
    EndDetails,
    Fingerprint,
    Found,
    Leased,
    PageLease,
    RecheckPlan,
    State,
    fingerprint,
)

FETCH_LEASE = 10.0  # seconds a spider's lease lasts unless it is renewed; spiders renew it every second
REQUEUE_AFTER = (
    10.0  # seconds after which a fetched page that no worker took is queued again, if its job is not waiting
)
CLOCKS_DIFFER = 5.0  # seconds by which clocks, and so the order of jobs and that of their times, may differ
EPOCH = date(1970, 1, 1)  # days are counted from here, in 4 hex digits
PROBLEMS_KEPT = 100_000  # the newest rejected and failed URLs of a task, kept in full, ~100 bytes each
RETRY_PAUSES = (3.0, 15.0, 60.0, 300.0, 1800.0)  # seconds before a page's next attempt, by attempts
FIRST_RANK = -1e15  # smaller than all ranks that discovery gives: a person waits for the result
DROPPED = "dropped by a person"  # the reason of a failed URL that was dropped; at most `REASON_BYTES`
REASON_BYTES = 40  # of a settled URL's reason; the whole value stays below 64 bytes, the limit of a small hash in Redis
LISTED = "list"  # begins the reason of a written list page, which has no row itself (`claim_entries.lua` reads it)
WRITTEN_ENTRY = "+"  # the beginning of the value of an entry whose row is written
OBSERVED_KEPT = 200  # observations of a task that wait to be counted; older ones are lost
AT_ONCE = 1000  # members in one command
TAKEN_BYTES = 4_000_000  # compressed bytes of pages that a worker reads together; one page may have more
REPEATABLE = frozenset(  # scripts that have the same effect and reply when they run twice
    (
        "arrive",
        "begin",
        "claim",
        "claim_entries",
        "record_written",
        "release",
        "renew",
        "take",
        "take_rows",
        "without_row",
    )
)
BUCKET_BITS = 14  # of the first 16 bits of a fingerprint, for the name of its bucket


class Ledger:
    """The ledger of one task. Safe for any number of processes; times are Unix seconds, days are those of UTC."""

    def __init__(self, connection: "redis.Redis", task: str):
        self.redis = connection
        self.task = task
        self.clock = clock_of(connection).now
        self.keys = {name: keys.of_task(task, name) for name in _KEY_NAMES}
        self._steps: dict[str, Step] = {}  # scripts that were used, by name

    def today(self) -> date:
        """Return the present day."""
        return day_at(self.clock())

    # -- the spider's side ------------------------------------------------------------------------------------------

    def add(self, found: Iterable[Found]) -> list[bool]:
        """Add URLs as waiting; return for each whether it is new. A known URL keeps its state."""
        items = list(found)
        if not items:
            return []
        return [bool(new) for new in self.step("add", *self.add_args(items))]

    def add_args(self, items: Iterable[Found]) -> list[Any]:
        """Return the arguments of the step `add`."""
        day = day_code(self.today())
        args: list[Any] = [self.task, day]
        for item in items:
            name = fingerprint(item.url)
            record = json.dumps({"url": item.url, "rank": item.rank, "day": day, **item.info}, ensure_ascii=False)
            args += [name, record, item.rank, *self.place_of(name)]
        return args

    def known_fingerprints(self, names: Sequence[Fingerprint]) -> list[bool]:
        """Return for each fingerprint whether the ledger has it in any state."""
        pipe = self.redis.pipeline(transaction=False)
        for name in names:
            bucket, slot = self.place_of(name)
            pipe.hexists(self.keys["open"], name)
            pipe.hexists(bucket, slot)
        answers = pipe.execute()
        return [bool(is_open or is_settled) for is_open, is_settled in zip(answers[::2], answers[1::2], strict=True)]

    def have_rows(self, names: Sequence[Fingerprint]) -> list[bool]:
        """Return for each fingerprint whether its article has a row, of this URL or of another one."""
        pipe = self.redis.pipeline(transaction=False)
        for name in names:
            pipe.hget(*self.place_of(name))
        return [bool(code) and _LETTER_STATE[_text(code)[0]] in ("written", "duplicate") for code in pipe.execute()]

    def lease(
        self, most: int, *, seconds: float = FETCH_LEASE, below: float = math.inf, most_above: int = 0
    ) -> list[Leased]:
        """Lease up to `most` waiting URLs of a rank `below` a bound, smallest rank first, for `seconds`.

        If there is none, lease up to `most_above` of the others. URLs whose lease has expired wait again first.
        """
        rows = self.step("lease", most, self.clock(), seconds, f"({below}", most_above)
        return [
            Leased(_text(name), (record := json.loads(raw))["url"], int(tries), record)
            for name, raw, tries in zip(rows[::3], rows[1::3], rows[2::3], strict=True)
        ]

    def renew(self, names: Sequence[Fingerprint], *, seconds: float = FETCH_LEASE) -> None:
        """Extend the leases of URLs to `seconds` from now."""
        if names:
            pairs = [part for name in names for part in (self.clock() + seconds, name)]
            even_when_full(self.redis, "ZADD", self.keys["leased"], "XX", *pairs)

    def reclaim(self) -> int:
        """Let all leased URLs wait again, the attempts counted. Call it only if no spider of the task is alive."""
        names = [_text(name) for name in cast(list[bytes], self.redis.zrange(self.keys["leased"], 0, -1))]
        if names:
            for start in range(0, len(names), AT_ONCE):
                pairs = [part for name in names[start : start + AT_ONCE] for part in ("0", name)]
                even_when_full(self.redis, "ZADD", self.keys["leased"], "XX", *pairs)
            self.lease(0)
        return len(names)

    def put_back(self, names: Sequence[Fingerprint]) -> None:
        """Let leased URLs that were not fetched wait again; this does not count as an attempt."""
        if names:
            self.step("put_back", "", "", -1, *names)

    def try_later(self, name: Fingerprint, reason: str, seconds: float, *, counted: bool = True) -> None:
        """Let a leased URL wait again for `seconds` after a temporary failure.

        `counted` is False if no request was sent.
        """
        self.step("put_back", self.clock() + seconds, _plain(reason), 0 if counted else -1, name)

    def arrive(self, name: Fingerprint, page: Mapping[str, bytes | str | float], pipe: Any = None) -> None:
        """Store a page's body and change its state to fetched, in one step.

        With `pipe` (a MULTI) the step becomes part of it. A page that is settled or already fetched does not change.
        """
        if pipe is None:
            self.redis.sadd(keys.FETCHED, self.task)  # `Inbox.deliver` does so once for all its pages
        flat: list[Any] = [part for pair in page.items() for part in pair]
        self.step("arrive", name, self.clock() + REQUEUE_AFTER, *flat, pipe=pipe)

    # -- the worker's side ------------------------------------------------------------------------------------------

    def renew_pages(self, names: Sequence[Fingerprint], worker: str, *, seconds: float) -> int:
        """Extend the leases of those pages that the worker still has to `seconds` from now; return their number."""
        pages = [part for name in names for part in (name, "[]")]
        renewed = self.step("renew", worker, self.clock() + seconds, *pages) if names else []
        return sum(outputs is not None for outputs in renewed)

    def take_all(self, names: Sequence[Fingerprint], worker: str, *, seconds: float) -> Iterator[list[PageLease]]:
        """Lease the fetched pages of a job to a worker and yield them, read together up to `TAKEN_BYTES` at a time.

        Pages that are settled or leased to other workers are skipped. No attempt is counted before `begin`.
        """
        rest = list(names)
        while rest:
            now = self.clock()
            examined, *parts = self.step("take", worker, now, now + seconds, TAKEN_BYTES, *rest)
            leases = []
            for name, raw, attempts, flat in zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True):
                page = {_text(key): value for key, value in zip(flat[::2], flat[1::2], strict=True)}
                record = json.loads(raw)
                again = int(page["takes"]) > 1
                leases.append(PageLease(_text(name), record["url"], int(attempts) + 1, again, page, record))
            yield leases
            del rest[: int(examined)]

    def begin(self, lease: PageLease, worker: str, *, seconds: float, earlier: Sequence[Fingerprint] = ()) -> None:
        """Count the attempt of a page that a worker got by `take_all`, just before it works on it.

        `earlier`: pages of the job on which the work is over, so that their attempt does not count.
        """
        self.step("begin", worker, self.clock() + seconds, lease.fingerprint, lease.attempts, *earlier)

    def claim_all(self, pairs: Sequence[tuple[Fingerprint, Fingerprint]], worker: str) -> list[Claim]:
        """Claim canonical URLs for leased pages, one after the other in one step: only its owner may write an article.

        `pairs`: page and canonical URL.
        """
        args = [part for name, canonical in pairs for part in (name, canonical, *self.place_of(canonical))]
        return [
            Claim(cast('Literal["mine", "theirs", "busy", "lost"]', _text(state)), *map(bool, facts))
            for state, *facts in self.step("claim", worker, *args)
        ]

    def claim_entries(
        self, name: Fingerprint, entries: Sequence[Fingerprint], worker: str, *, pages_give_rows: bool
    ) -> list[bool] | Literal["busy", "lost"]:
        """Claim the entries of a leased list page; return for each whether its row is still to be written.

        An entry has a row if a list page of the task, or the page of its URL, was written; with `pages_give_rows` also
        if such a page waits to be fetched or extracted. With "busy" and "lost", as in `Claim`, no entry was claimed.
        """
        triples = [part for entry in entries for part in (entry, *self.place_of(entry))]
        answer = self.step("claim_entries", name, worker, "1" if pages_give_rows else "", *triples)
        if isinstance(answer, list):
            return [bool(mine) for mine in answer]
        return cast('Literal["busy", "lost"]', _text(answer))

    def entries_written(self, entries: Sequence[Fingerprint], pipe: Any = None) -> None:
        """Record that the rows of claimed entries are written, so that no other page writes them again."""
        if entries:
            written = f"{WRITTEN_ENTRY}{day_code(self.today())}"
            batches = (entries[start : start + AT_ONCE] for start in range(0, len(entries), AT_ONCE))
            pairs = [[part for entry in batch for part in (entry, written)] for batch in batches]
            in_one_step(self.redis, [("HSET", self.keys["entries"], *batch) for batch in pairs], writes=True, pipe=pipe)

    def is_entry(self, canonical: Fingerprint) -> bool:
        """Whether a list page has written, or has claimed, the row of this URL."""
        return bool(self.redis.hexists(self.keys["entries"], canonical))

    def release(
        self, name: Fingerprint, worker: str, seconds: float, reason: str, *, delivered: Sequence[str] = ()
    ) -> None:
        """Release a leased page: it is queued again after `seconds`, and this does not count as an attempt.

        `delivered`: the outputs that have its rows already; its next lease names them.
        """
        outputs = json.dumps(delivered, ensure_ascii=False) if delivered else ""
        self.step("release", worker, self.clock() + seconds, _plain(reason), outputs, name)

    def postpone(self, names: Sequence[Fingerprint], seconds: float, reason: str) -> None:
        """Let fetched pages that cannot be extracted now wait for `seconds`; then they are queued again."""
        if names:
            self.step("release", "", self.clock() + seconds, _plain(reason), "", *names)

    # -- the end of a URL -------------------------------------------------------------------------------------------

    def settle(
        self,
        name: Fingerprint,
        state: State,
        reason: str,
        **details: Unpack[EndDetails],
    ) -> bool:
        """Give a URL its final state and delete its page.

        Returns False if the URL was already settled, or is held by another worker.
        """
        return bool(self.settle_all([self.end_of(name, state, reason, **details)])[0])

    def settle_all(self, ends: Sequence[Sequence[Any]], pipe: Any = None) -> Any:
        """Settle several URLs in one step, as `settle`; `ends`: for each its `end_of`. Returns 1 or 0 for each.

        With `pipe` the step becomes part of that pipeline, whose reply then has this result.
        """
        return self.step("settle", *(part for end in ends for part in (len(end), *end)), pipe=pipe)

    def end_of(
        self,
        name: Fingerprint,
        state: State,
        reason: str,
        **details: Unpack[EndDetails],
    ) -> Sequence[Any]:
        """Return the arguments of `settle` in the form for `settle_all`."""
        if state not in FINAL_STATES:
            raise ValueError(f"{state} is not a final state")
        worker, recheck = details.get("worker", ""), details.get("recheck")
        again = recheck.to_json() if recheck else ""
        reasons = (short(reason), _plain(reason)) if reason else ("", "")
        kept = PROBLEMS_KEPT if details.get("listed", True) else 0
        numbers = details.get("rows", 0), details.get("left_out", 0)
        facts = (again, details.get("observation", ""), *numbers, *details.get("queued", ()))
        return (name, state, *reasons, worker, kept, *self.place_of(name), self.clock(), *facts)

    def accept(self, url: str) -> bool:
        """Let a rejected URL wait again, with a mark by which its page is never refused.

        False if the URL is not rejected.
        """
        return self._reopen(url, {"accepted": True}, only="rejected") is not None

    def retry(self, url: str, state: State = "failed") -> bool:
        """Let a failed or rejected URL wait again, before all others; its attempts are counted from zero.

        False if it is not in that state.
        """
        return self._reopen(url, {}, only=state) is not None

    def reopen(self, url: str, plan: RecheckPlan | None = None, info: Mapping[str, Any] | None = None) -> State | None:
        """Let a settled URL wait again, to be extracted with another example, or since it gave a block page.

        `plan`: version and hash of its row, if it is written; a plan for its rechecks that the ledger has counts
        instead. Returns the state that it had; None if it does not change: it is open, forgotten, or written with an
        unknown row.
        """
        return self._reopen(url, info or {}, plan.to_json() if plan else "")

    def _reopen(
        self, url: str, info: Mapping[str, Any], plan: str = "", *, only: State | Literal[""] = ""
    ) -> State | None:
        name = fingerprint(url)
        record = json.dumps({**info, "url": url, "rank": FIRST_RANK}, ensure_ascii=False)
        letter = _text(self.step("reopen", name, _plain(record), FIRST_RANK, *self.place_of(name), plan, only))
        return _LETTER_STATE[letter] if letter else None

    def drop_failed(self, url: str) -> bool:
        """Reject a failed URL, because a person does not need it. False if it has not failed."""
        return self.retry(url) and self.settle(fingerprint(url), "rejected", DROPPED)

    def refetch(self, name: Fingerprint, worker: str, reason: str, *, most: int, pauses: Sequence[float] = ()) -> int:
        """Let a page that a worker holds, and that is damaged or a block page, wait to be fetched again.

        `pauses`: seconds to wait, by the number of fetches. Returns how often it was fetched, as a negative number if
        it does not wait, since that is `most` times or more; 0 if the worker does not hold it.
        """
        return int(self.step("refetch", name, worker, _plain(reason), most, self.clock(), *pauses))

    def start_rechecks(self, most: int = 1000) -> int:
        """Let written pages that are due for a recheck wait again, at most `most`; return their number."""
        return int(self.step("start_rechecks", self.clock(), most))

    def drop(self, name: Fingerprint) -> bool:
        """Forget an open URL as if it had never been seen; it can be added again."""
        return bool(self.step("drop", name))

    def observe(self, observation: str) -> None:
        """Keep an observation of a visit, as JSON, for the task's health."""
        push, trim = ("LPUSH", observation), ("LTRIM", 0, OBSERVED_KEPT - 1)
        observed = [(name, self.keys["observed"], *args) for name, *args in (push, trim)]
        in_one_step(self.redis, [*observed, ("HINCRBY", self.keys["health"], "pushed", 1)], writes=True)

    # -- queries -----------------------------------------------------------------------------------------------------

    def counts(self) -> Counts:
        """Return the present counts, read in one step."""
        totals = ("HMGET", self.keys["counts"], "seen", "rows", "left_out", *FINAL_STATES)
        numbers, *sizes = in_one_step(self.redis, [totals, *(("ZCARD", self.keys[name]) for name in _OPEN_SETS)])
        seen, rows, left_out, *final = (int(number or 0) for number in numbers)
        states = dict.fromkeys(OPEN_STATES, 0)
        for state, size in zip(_OPEN_SETS.values(), sizes, strict=True):
            states[state] += size
        return Counts(seen, states | dict(zip(FINAL_STATES, final, strict=True)), rows, left_out)

    def learnt(self) -> int:
        """Return how many unknown URLs were recorded from rows of outputs (`workers.extraction.ledger_recovery`)."""
        return int(cast("bytes | None", self.redis.hget(self.keys["counts"], "learnt")) or 0)

    def state_of(self, url: str) -> tuple[State, str] | None:
        """Return state and reason of a URL; None if it is not in the ledger."""
        name = fingerprint(url)
        looks = [("ZSCORE", self.keys[key], name) for key in _OPEN_SETS]
        why, settled, *scores = in_one_step(
            self.redis, [("HGET", self.keys["why"], name), ("HGET", *self.place_of(name)), *looks]
        )
        for state, score in zip(_OPEN_SETS.values(), scores, strict=True):
            if score is not None:
                return state, _text(why or b"")
        if settled is None:
            return None
        code = _text(settled)
        return _LETTER_STATE[code[0]], code[5:]

    def waits_unaccepted(self, url: str) -> bool:
        """Whether a URL waits and was not accepted as an article by a person."""
        state = self.state_of(url)
        raw = cast("bytes | None", self.redis.hget(self.keys["open"], fingerprint(url)))
        return state is not None and state[0] == "waiting" and raw is not None and "accepted" not in json.loads(raw)

    def waiting(self, least: float) -> int:
        """Return how many URLs of rank `least` or larger wait."""
        return int(self.redis.zcount(self.keys["waiting"], least, "+inf"))

    def has_waiting(self) -> bool:
        """Whether a URL waits that may be fetched at once."""
        return bool(self.redis.zcard(self.keys["waiting"]))

    def pending(self) -> tuple[int, int, float | None]:
        """Return how many URLs are leased, how many wait for a later attempt, and when the first of these is due.

        The time is in Unix seconds.
        """
        sizes = [("ZCARD", self.keys[name]) for name in ("leased", "delayed")]
        first_delayed = ("ZRANGE", self.keys["delayed"], 0, 0, "WITHSCORES")
        leased, delayed, first = in_one_step(self.redis, [*sizes, first_delayed])
        return leased, delayed, float(first[1]) if first else None

    def lapsed(self, *, oldest_job: float | None, most: int = 1000) -> tuple[list[Fingerprint], list[Fingerprint]]:
        """Return pages to be queued again: those of workers that died, as they did not renew their leases, to be queued
        before all others; and those whose delay has expired, or whose job is lost.

        Jobs are taken in order, so a job that is older than `oldest_job` (when the oldest waiting one was queued; None
        if none waits) was taken or lost. The pages' time advances in the same step: only one of several sweeping
        processes queues a page.
        """
        now = self.clock()
        overdue = now if oldest_job is None else min(now, oldest_job + REQUEUE_AFTER - CLOCKS_DIFFER)
        abandoned, others = self.step("lapsed", now, now + REQUEUE_AFTER, most, overdue)
        return list(map(_text, abandoned)), list(map(_text, others))

    def drop_if_idle(self) -> bool:
        """Remove the task from the set of those with fetched pages if none is left; return whether it was removed."""
        names = [keys.FETCHED, *(self.keys[name] for name in ("fetched", "held", "stored")), keys.STORED]
        return bool(self.redis.eval(_DROP_IF_IDLE, len(names), *names, self.task))

    def fetched_names(self, most: int) -> list[Fingerprint]:
        """Return some of the fetched pages that no worker has."""
        return [_text(name) for name in cast(list[bytes], self.redis.zrange(self.keys["fetched"], 0, most - 1))]

    def free(
        self, worker: str, *, uncounted: Sequence[Fingerprint] = (), killed: Sequence[Fingerprint] = ()
    ) -> list[Fingerprint]:
        """End the leases of a dead worker and return its pages, for the caller to queue.

        The attempts stay counted, except those of the pages `uncounted`, and of the pages `killed`, whose worker was
        ended from outside: by a person or for lack of memory; this counts from the eleventh time on.
        """
        return [
            _text(name)
            for name in self.step("free", worker, self.clock() + REQUEUE_AFTER, len(killed), *killed, *uncounted)
        ]

    def problems(self, most: int | None = 100) -> list[dict[str, Any]]:
        """Return the newest rejected and failed URLs, each with state, reason and time; `most` None: all that are kept.

        They may include URLs that were settled again, accepted or forgotten since: see `workers.task_state.problems`.
        """
        rows = cast(list[bytes], self.redis.lrange(self.keys["problems"], 0, -1 if most is None else most - 1))
        return [json.loads(row) for row in rows]

    def open_urls(self, state: State, most: int = 100) -> list[dict[str, Any]]:
        """Return some of the URLs that are waiting, leased or fetched, with the reason of their last failure."""
        sets = [self.keys[name] for name, its_state in _OPEN_SETS.items() if its_state == state]
        names = [name for key in sets for name in cast(list[bytes], self.redis.zrange(key, 0, most - 1))][:most]
        if not names:
            return []
        records = cast(list[bytes | None], self.redis.hmget(self.keys["open"], names))
        why = cast(list[bytes | None], self.redis.hmget(self.keys["why"], names))
        return [
            {"url": json.loads(record)["url"], "state": state, "reason": _text(reason) if reason else ""}
            for record, reason in zip(records, why, strict=True)
            if record
        ]

    def place_of(self, name: Fingerprint) -> tuple[str, bytes]:
        """Return where a settled URL is kept: the key of its bucket, and its field there."""
        number = int(name[:4], 16) >> (16 - BUCKET_BITS)
        return f"{self.keys['done']}:{number:x}", bytes.fromhex(name[2:])

    def step(self, script: str, *args: Any, pipe: Any = None) -> Any:
        """Run a script of `workers/lua`; with `pipe` it becomes part of that transaction.

        A repeated request gets the reply to the first one, unless the script is `REPEATABLE`.
        """
        return self._step_of(script)([keys.of_task(self.task, "")], list(args), pipe)

    def script_of(self, name: str) -> Script:
        """Return a script of `workers/lua` as Redis gets it."""
        return self._step_of(name).script

    def _step_of(self, name: str) -> Step:
        step = self._steps.get(name)
        if step is None:
            step = self._steps[name] = Step(self.redis, _TEXTS[name], is_repeatable=name in REPEATABLE)
        return step


def with_pages(connection: "redis.Redis") -> list[str]:
    """Return the names of all tasks that may have pages which are fetched and not settled, in order."""
    return sorted(_text(name) for name in cast(set[bytes], connection.smembers(keys.FETCHED)))


def ledgers(connection: "redis.Redis") -> list[str]:
    """Return the names of all tasks that have a ledger, in order."""
    return sorted(_text(name) for name in cast(set[bytes], connection.smembers(keys.LEDGERS)))


def with_pictures(connection: "redis.Redis", tasks: Iterable[str]) -> list[str]:
    """Return tasks, each followed by the name of the ledger of its kept pictures if it has one."""
    known = {*ledgers(connection)}
    pairs = ((task, keys.pictures_of(task)) for task in tasks)
    return [name for pair in pairs for name in pair if name in known or name == pair[0]]


_KEY_NAMES = (
    "open",  # hash: fingerprint -> record (JSON: url, rank, info) of every URL in an open state
    "waiting",  # zset by rank
    "delayed",  # zset by time: waiting, too, but not to be fetched before
    "leased",  # zset by the lease's end
    "fetched",  # zset by the time at which to queue it again
    "held",  # zset by the lease's end: fetched, too; leased to a worker or, without a holder, postponed until then
    "tries",  # hash: times fetched
    "cuts",  # hash: times a worker took the page (an old name: stored data has it)
    "why",  # hash: reason of the last temporary failure
    "holders",  # hash: worker that has the page
    "claims",  # hash: canonical fingerprint -> fingerprint of the URL that writes it
    "entries",  # hash: canonical fingerprint of an entry -> the list page that claims it; once written "+" and the day
    "counts",  # hash: seen and the final states; only grows: `rows`, `left_out`, `settled:STATE`, `runs:OUTCOME`
    "unhealed",  # hash: output -> the first recovery since it was read to its end; "" -> the last (`ledger_recovery`)
    "days",  # hash: the same by the day on which a URL was first seen (`50c1:written`)
    "clock",  # string: the time by Redis' clock when the times of this ledger were looked at last
    "visits",  # zset by time: written, and to be rechecked
    "young",  # hash: fingerprint -> record of the same
    "problems",  # list of JSON, newest first
    "done",  # prefix of the buckets
    "page",  # prefix of the stored pages
    "stored",  # hash: pages and bytes in the page store
    "rows",  # prefix of the lists of rows that wait for delivery, by output
    "queue",  # prefix of the hashes on them: lease, batch, problem (`workers.writing.row_queue`)
    "queued",  # hash: rows and bytes that wait for delivery
    "sent",  # list: the newest pages that the site sent (`workers.extraction.block_pages`)
    "observed",  # list: observations that are not counted yet, newest first (`workers.health`)
    "health",  # hash: how many observations were made and counted, and the state of the task's health
    "refused",  # prefix of the hashes of refused rows, by output (`workers.writing.refused_rows`)
)
_OPEN_SETS: dict[str, State] = {  # each open URL is in one of them
    "delayed": "waiting",
    "waiting": "waiting",
    "leased": "leased",
    "held": "fetched",
    "fetched": "fetched",
}
_LETTER_STATE: dict[str, State] = {"o" if state == "forgotten" else state[0]: state for state in FINAL_STATES}
_DROP_IF_IDLE = """
if redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3]) > 0 then return 0 end
redis.call('SREM', KEYS[1], ARGV[1])
-- Workers of 0.2.0 do not count down what they settle: the rest is subtracted here.
for _, field in ipairs({'pages', 'bytes'}) do
  local left = redis.call('HGET', KEYS[4], field)
  if left then redis.call('HINCRBY', KEYS[5], field, -left) end
end
redis.call('DEL', KEYS[4])
if tonumber(redis.call('HGET', KEYS[5], 'pages') or 0) <= 0 then redis.call('DEL', KEYS[5]) end
return 1
"""
_PRELUDE = (
    # Derived from the one key that is sent: sending all would cost more than the rest of the step `arrive`.
    "".join(f"local k_{name} = KEYS[1] .. '{name}'\n" for name in _KEY_NAMES)
    + f"local BUCKETS_APART, ALL_STORED = {2 ** (16 - BUCKET_BITS)}, '{keys.STORED}'\n"
    + f"local ALL_QUEUED, ROW_QUEUES, REFUSING = '{keys.QUEUED}', '{keys.ROW_QUEUES}', '{keys.REFUSING}'\n"
    + f"local EPOCH, LEDGERS, OBSERVED_KEPT = '{keys.EPOCH}', '{keys.LEDGERS}', {OBSERVED_KEPT}\n"
    + COMMON
)
_TEXTS = {name: _PRELUDE + text for name, text in SCRIPTS.items()}


def day_code(day: date) -> str:
    """Return a day in the form that the codes of settled URLs have."""
    return f"{max(0, (day - EPOCH).days):04x}"


def day_of(code: str) -> date:
    """Return the day of a `day_code`."""
    return EPOCH + timedelta(days=int(code, 16))


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def _plain(text: str) -> str:
    """Return the text without lone surrogates, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode()


def short(reason: str) -> str:
    """Return the part of a reason that a settled URL keeps."""
    return _plain(reason).encode()[:REASON_BYTES].decode("utf-8", "ignore")


def glob_escaped(text: str) -> str:
    """Return a pattern of Redis that matches this text only."""
    return "".join(f"\\{char}" if char in "*?[]\\^" else char for char in text)
