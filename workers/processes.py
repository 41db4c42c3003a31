"""Helpers for child processes: ending with the parent, ending those that hang, exit codes in words, their memory."""

import contextlib
import ctypes
import os
import resource
import signal
import stat
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from .errors import MemoryLimited

# Loaded here and not in the child: between fork and exec the child could wait for a lock forever.
_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
PROC = Path("/proc")
LEAST_MEMORY = 2**29  # bytes of address space; with less, processes fail to start threads
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def die_with_parent(sig: int = signal.SIGKILL, *, parent: int) -> None:
    """Linux: make the kernel send this process `sig` when its parent (the thread that started it) dies.

    `parent`: its process id, read before the fork; the process exits at once if that parent is already gone.
    """
    with contextlib.suppress(AttributeError):
        _LIBC.prctl(_PR_SET_PDEATHSIG, sig)
    if os.getppid() != parent:
        os._exit(1)


def ending_with_parent(sig: int = signal.SIGKILL) -> Callable[[], None]:
    """Return a `preexec_fn` for `subprocess`: the new process calls `die_with_parent` before it starts its program.

    If the program called it instead, a parent that is killed during the program's imports would leave it behind.
    """
    return partial(die_with_parent, sig, parent=os.getpid())


def limit_memory(most: int) -> None:
    """Limit the address space of this process to so many bytes, or to its hard limit if that is lower.

    A process that has mapped nearly as much, or more, gets `LEAST_MEMORY` beside that.
    """
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    with contextlib.suppress(OSError):  # Linux
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = max(most, mapped + LEAST_MEMORY)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def require_memory() -> None:
    """Raise `MemoryLimited` if processes cannot have the least address space with which they start."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY and hard < LEAST_MEMORY:
        raise MemoryLimited(
            f"the hard limit on address space is {hard >> 20} MiB, and at least {LEAST_MEMORY >> 20} MiB are needed; "
            "raise it (ulimit -Hv, LimitAS= of systemd)"
        )


def name_process(name: str) -> None:
    """Linux: let `ps -o comm` and `top` show this process by a name of at most 15 bytes."""
    with contextlib.suppress(AttributeError):
        _LIBC.prctl(_PR_SET_NAME, name.encode())


def stop_by_signal(stop: Callable[..., object]) -> None:
    """Call `stop` at SIGTERM and SIGINT, and at SIGHUP, when the terminal is closed, unless that is ignored (nohup)."""
    for number in STOP_SIGNALS:
        signal.signal(number, stop)

    def stop_without_terminal(*_: object) -> None:
        _forget_closed_terminal()
        stop()

    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, stop_without_terminal)


def _forget_closed_terminal() -> None:
    """Discard what is still to be printed on a terminal that is closed, which would be an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        if stat.S_ISCHR(os.fstat(number).st_mode) and not os.isatty(number):
            os.dup2(nowhere, number)
    os.close(nowhere)


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    """Block stop signals during a fork: with its parent's handlers the child would lose them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


def ended_by(code: int | None) -> str:
    """Return an exit code in words."""
    if code is None:
        return "still running"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"ended by {signal.Signals(-code).name}"
    return f"exit code {code}"


def go_on_watched(seconds: float, message: str) -> None:
    """Fork, and return in the child only; this process watches the child and exits with its exit code.

    Stop signals are passed on to the child, SIGHUP as SIGTERM. A child that has not ended `seconds` after the first one
    is killed, with `message` on standard error: Python cannot handle a signal within a call of C that does not return.
    Call it before threads are started.
    """
    stops = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    parent = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*stops, signal.SIGCHLD})
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.setsid()  # a terminal sends Ctrl-C to the whole process group; the child gets it once, from its parent
        die_with_parent(parent=parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    os._exit(_watched(child, stops, seconds, message))


def _watched(child: int, stops: "set[signal.Signals]", seconds: float, message: str) -> int:
    """Wait for the end of a child and return its exit code."""
    limit: float | None = None
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        left = max(0.0, limit - time.monotonic()) if limit is not None else 3600.0
        received = signal.sigtimedwait({*stops, signal.SIGCHLD}, left)
        if received is None and limit is not None:
            with contextlib.suppress(OSError):  # the terminal may be closed
                os.write(2, f"{message}\n".encode())
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 128 + signal.SIGKILL
        if received is not None and received.si_signo in stops:
            limit = limit or time.monotonic() + seconds
            os.kill(child, signal.SIGTERM if received.si_signo == signal.SIGHUP else received.si_signo)


# The memory of a process and its descendants, read from /proc; 0 without /proc


def below(pid: int) -> list[int]:
    """Return the processes that descend from `pid`, parents first."""
    children = _by_parent()
    descendants = list(children[pid])
    for child in descendants:
        descendants += children[child]
    return descendants


def children_of(pid: int) -> list[int]:
    """Return the processes that `pid` started itself."""
    return _by_parent()[pid]


def _by_parent() -> defaultdict[int, list[int]]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for status in PROC.glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue  # the process has ended meanwhile
        children[parent].append(int(status.parent.name))
    return children


def resident(pids: list[int]) -> int:
    """Return the resident bytes of processes; shared memory counts for each of them."""
    return sum(map(_resident, pids))


def _resident(pid: int) -> int:
    try:
        return int((PROC / str(pid) / "statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0
