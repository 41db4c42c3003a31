"""One extraction worker as its supervisor sees it: its process, what it reported, and what it exceeded."""

import time
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess
from typing import Any, Literal

from .url_states import Fingerprint

Stage = Literal["page", "writing", "between pages"]


@dataclass
class SupervisedWorker:
    """A running worker and what it reported. `silence`: seconds without a report between two pages of a job."""

    name: str
    process: ForkProcess
    reports: int  # read end of its pipe
    silence: float
    started: float = field(default_factory=time.monotonic)
    buffer: bytearray = field(default_factory=bytearray)
    task: str = ""
    job: list[Fingerprint] = field(default_factory=list)
    page: Fingerprint = ""
    unwritten: list[Fingerprint] = field(default_factory=list)  # pages whose rows it is writing
    stage: Stage = "page"
    limit: float = 0.0  # seconds that the present stage may last; 0 if there is none
    deadline: float = 0.0  # when it ends, monotonic

    def note(self, message: dict[str, Any]) -> int:
        """Take a report of what the worker does. Returns how many pages of its job it begins."""
        if "begin" in message:
            is_new = message["begin"] != self.page and message["begin"] in self.job
            self.page = message["begin"]
            self._enter("page", message["seconds"])
            return int(is_new)
        if "writing" in message:
            self.unwritten = message["writing"]
            self._enter("writing", message["seconds"])
        elif "job" in message:
            self.task, self.job, self.page = message["task"], message["job"], ""
            self._enter("between pages", self.silence if self.job else 0.0)
        elif "end" in message:
            self._enter("between pages", self.silence if self.job else 0.0)
        return 0

    def _enter(self, stage: Stage, seconds: float) -> None:
        if stage != "writing":
            self.unwritten = []
        self.stage = stage
        self.limit = seconds
        self.put_off()

    def put_off(self) -> None:
        """Let the present stage begin now: what lasted was not the worker's fault."""
        self.deadline = time.monotonic() + self.limit

    def is_overdue(self) -> bool:
        """Whether the worker exceeded the limit of its present stage."""
        return self.limit > 0 and time.monotonic() > self.deadline

    def is_busy(self) -> bool:
        """Whether the worker has a job or a stage with a limit."""
        return bool(self.job) or self.limit > 0
