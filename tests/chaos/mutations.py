"""Bugs that the checker must find: small patches of the code, each in a copy of its own.

    python -m tests.chaos.mutations                    each by the form that `make chaos` runs
    python -m tests.chaos.mutations --form short       … by the form that `make test` runs
    python -m tests.chaos.mutations --only no-pace,sweep-off

A patch replaces a text that its file contains exactly once. Exit code 1 if a bug is not found.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.short_form import words_of

REPOSITORY = Path(__file__).parents[2]
LONGEST = 300.0  # seconds until a bug must have been found
STEPWISE = (
    "stepwise"  # the check by `tests.chaos.stepwise`; any other is a group, or a fault of it (`tests.chaos.short_form`)
)
SEEDS = {"short": "0-24", "long": "0-99"}
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "docs", "*.egg-info")


@dataclass(frozen=True)
class Mutation:
    """A bug: what is replaced in which file. `check`: what is to find it."""

    name: str
    file: str
    old: str
    new: str
    check: str = STEPWISE


MUTATIONS = (
    # Those that the checker once missed
    Mutation(
        "redelivered-row-again", "workers/extraction/row_claims.py", "again = lease.again or lease.accepted",
        "again = lease.accepted",
    ),
    Mutation(
        "settled-before-written", "workers/extraction/group_writer.py",
        "                lacking = [page for page in held if output.name not in page.delivered]\n",
        "                lacking = [page for page in held if output.name not in page.delivered]\n"
        "                self._settle([page for page in held if len(page.delivered) + 1 >= len(self.outputs)])\n",
    ),
    Mutation(
        "replies-not-remembered", "workers/redis_access/redis_scripts.py",
        "local is_repeated = last_request == request", "local is_repeated = false",
    ),
    Mutation(
        "bodies-swapped", "workers/extraction/group_writer.py",
        "rows = [row for page in pages for row in page.decision.rows if output.admits(row)]\n",
        "rows = [row for page in pages for row in page.decision.rows if output.admits(row)]\n"
        '        rows = [{**a, "text": b["text"]} for a, b in zip(rows, rows[1:] + rows[:1])]\n',
    ),
    Mutation("no-pace", "crawler/gates/pace_gate.py", "if permit.wait == 0:", "if True:", "cluster"),
    Mutation("spider-lease-45", "workers/ledger.py", "FETCH_LEASE = 10.0  #", "FETCH_LEASE = 45.0  #"),
    # The ledger
    Mutation(
        "attempts-never-counted", "workers/lua/begin.lua", "redis.call('HSET', k_cuts, ARGV[3], ARGV[4])",
        "redis.call('HSET', k_cuts, ARGV[3], 0)",
    ),
    Mutation(
        "worker-lease-never-expires", "workers/lua/take.lua", "redis.call('ZADD', k_held, ARGV[3], name)",
        "redis.call('ZADD', k_held, 'inf', name)",
    ),
    Mutation("later-attempt-never-due", "workers/lua/lease.lua", "wait_again(k_delayed)", ""),
    Mutation(
        "count-missing", "workers/lua/settle.lua", "  count(day, state, 1)\n",
        "  if state ~= 'rejected' then count(day, state, 1) end\n",
    ),
    Mutation(
        "settled-url-added-again", "workers/lua/add.lua",
        "redis.call('HEXISTS', k_open, name) == 1 or redis.call('HEXISTS', ARGV[i + 3], ARGV[i + 4]) == 1",
        "redis.call('HEXISTS', k_open, name) == 1",
    ),
    Mutation("two-states", "workers/lua/arrive.lua", "redis.call('ZREM', k_leased, name)\n", "\n"),
    Mutation(
        "page-of-dead-worker-in-no-set", "workers/lua/free.lua", "redis.call('ZADD', k_fetched, ARGV[2], holders[i])",
        "",
    ),
    Mutation("body-kept", "workers/lua/settle.lua", "  delete_page(name)\n", ""),
    Mutation("released-page-never-due", "workers/lua/lapsed.lua", "k_held, '-inf', ARGV[1]", "k_held, '-inf', 0"),
    # The inbox and pages
    Mutation(
        "sweep-off", "workers/inbox.py", "ledger.lapsed(oldest_job=oldest)", "[], []",
    ),
    Mutation(
        "second-page-lost", "workers/page_store.py", 'packed[f"body:{number}"] = pack_body(part.body)',
        'packed[f"body:{number}"] = pack_body(page.body)',
    ),
    # Workers, claims, near-duplicates
    Mutation("claim-ignored", "workers/lua/claim.lua", "if owner and owner ~= name then", "if false then"),
    Mutation(
        "near-duplicates-written", "workers/extraction/row_claims.py", 'if near and config.near_duplicates == "drop":',
        "if False:",
    ),
    Mutation(
        "canonical-url-ignored", "workers/rows.py",
        "if url and pattern.fullmatch(normalise(url)):", "if url and False:",
    ),
    # Outputs, row queue, delivery
    Mutation("heal-off", "workers/extraction/group_writer.py", "if turn == output.healed_in:", "if True:"),
    Mutation(
        "refused-row-dropped", "workers/extraction/group_writer.py",
        "keep_refused(self.ledger.redis, task, output.name, rows, refused)", "pass",
    ),
    Mutation(
        "batch-removed-before-written", "workers/writing/delivery.py",
        "            self._writing[queue] = rows, time.monotonic()\n",
        "            self._writing[queue] = rows, time.monotonic()\n"
        "        rows.finish(self.holder, batch)\n",
    ),
    Mutation(
        "batch-not-looked-up", "workers/writing/row_queue.py",
        'if is_begun or may_be_there == b"1" or queued_in != epoch:', "if False:",
    ),
    Mutation(
        "row-not-queued", "workers/lua/settle.lua", "for place in string.gmatch(places, '%d+') do",
        "for place in string.gmatch(places, '%d%d+') do",
    ),
    # Pace, walk, schedule, recovery
    Mutation(
        "walk-not-continued", "crawler/discovery/walk.py",
        "new or found == 0 or not self.plan.complete or page.resumed", "new or found == 0",
    ),
    Mutation("loss-not-noticed", "workers/redis_access/epoch.py", "return self.epoch != before", "return False"),
    Mutation(
        "run-lease-never-expires", "crawler/scheduling/schedule.py",
        "for _, task in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[1])) do",
        "for _, task in ipairs({}) do", "cluster: kill-crawl-worker",
    ),
    Mutation("gone-is-failed", "crawler/run/outcomes.py", "GONE = frozenset({404, 410})", "GONE = frozenset({404})"),
    Mutation("captcha-is-final", "workers/extraction/page_decision.py", "if is_check else", "if False else"),
    Mutation(
        "login-is-final", "crawler/run/section_articles.py", "if is_login(url, leased.url) else", "if False else"
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What came of a mutation. `found`: the violation that was told, or empty; `problem`: why it was not tried."""

    mutation: Mutation
    found: str
    seconds: float
    problem: str = ""

    def line(self) -> str:
        said = self.problem or self.found or "NOT FOUND"
        return f"{self.mutation.name:30} {self.mutation.check:18} {self.seconds:5.0f} s  {said[:110]}"


def apply(mutation: Mutation, folder: Path) -> str:
    """Patch a copy of the code; return why that is impossible, or an empty text."""
    path = folder / mutation.file
    text = path.read_text("utf-8")
    if (number := text.count(mutation.old)) != 1:
        return f"ERROR: its text is {number} times in {mutation.file}"
    path.write_text(text.replace(mutation.old, mutation.new), "utf-8")
    return ""


def try_out(mutation: Mutation, form: str, longest: float) -> Verdict:
    """Run the check of a mutation on a patched copy of the code."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutation-") as name:
        copy = Path(name) / "code"
        shutil.copytree(REPOSITORY, copy, ignore=LEFT_OUT)
        if problem := apply(mutation, copy):
            return Verdict(mutation, "", 0.0, problem)
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        command = [sys.executable, "-W", "ignore", "-m", *_words(mutation, form)]
        with subprocess.Popen(
            command, cwd=copy, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as check:
            try:
                said, _ = check.communicate(timeout=longest)
            except subprocess.TimeoutExpired:
                check.terminate()  # it ends its nodes
                said, _ = check.communicate()
                return Verdict(mutation, "", time.monotonic() - started, f"NOT FOUND within {longest:.0f} s")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        told = next((line for line in lines if line.startswith(("seed ", "     "))), lines[-1] if lines else "?")
        if mutation.check != STEPWISE:
            told = next((line for line in lines if ": " in line and not line[0].isdigit()), told)
        return Verdict(mutation, told if check.returncode else "", time.monotonic() - started)


def _words(mutation: Mutation, form: str) -> list[str]:
    if mutation.check == STEPWISE:
        return ["tests.chaos.stepwise", "--seeds", SEEDS[form]]
    form_of_system, _, kind = mutation.check.partition(": ")
    return ["tests.chaos", *words_of(form_of_system, kind)]


def main() -> int:
    """Try all mutations, or those that are named; print one line for each."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.mutations", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", help="names of mutations, separated by commas")
    parser.add_argument("--form", choices=SEEDS, default="long")
    parser.add_argument("--longest", type=float, default=LONGEST, help="seconds until one must be found")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else [mutation.name for mutation in MUTATIONS]
    if unknown := {*names} - {mutation.name for mutation in MUTATIONS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    verdicts = []
    for mutation in MUTATIONS:
        if mutation.name in names:
            verdicts.append(try_out(mutation, arguments.form, arguments.longest))
            print(verdicts[-1].line(), flush=True)
    found = sum(bool(verdict.found) for verdict in verdicts)
    print(f"{found} of {len(verdicts)} found")
    return int(found < len(verdicts))


if __name__ == "__main__":
    sys.exit(main())
