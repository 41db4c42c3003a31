"""The time limits and pauses of an extraction worker."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerTimes:
    """All in seconds.

    `page_deadline`: for the extraction of one page; the supervisor kills a worker that takes longer. `lease_margin`: on
    top of it, since waiting for a file's lock or a database belongs to the lease and not to the deadline. The pauses
    are until a page is tried again: `sink_pause` if its output was unavailable, `claim_pause` if another page is
    writing its canonical URL, `task_pause` if its task is not published, or can't be run as published.
    """

    page_deadline: float = 20.0
    lease_margin: float = 40.0
    sink_pause: float = 5.0
    claim_pause: float = 2.0
    task_pause: float = 15.0
