"""A Redis that is full: it has reached `maxmemory` and refuses commands that could take more.

A refused command has had no effect. Four kinds of callers:

- Steps that free memory, or take only a few bytes (settling a page, a heartbeat), are still done: Redis lets a script
  continue once it has written, so these scripts begin with a write that changes nothing (`ALLOWED_WHEN_FULL`). Measured
  with Redis 6.2 and 7.0.
- Commands that belong together are sent as one step (`in_one_step`).
- A spider sends its commands again until memory is free (`WaitingRedis`).
- Others skip steps that can be done later (`is_full_error`).

Within a MULTI a full Redis refuses every command, including reads.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import redis

from .redis_scripts import ScriptClient

# No key has the name `KEYS[1]` with this suffix.
ALLOWED_WHEN_FULL = "redis.call('UNLINK', KEYS[1] .. ':none')\n"
LOOK_EVERY = 0.5  # seconds between two attempts to send a refused command
PATIENCE = 60.0  # seconds for which a refused command is sent again

_REFUSED = "OOM command not allowed"
_COMMANDS = """
-- ARGV: for each command the number of its words, its words -> its reply
local replies, at = {}, 1
while at <= #ARGV do
  local last = at + ARGV[at]
  replies[#replies + 1] = redis.call(unpack(ARGV, at + 1, last))
  at = last + 1
end
return replies
"""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RedisMemory:
    """The memory of a Redis server. `limit`: `maxmemory`, or without it the memory of its machine; both in bytes."""

    used: int
    limit: int
    has_maxmemory: bool = False

    @property
    def share(self) -> float:
        """The used share of the limit; 0 if the limit is unknown."""
        return self.used / self.limit if self.limit else 0.0

    @property
    def is_full(self) -> bool:
        """Whether commands that could take memory are refused."""
        return self.has_maxmemory and self.used >= self.limit

    @classmethod
    def of_info(cls, info: dict[str, Any]) -> "RedisMemory":
        """Return the memory in a response to `INFO memory`."""
        most = int(info.get("maxmemory", 0))
        return cls(int(info["used_memory"]), most or int(info.get("total_system_memory", 0)), bool(most))


def memory_of(connection: "redis.Redis") -> RedisMemory:
    """Return the memory of the server behind a connection."""
    return RedisMemory.of_info(connection.info("memory"))


def is_full_error(error: BaseException) -> bool:
    """Whether Redis refused a command because it is full; it has had no effect."""
    # Redis 6.2 does not give the error of a script this type.
    return isinstance(error, redis.exceptions.OutOfMemoryError) or (
        isinstance(error, redis.ResponseError) and _REFUSED in str(error)
    )


def in_one_step(
    connection: "redis.Redis",
    commands: Iterable[Sequence[str | bytes | float]],
    *,
    writes: bool = False,
    pipe: Any = None,
) -> list[Any]:
    """Send commands in place of a MULTI, which a full Redis refuses; return the reply to each.

    They only read or, with `writes`, take only a few bytes. Each has its key as its second word. They are repeated if
    their replies are lost. With `pipe`, which must not be a MULTI, they become part of that pipeline, and their replies
    one of its replies.
    """
    text = ALLOWED_WHEN_FULL + _COMMANDS if writes else _COMMANDS
    sent = list(commands)
    args = [word for command in sent for word in (len(command), *command)]
    return cast(list[Any], connection.register_script(text)(keys=[str(sent[0][1])], args=args, client=pipe))


def even_when_full(connection: "redis.Redis", command: str, key: str, *args: str | bytes | float) -> Any:
    """Send a command for one key that takes only a few bytes, in a form that a full Redis does not refuse."""
    return in_one_step(connection, [(command, key, *args)], writes=True)[0]


class WaitingRedis(ScriptClient):
    """A client for spiders: while Redis is full, its commands wait, because a refused command has had no effect.

    `on_wait` is called before each further attempt; it may only send commands that are not refused. After `patience`
    seconds the error is raised.
    """

    patience = PATIENCE
    look_every = LOOK_EVERY
    on_wait: Callable[[], None] | None = None

    @classmethod
    def of(cls, connection: "redis.Redis") -> "WaitingRedis":
        """Return a waiting client that shares the connections of another client."""
        return cls(connection_pool=connection.connection_pool)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """As in redis-py."""
        send: Callable[..., Any] = super().execute_command
        return self.patiently(lambda: send(*args, **options))

    def patiently(self, step: Callable[[], Result]) -> Result:
        """Run a step that has no effect if Redis refuses it; repeat it until it is accepted."""
        until: float | None = None
        while True:
            try:
                return step()
            except redis.ResponseError as error:
                now = time.monotonic()
                until = now + self.patience if until is None else until
                if not is_full_error(error) or now >= until:
                    raise
            time.sleep(self.look_every)
            if self.on_wait is not None:
                self.on_wait()
