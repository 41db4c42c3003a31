"""Scripts that survive a restart of the server, even between their loading and their call.

redis-py loads a script that the server lacks, and then calls it. A server that started again in between has lost the
script, and refuses the call. So the call is repeated, as redis-py repeats commands while a connection fails.
"""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, cast
from weakref import WeakKeyDictionary

import redis
from redis.client import Pipeline
from redis.commands.core import Script

ATTEMPTS = 3

_loaded: WeakKeyDictionary[redis.ConnectionPool, set[str]] = WeakKeyDictionary()  # hashes of scripts that a server had


class ScriptClient(redis.Redis):
    """A client whose scripts and pipelines are repeated when the server has lost a script.

    Other commands of a repeated pipeline may have had their effect before, as in any repetition. Raises
    `redis.ConnectionError` if the script was lost at each attempt.
    """

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:
        """As in redis-py."""
        return ScriptPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)

    def register_script(self, script: Any) -> Script:
        """As in redis-py."""
        return _RepeatedScript(self, script)


class ScriptPipeline(Pipeline):
    """A pipeline of a `ScriptClient`.

    Before each pipeline redis-py asks the server whether it has the scripts. Without MULTI this one asks only once: if
    the server has lost a script since, the pipeline is repeated.
    """

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """As in redis-py."""
        commands, scripts, is_watching = self.command_stack, self.scripts, self.watching
        is_multi = cast(bool, self.transaction) or self.explicit_transaction  # redis-py has a method of this name, too
        is_asked = not raise_on_error or is_watching or is_multi
        loaded = _loaded.setdefault(self.connection_pool, set())
        for _ in range(1 if is_watching else ATTEMPTS):
            # redis-py empties both after each attempt
            self.command_stack = commands
            self.scripts = {script for script in scripts if is_asked or script.sha not in loaded}
            try:
                replies = super().execute(raise_on_error)
            except redis.exceptions.NoScriptError:
                loaded.clear()
                continue
            loaded.update(script.sha for script in scripts)
            return replies
        raise _lost()


class _RepeatedScript(Script):
    def __init__(self, client: ScriptClient, script: str | bytes):
        # Not redis-py's constructor, which hashes the text at each call: a ledger has forty scripts, and each job has a
        # ledger.
        self.registered_client, self.script, self.sha = client, script, _sha_of(script)

    def __call__(self, keys: Any = None, args: Iterable[Any] | None = None, client: Any = None) -> Any:
        for _ in range(ATTEMPTS):
            try:
                return super().__call__(keys, args, client)
            except redis.exceptions.NoScriptError:
                continue
        raise _lost()


@lru_cache(maxsize=256)
def _sha_of(script: str | bytes) -> str:
    """Return the hash by which Redis identifies a script."""
    return hashlib.sha1(script.encode() if isinstance(script, str) else script, usedforsecurity=False).hexdigest()


def _lost() -> redis.ConnectionError:
    return redis.ConnectionError("Redis lost its scripts: it started again")
