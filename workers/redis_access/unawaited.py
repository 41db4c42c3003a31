"""Scripts that are sent without waiting for their replies: Redis executes them while the caller continues to work.

They have a connection of their own. Redis receives them even if the process crashes directly afterwards. If the
connection is lost, it is unknown which of the last ones were executed; nothing is sent twice.
"""

from typing import Any

import redis
from redis.commands.core import Script


class Unawaited:
    """Sends scripts on a connection of the pool. Not for several threads."""

    def __init__(self, connection: "redis.Redis"):
        self._pool = connection.connection_pool
        self._connection: Any = None
        self._pending = 0  # replies that are not read yet
        self._loaded: set[str] = set()  # hashes of the scripts that the server has

    def send(self, script: Script, names: list[str], args: list[Any]) -> None:
        """Send a script with the keys `names`. The first time, or if it cannot be sent, its reply is awaited."""
        if script.sha not in self._loaded:
            script(keys=names, args=args)
            self._loaded.add(script.sha)
            return
        try:
            if self._connection is None:
                self._connection = self._pool.get_connection()
            command = self._connection.pack_command("EVALSHA", script.sha, len(names), *names, *args)
            # No check of the connection by PING: it would read the reply to an earlier script.
            self._connection.send_packed_command(command, check_health=False)
            self._pending += 1
        except (redis.ConnectionError, redis.TimeoutError):
            self._release(is_usable=False)
            script(keys=names, args=args)

    def finish(self) -> None:
        """Read the replies and release the connection. An error only means that the scripts are loaded again."""
        is_usable = False
        try:
            while self._pending:
                self._pending -= 1
                try:
                    self._connection.read_response()
                except redis.ResponseError:
                    self._loaded.clear()
            is_usable = True
        except (redis.ConnectionError, redis.TimeoutError):
            self._loaded.clear()
        finally:
            self._release(is_usable=is_usable)

    def _release(self, *, is_usable: bool) -> None:
        connection, self._connection, self._pending = self._connection, None, 0
        if connection is not None:
            if not is_usable:
                connection.disconnect()
            self._pool.release(connection)
