"""The time limits and pauses of an extraction worker."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerTimes:
    """The time limits and pauses, in seconds.

    `page_deadline`: for the extraction of one page; `write_deadline`: for the writing of rows to one output, including
    `output_patience`, the longest wait for another process that holds the output. The supervisor kills a worker that
    takes longer, or that has pages and reports nothing for `silence`. `page_lease`: how long a worker's lease of a page
    lasts unless its supervisor renews it, which it does every `renew_every`. After a pause a page is tried again:
    `sink_pause` if an output was unavailable, `claim_pause` if another page is writing its canonical URL, `task_pause`
    if its task is not published, or cannot be run as published.
    """

    page_deadline: float = 20.0
    write_deadline: float = 20.0
    output_patience: float = 10.0
    silence: float = 30.0
    page_lease: float = 10.0
    renew_every: float = 2.0
    sink_pause: float = 5.0
    claim_pause: float = 2.0
    task_pause: float = 15.0
