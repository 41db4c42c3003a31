"""Scripts that survive a restart of the server and lost replies: a repeated request has one effect and the same reply.

redis-py loads a script that the server lacks, and then calls it. A server that started again in between has lost the
script, and refuses the call. So the call is repeated, as redis-py repeats commands while a connection fails.

A client whose connection breaks repeats its command, although the server may have executed it. Many steps would reply
differently the second time: `add` reports a URL as new only once. So each request has a number, and the script keeps
its last reply to each client (a thread of a process); the same number gives the same reply. This takes one key per
client. The steps of a transaction or pipeline have keys of their own, since it is repeated as a whole.
"""

import os
import secrets
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import redis
from redis.client import Pipeline
from redis.commands.core import Script

from .. import keys

ATTEMPTS = 3
_LOST = "Redis lost its scripts: it started again"
Result = TypeVar("Result")

REPLY_KEPT = 90  # seconds: a client gives up within 7 attempts of 10 s and the back-off between them (`connection`)
STEPS_TOGETHER = 256  # steps of one transaction or pipeline, at most
# The last of KEYS is the key of the reply, the last of ARGV the number of the request. Both are removed, so that a step
# only has its own. A full Redis does not store the reply of a step that did not write (`pcall`).
RECALL = f"""
local request, reply_key = table.remove(ARGV), table.remove(KEYS)
local last_request, last_reply
local last = redis.call('GET', reply_key)
if last then last_request, last_reply = cmsgpack.unpack(last) end
local is_repeated = last_request == request
local function keep_reply(reply) redis.pcall('SET', reply_key, cmsgpack.pack(request, reply), 'EX', {REPLY_KEPT}) end
"""
_BEFORE = "if is_repeated then return last_reply end\nlocal function step()"
_AFTER = "end\nlocal reply = step()\nkeep_reply(reply)\nreturn reply\n"


class ScriptClient(redis.Redis):
    """A client whose scripts and pipelines are repeated when the server has lost a script.

    Other commands of a repeated pipeline may have had their effect before, as in any repetition. Raises
    `redis.ConnectionError` if the script was lost at each attempt.
    """

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:
        """As in redis-py."""
        return _ScriptPipeline(self, transaction, shard_hint)

    def register_script(self, script: Any) -> Script:
        """As in redis-py."""
        return _RepeatedScript(self, script)

    def patiently(self, step: Callable[[], Result]) -> Result:
        """Run a step that has no effect if Redis refuses it; a subclass may repeat it."""
        return step()


class _ScriptPipeline(Pipeline):
    """A pipeline of a `ScriptClient`."""

    def __init__(self, client: ScriptClient, transaction: bool, shard_hint: Any):
        super().__init__(client.connection_pool, client.response_callbacks, transaction, shard_hint)
        self._client, self._is_transaction = client, transaction

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """As in redis-py."""
        commands, scripts = self.command_stack, self.scripts
        execute, is_multi = super().execute, self._is_transaction or self.explicit_transaction

        def send() -> list[Any]:
            self.command_stack, self.scripts = commands, {*scripts}  # redis-py empties both after each attempt
            return execute(raise_on_error)

        if self.watching:
            return send()
        # Without MULTI some commands may have had their effect
        return self._client.patiently(lambda: _repeated(send)) if is_multi else _repeated(send)


class _RepeatedScript(Script):
    def __call__(self, keys: Any = None, args: Iterable[Any] | None = None, client: Any = None) -> Any:
        call = super().__call__
        return _repeated(lambda: call(keys, args, client))


def _repeated(step: Callable[[], Result]) -> Result:
    for _ in range(ATTEMPTS):
        try:
            return step()
        except redis.exceptions.NoScriptError:
            continue
    raise redis.ConnectionError(_LOST)


def answered_once(text: str) -> str:
    """Return a script that executes `text` once for each request, and keeps its reply."""
    return "\n".join((RECALL, _BEFORE, text, _AFTER))


class Step:
    """A script of one connection that is executed once for each request.

    `declares`: `RECALL` if the script itself uses the functions in it. `is_repeatable`: it has the same effect and
    reply when it runs twice. `script`: as Redis gets it.
    """

    def __init__(self, connection: "redis.Redis", text: str, *, declares: str = "", is_repeatable: bool = False):
        self._is_repeatable = is_repeatable
        self.script = connection.register_script(declares + text if declares or is_repeatable else answered_once(text))

    def __call__(self, names: list[str], args: list[Any], pipe: Any = None) -> Any:
        """Run the script with the keys `names`. With `pipe` it becomes part of that transaction."""
        if self._is_repeatable:
            return self.script(keys=names, args=args, client=pipe)
        reply_key, request = _requests.next(is_part=pipe is not None)
        return self.script(keys=[*names, reply_key], args=[*args, request], client=pipe)


class _Requests(threading.local):
    """The requests of one thread."""

    def __init__(self) -> None:
        self._process = 0
        self._client = ""
        self._number = 0

    def next(self, *, is_part: bool) -> tuple[str, int]:
        """Return the key of the next request's reply, and the request's number."""
        if self._process != os.getpid():  # a child process after `fork` is another client
            self._process, self._client = os.getpid(), secrets.token_hex(8)
        self._number += 1
        name = f"{self._client}:{self._number % STEPS_TOGETHER}" if is_part else self._client
        return keys.REPLY + name, self._number


_requests = _Requests()
