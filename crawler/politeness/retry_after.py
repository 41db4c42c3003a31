"""`Retry-After` (RFC 9110, section 10.2.3): how long a host asks not to be asked.

    Retry-After = HTTP-date / delay-seconds

All three forms of dates of section 5.6.7 are read, and seconds with a fraction, which some servers send.
"""

import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from crawler.politeness.pace import RETRY_AFTER_MOST, Trouble

SAID_BY = frozenset({403, 429, 503})  # answers whose Retry-After is about asking too much, or too early
TOO_MUCH = frozenset({429, 503})  # answers that mean it without the header as well

_SECONDS = re.compile(r"[0-9]{1,300}(?:\.[0-9]{0,300})?")


def seconds_of(value: str, *, date: str = "", now: float | None = None) -> float | None:
    """Return the seconds that a header's value asks for; None if it is none of the forms.

    0 or less: the time is over already. `date`: the answer's own Date header, so that a server whose clock is wrong is
    still understood; without it the Unix time `now` counts.
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    until = _date(value)
    if until is None:
        return None
    sent = _date(date)
    return until - (sent if sent is not None else time.time() if now is None else now)


def trouble_of(response: Any) -> Trouble | None:
    """Return what an answer (Scrapy's `Response`) says against asking on; None if it is a good one."""
    status = response.status
    if status < 400 or status in (404, 410):
        return None
    rest = _rest(response) if status in SAID_BY else 0.0
    if rest > 0:
        return Trouble(f"http {status}; the host asks for {rest:.0f} s", rest, slow=True)
    return Trouble(f"http {status}", slow=status in TOO_MUCH, failed=status >= 500)


def asked_to_wait(response: Any) -> Trouble | None:
    """Return the trouble if an answer says nothing of the page, only that we ask too much."""
    trouble = trouble_of(response)
    return trouble if trouble and trouble.slow and not trouble.failed else None


def _rest(response: Any) -> float:
    """The seconds that an answer asks for, within bounds; 0 if it names none."""
    value, date = ((response.headers.get(name) or b"").decode("latin-1") for name in ("Retry-After", "Date"))
    return min(max(seconds_of(value, date=date) or 0.0, 0.0), RETRY_AFTER_MOST) if value else 0.0


def _date(value: str) -> float | None:
    """Unix seconds of an HTTP date; one without a zone is in UTC, as RFC 9110 has them all."""
    try:
        moment = parsedate_to_datetime(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
