"""The plan of rechecks: when a written page is rechecked, and whether a recheck found a change."""

from dataclasses import replace

from ..url_states import RecheckPlan, ThreadEnd

HASH_UNKNOWN = ""  # of the text of a row whose plan was lost
Revisit = tuple[float, float] | None  # seconds between two checks, and for how long; None: no rechecks


def next_recheck(
    revisit: Revisit, previous: RecheckPlan | None, version: int, hash_: str, *, now: float, renew: bool = False
) -> RecheckPlan | None:
    """Return when to recheck a page whose row has this version and hash; None if never.

    `previous`: the plan up to this check, None at the first. The time for rechecks begins at the first check; with
    `renew` it starts over. If the task no longer has `revisit`, this check was the last one.
    """
    if previous is None and revisit is None:
        return None
    every, during = revisit or (0.0, 0.0)
    until = now + during if renew or previous is None else previous.until
    return RecheckPlan(every, until if revisit else 0.0, version, hash_)


def next_list_recheck(
    revisit: Revisit,
    previous: RecheckPlan | None,
    hash_: str,
    *,
    has_new: bool,
    now: float,
    thread: ThreadEnd | None = None,
) -> RecheckPlan | None:
    """Return when to check a list page again: as long as it had a new entry within the time that `revisit` gives.

    Version 0 means that the page never had a row of its own. `thread`: where the next visit of a thread begins.
    """
    version = previous.version if previous else 0
    plan = next_recheck(revisit, previous, version, hash_, now=now, renew=has_new)
    return replace(plan, thread=thread) if plan else None


def recovered_recheck(revisit: Revisit, version: int, fetched_at: float, *, now: float) -> RecheckPlan | None:
    """Return the plan of a row of this version whose plan was lost; None if no recheck is left.

    The hash of its text is unknown, so the next recheck only stores it.
    """
    if revisit is None or now + revisit[0] > fetched_at + revisit[1]:
        return None
    return RecheckPlan(revisit[0], fetched_at + revisit[1], version, HASH_UNKNOWN)


def is_unchanged(previous: RecheckPlan, hash_: str, *, is_incomplete: bool) -> bool:
    """Whether a recheck creates no new version: the text is the same, or the article is incomplete this time.

    The hashes are of texts extracted with the example alone: other voters may extract another text of the same article.
    """
    return is_incomplete or previous.hash in (hash_, HASH_UNKNOWN)
