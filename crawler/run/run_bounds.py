"""The clock and the bounds of a run, which users do not set. Tests pass others."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from workers.ledger import RETRY_PAUSES


@dataclass(frozen=True, slots=True)
class RunBounds:
    """The clock of one run (`now`: aware; `monotonic`: seconds), and its bounds."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    pauses: tuple[float, ...] = RETRY_PAUSES  # seconds before a page's next attempt, by attempts
    backfill_a_run: int = 200  # articles found by back-fills that another run fetches
    backfill_waiting: int = 500  # articles found by back-fills that may wait to be fetched
    entered_at_once: int = 1000  # URLs that are entered in the ledger together: a sitemap has 50,000


BOUNDS = RunBounds()
