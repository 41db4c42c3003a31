"""A pipeline whose scripts survive a restart of the server, also one between the check for them and their call."""

from typing import Any

import redis
from redis.client import Pipeline

ATTEMPTS = 3


class ScriptPipeline(Pipeline):
    """Sends its commands again if the server lost its scripts meanwhile.

    redis-py loads the scripts of a pipeline first, then repeats the commands alone while the connection fails; a server
    that started again in between refuses each script. Other commands may have had their effect, as after any repeat.
    """

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """As in redis-py. Raises `redis.ConnectionError` if the scripts were lost at each attempt."""
        commands, scripts, is_watching = self.command_stack, self.scripts, self.watching
        for _ in range(1 if is_watching else ATTEMPTS):
            self.command_stack, self.scripts = commands, scripts  # redis-py empties both after each attempt
            try:
                return super().execute(raise_on_error)
            except redis.exceptions.NoScriptError:
                continue
        raise redis.ConnectionError("Redis lost its scripts: it started again")


class PipelineClient(redis.Redis):
    """A client whose pipelines are `ScriptPipeline`s."""

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:
        """As in redis-py."""
        return ScriptPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)
