"""Process many kept pages in several processes, each of which may crash or hang on a page.

Each process gets some pages and ends after them. The processes are forked, so that they share data that was prepared
before. Results come in any order.
"""

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Generic, TypeVar

from ..processes import die_with_parent, ended_by, limit_memory

AT_ONCE = 30  # pages that a process gets: as many as a block has at most, which are read together
DEADLINE = 20.0  # seconds for one page
MEMORY_LIMIT = 3 * 2**30  # bytes of address space of a process

Result = TypeVar("Result")


@dataclass(slots=True)
class _PageProcess:
    process: ForkProcess
    pipe: Connection  # from which its results are read
    pages: deque[int]  # pages whose results are awaited, in order
    limit: float  # when the next result is overdue


class PageProcesses(Generic[Result]):
    """Calls a function with each page, in several processes.

    `start`: called once in each process, returns the function. `failed(page, reason)`: returns the result of a page
    that ended its process or took longer than `deadline` seconds.
    """

    def __init__(
        self,
        start: Callable[[], Callable[[int], Result]],
        failed: Callable[[int, str], Result],
        *,
        processes: int | None = None,
        deadline: float = DEADLINE,
    ):
        self._start, self._failed, self._deadline = start, failed, deadline
        self._processes = processes or max(1, len(os.sched_getaffinity(0)))
        self._children: list[_PageProcess] = []

    def results(self, pages: Sequence[int]) -> Generator[Result, None, None]:
        """Yield the result of each page. All processes have ended when the iteration ends or is closed."""
        waiting = deque(pages)
        try:
            while waiting or self._children:
                while waiting and len(self._children) < self._processes:
                    self._fork([waiting.popleft() for _ in range(min(AT_ONCE, len(waiting)))])
                yield from self._collect(waiting)
        finally:
            for child in self._children:
                child.process.kill()
                child.process.join()
            self._children.clear()

    def _collect(self, waiting: "deque[int]") -> Iterator[Result]:
        """Yield the results that have come, and those of pages that ended their process."""
        first_limit = min(child.limit for child in self._children)
        ready = wait([child.pipe for child in self._children], timeout=max(0.0, first_limit - time.monotonic()))
        for child in [child for child in self._children if child.pipe in ready]:
            try:
                yield child.pipe.recv()
            except EOFError:
                child.process.join()
                yield self._give_up(child, waiting, f"its process ended: {ended_by(child.process.exitcode)}")
            else:
                child.pages.popleft()
                child.limit = time.monotonic() + self._deadline
                if not child.pages:
                    self._end(child)
        if not ready:
            for child in [late for late in self._children if late.limit <= time.monotonic()]:
                yield self._give_up(child, waiting, f"took longer than {self._deadline:g} seconds")

    def _give_up(self, child: _PageProcess, waiting: "deque[int]", reason: str) -> Result:
        page = child.pages.popleft()
        waiting.extendleft(reversed(child.pages))
        self._end(child)
        return self._failed(page, reason)

    def _end(self, child: _PageProcess) -> None:
        child.pipe.close()
        child.process.kill()
        child.process.join()
        self._children.remove(child)

    def _fork(self, pages: Sequence[int]) -> None:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=self._work, args=(theirs, pages, os.getpid()), daemon=True)
        process.start()
        theirs.close()
        self._children.append(_PageProcess(process, ours, deque(pages), time.monotonic() + self._deadline))

    def _work(self, pipe: Connection, pages: Sequence[int], parent: int) -> None:
        """Send the result of each page; only the parent reacts to signals."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        die_with_parent(parent=parent)
        limit_memory(MEMORY_LIMIT)
        work = self._start()
        for page in pages:
            pipe.send(work(page))
