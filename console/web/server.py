"""The console as a process: it connects to Redis, serves until it is stopped, and ends its child processes."""

import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from console.web.app import create_app
from console.web.config import ConsoleConfig
from console.web.context import Web
from console.web.data import ConsoleData
from console.web.surveys import LocalRun
from workers.errors import ExemplarError
from workers.processes import STOP_SIGNALS
from workers.redis_access.connection import connect
from workers.redis_access.embedded import owns_embedded, redis_for
from workers.state_folder import state_folder

PURPOSE = "console"
END_WAIT = 2  # seconds for open requests when the console ends


@contextmanager
def console_parts(config: ConsoleConfig, *, say: Callable[[str], None]) -> Iterator[Web]:
    """Yield the parts of a console, connected; afterwards end them. Raises `RedisUnavailable`, `RedisRefused`."""
    state = state_folder(config.tasks.absolute().parent).absolute()
    with redis_for(state, purpose=PURPOSE, say=say) as url:
        connection = connect(url)
        data = ConsoleData(config, url, connection, state)
        is_own = "REDIS_URL" not in os.environ and owns_embedded(state, PURPOSE)
        web = Web(data, LocalRun(url, config.tasks) if is_own else None)
        data.start()
        try:
            yield web
        finally:
            web.jobs.stop()
            if web.engine is not None:
                web.engine.stop()
            data.stop()
            connection.close()


def serve(config: ConsoleConfig, *, say: Callable[[str], None]) -> None:
    """Serve the console until SIGINT or SIGTERM."""
    import uvicorn

    from console.web.connections import Connection, noting_requests

    with _listening(config) as listener, console_parts(config, say=say) as web:
        say(f"the console is at {config.address}; press Ctrl-C to stop")
        server = uvicorn.Server(
            uvicorn.Config(
                noting_requests(create_app(web)),
                http=Connection,
                host=config.host,
                port=config.port,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=END_WAIT,
                lifespan="off",
            )
        )
        for name in STOP_SIGNALS:  # uvicorn raises them again at its end, but child processes must be ended first
            signal.signal(name, lambda number, frame: None)
        server.run(sockets=[listener])


def _listening(config: ConsoleConfig) -> socket.socket:
    """Return a socket that listens at the console's address. Raises `ExemplarError` if that is in use or unusable."""
    try:
        family = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((config.host, config.port), family=family, backlog=2048)
    except OSError as error:
        at = f"[{config.host}]:{config.port}" if ":" in config.host else f"{config.host}:{config.port}"
        if error.errno == errno.EADDRINUSE:
            raise ExemplarError(f"{at} is in use by another program; choose another port with --port") from None
        why = (error.strerror or str(error)).partition(" (")[0]
        raise ExemplarError(f"{at} is unusable: {why}; choose another address with --host") from None
