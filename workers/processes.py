"""Helpers for child processes: ending with the parent, exit codes in words."""

import contextlib
import ctypes
import os
import signal

# Loaded here and not in the child: between fork and exec a lock could be held forever.
_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def die_with_parent(sig: int = signal.SIGKILL, *, parent: int | None = None) -> None:
    """Linux: have the kernel send this process `sig` when its parent (the thread that started it) dies.

    With `parent` (its process id) the process exits at once if that parent is already gone.
    """
    with contextlib.suppress(AttributeError):
        _LIBC.prctl(_PR_SET_PDEATHSIG, sig)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def ended_by(code: int | None) -> str:
    """Return an exit code in words."""
    if code is None:
        return "still running"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"ended by {signal.Signals(-code).name}"
    return f"exit code {code}"
