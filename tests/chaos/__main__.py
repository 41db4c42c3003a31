"""Runs real clusters under faults and proves of each that nothing was lost and nothing came twice.

    python -m tests.chaos --seeds 1-30 --pages 300 --kills 40
    python -m tests.chaos --seeds 7 --faults lost-replies --form cluster --keep /tmp/chaos

Each seed chooses faults, moments and durations; it prints one line. Exit code 1 if a promise was broken.
"""

import argparse
import signal
import sys
from dataclasses import fields
from pathlib import Path

from tests.chaos.checker import percentile
from tests.chaos.cluster import NODES
from tests.chaos.faults import FAULTS
from tests.chaos.runner import HEAD, Outcome, Trial, run

SHOWN = 5  # violations of a seed that are printed
OPTIONS = [field.name for field in fields(Trial) if field.name not in ("seed", "form", "faults")]


def main() -> int:
    arguments = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything is ended, as with Ctrl-C
    outcomes: list[Outcome] = []
    print(HEAD)
    for seed in arguments.seeds:
        for form in arguments.form:
            kinds = [kind for kind in arguments.faults if form in FAULTS[kind].forms]
            if not kinds:
                continue
            chosen = {name: getattr(arguments, name) for name in OPTIONS}
            trial = Trial(seed, form, kinds, **chosen)
            outcomes.append(run(trial, arguments.keep))
            _print(outcomes[-1])
    return _sum_up(outcomes)


def _print(outcome: Outcome) -> None:
    print(outcome.line(), flush=True)
    for violation in outcome.violations[:SHOWN]:
        print(f"     {violation}", flush=True)
    if len(outcome.violations) > SHOWN:
        print(f"     … and {len(outcome.violations) - SHOWN} more", flush=True)


def _sum_up(outcomes: list[Outcome]) -> int:
    waits = sorted(seconds for outcome in outcomes for seconds in outcome.recovery)
    half, most = percentile(waits, 0.5), percentile(waits, 0.99)
    broken = sum(bool(outcome.violations or outcome.broken) for outcome in outcomes)
    faults = sum(len(outcome.faults) for outcome in outcomes)
    pages = sum(outcome.pages for outcome in outcomes)
    print(f"{len(outcomes)} runs, {pages} pages, {faults} faults; {broken} runs with violations", end="")
    print(f"; {len(waits)} pages in hand when killed: p50 {half:.1f} s, p99 {most:.1f} s" if waits else "")
    return int(broken > 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=_range, default=range(1, 2), help="such as 7 or 1-30")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10, dest="number", help="faults of a run, of whatever kind")
    parser.add_argument(
        "--faults", type=_kinds, default=[*FAULTS], help=f"of {', '.join(FAULTS)}; kill- are all of those"
    )
    parser.add_argument("--form", type=lambda text: text.split(","), default=[*NODES], help="cluster, single or both")
    parser.add_argument("--settle", type=float, default=150.0, help="seconds without progress after which it is judged")
    parser.add_argument("--hold", type=float, default=1.0, help="factor of how long faults last")
    parser.add_argument("--sections", type=int, default=2, help="tasks, of which each has a section of the site")
    parser.add_argument("--every", default="10s", help="the period of the tasks")
    parser.add_argument("--delay", type=float, default=0.1, help="the pace: seconds between two requests")
    parser.add_argument(
        "--within", type=float, default=float("inf"),
        help="seconds within which 99 of 100 pages in hand are worked on again, at a load of 5 (per two cores)",
    )  # fmt: skip
    parser.add_argument("--keep", type=Path, help="where to keep logs and outputs of runs with violations")
    return parser.parse_args()


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _kinds(text: str) -> list[str]:
    """The kinds of a list; a part that ends in a hyphen stands for all that begin with it."""
    parts = text.split(",")
    chosen = [kind for kind in FAULTS if kind in parts or any(kind.startswith(p) for p in parts if p.endswith("-"))]
    if unknown := [part for part in parts if not part.endswith("-") and part not in FAULTS]:
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main())
