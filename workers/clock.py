"""The clock of ledger and workers: a function that returns the present time. Tests pass their own."""

from collections.abc import Callable
from datetime import UTC, date, datetime

Clock = Callable[[], float]  # Unix seconds


def day_at(seconds: float) -> date:
    """Return the day in UTC of a time in Unix seconds."""
    return datetime.fromtimestamp(seconds, UTC).date()
