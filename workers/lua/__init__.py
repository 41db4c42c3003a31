"""The ledger's steps as Lua, each atomic in Redis. Key names (`k_open` …) are set by `workers.ledger`."""

from importlib.resources import files

from ..redis_access.full_redis import ALLOWED_WHEN_FULL

# The steps that only read, or take memory; all others must work in a full Redis: workers empty it by them, and spiders
# keep their leases.
_NOT_WHEN_FULL = frozenset({"add", "arrive", "drop", "forget_settled", "lease", "start_rechecks", "without_row"})

_WITH_ROWS = frozenset({"queue_rows", "remove_rows", "settle", "take_rows"})

FOLLOW_CLOCK = (files(__name__) / "_clock.lua").read_text("utf-8")
COMMON = (files(__name__) / "_common.lua").read_text("utf-8") + FOLLOW_CLOCK
_ROWS = (files(__name__) / "_rows.lua").read_text("utf-8")
SCRIPTS: dict[str, str] = {
    name: ("" if name in _NOT_WHEN_FULL else ALLOWED_WHEN_FULL)
    + (_ROWS if name in _WITH_ROWS else "")
    + entry.read_text("utf-8")
    for entry in files(__name__).iterdir()
    if (name := entry.name.removesuffix(".lua")) != entry.name and not name.startswith("_")
}
