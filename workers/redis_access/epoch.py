"""The epoch of a Redis: a name that changes whenever Redis may have lost acknowledged writes.

An append-only file is written once a second, and a replica is behind its master. So a Redis that restarts, or fails
over, may lack the writes of its last second, although its clients have received the replies. The epoch changes if the
server process behind the connection is another one (its `run_id`), or if the key is missing (Redis was emptied or
restored). A process stores the epoch in which it read something from Redis, and does not rely on it in a later epoch.
"""

import logging
import secrets
from typing import Any, cast

import redis

from .. import keys

log = logging.getLogger(__name__)

# The script itself reads INFO, so that the compared server is the one that is written to.
_ENTER = """
-- Begin a new epoch if the server is not that of the present one. KEYS: epoch. ARGV: id of the new one -> present id
local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local id, known = unpack(redis.call('HMGET', KEYS[1], 'id', 'run_id'))
if id and known == run_id then return id end
redis.call('DEL', KEYS[1]) -- a script that has written may go on writing when Redis' memory is full
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'run_id', run_id, 'at', redis.call('TIME')[1])
return ARGV[1]
"""


class ConnectHook:
    """A hook that redis-py calls for each new connection of a client. `connections`: how many were made."""

    def __init__(self) -> None:
        self.connections = 0

    def __call__(self, connection: Any) -> None:
        """Log in, and begin a new epoch if the server is another one."""
        connection.on_connect()
        connection.retry.call_with_retry(
            lambda: _enter_on(connection),
            lambda error: None,
            is_retryable=lambda error: isinstance(error, redis.BusyLoadingError),
        )
        self.connections += 1


def current_epoch(connection: "redis.Redis") -> str:
    """Return the id of the present epoch. Begins one if there is none."""
    known = cast("bytes | None", connection.hget(keys.EPOCH, "id"))
    return (known or cast(bytes, connection.eval(_ENTER, 1, keys.EPOCH, _new_id()))).decode()


class EpochWatch:
    """The epoch in which a process read its data from Redis. Create it before anything is read."""

    def __init__(self, connection: "redis.Redis"):
        self.redis = connection
        self.epoch = current_epoch(connection)

    def has_changed(self) -> bool:
        """Return whether another epoch began since the last call: Redis may lack what was written until then."""
        before, self.epoch = self.epoch, current_epoch(self.redis)
        return self.epoch != before


def _enter_on(connection: Any) -> None:
    """Run the script on a connection that does not belong to a client yet.

    A server that refuses it (a full disk, a user without rights) refuses the next write with its reason. The
    connection to a replica fails (`redis_address`): it would outlive a promotion, and miss the epoch that begins then.
    """
    connection.send_command("EVAL", _ENTER, 1, keys.EPOCH, _new_id())
    try:
        connection.read_response()
    except redis.ConnectionError:
        raise
    except redis.ResponseError as error:
        log.debug("the epoch is unknown: %s", error)


def _new_id() -> str:
    return secrets.token_hex(8)
