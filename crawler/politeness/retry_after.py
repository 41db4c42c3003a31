"""`Retry-After` (RFC 9110, section 10.2.3): how long a host accepts no requests.

    Retry-After = HTTP-date / delay-seconds

All three forms of dates of section 5.6.7 are read, and seconds with a fraction, which some servers send.
"""

import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from crawler.politeness.pace import RETRY_AFTER_MOST, HostProblem

WITH_RETRY_AFTER = frozenset({403, 429, 503})  # statuses whose Retry-After means too many or too early requests
TOO_MANY = frozenset({429, 503})  # statuses with this meaning even without the header

_SECONDS = re.compile(r"[0-9]{1,300}(?:\.[0-9]{0,300})?")


def seconds_of(value: str, *, date: str = "", now: float | None = None) -> float | None:
    """Return the seconds of a header's value; None if it has none of the forms.

    0 or less: the time is over. `date`: the response's own Date header, so that a server's wrong clock does no harm;
    without it the Unix time `now` is used.
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    until = _date(value)
    if until is None:
        return None
    sent = _date(date)
    return until - (sent if sent is not None else time.time() if now is None else now)


def problem_of(response: Any) -> HostProblem | None:
    """Return the problem that a response (Scrapy's `Response`) shows for further requests; None if it is a good one."""
    status = response.status
    if status < 400 or status in (404, 410):
        return None
    rest = _rest(response) if status in WITH_RETRY_AFTER else 0.0
    if rest > 0:
        return HostProblem(f"http {status}; Retry-After: {rest:.0f} s", rest, slow=True)
    return HostProblem(f"http {status}", slow=status in TOO_MANY, failed=status >= 500)


def too_many_requests(response: Any) -> HostProblem | None:
    """Return the problem if a response is not about the page: the host gets too many requests."""
    problem = problem_of(response)
    return problem if problem and problem.slow and not problem.failed else None


def _rest(response: Any) -> float:
    """Return the seconds of a response's Retry-After, within bounds; 0 if it has none."""
    value, date = ((response.headers.get(name) or b"").decode("latin-1") for name in ("Retry-After", "Date"))
    return min(max(seconds_of(value, date=date) or 0.0, 0.0), RETRY_AFTER_MOST) if value else 0.0


def _date(value: str) -> float | None:
    """Unix seconds of an HTTP date; a date without a zone is in UTC, as RFC 9110 requires."""
    try:
        moment = parsedate_to_datetime(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
