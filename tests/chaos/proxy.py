"""What stands between the nodes and Redis: it forwards each command, and may lose the reply."""

import asyncio
import random
import threading
from collections.abc import Callable
from contextlib import suppress

CHUNK = 1 << 16


class Proxy:
    """Forwards a TCP port to a unix socket. A reply is lost with its connection; its command was executed.

    `loss`: the share of replies that are lost at random.
    """

    def __init__(self, host: str, socket: str, seed: int):
        self.host, self.socket = host, socket
        self.loss = 0.0
        self.lost = 0
        self._random = random.Random(seed)
        self._up = threading.Event()

    def __enter__(self) -> "Proxy":
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="proxy", daemon=True)
        self._thread.start()
        if not self._up.wait(5):
            raise TimeoutError("the proxy does not start")
        self.url = f"redis://{self.host}:{self._port}/0"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._serve, self.host, 0)
        self._port = server.sockets[0].getsockname()[1]
        self._up.set()
        await self._stopping.wait()
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers, pumps = [writer], []
        try:
            server_reader, server_writer = await asyncio.open_unix_connection(self.socket)
            writers.append(server_writer)
            pumps.append(asyncio.ensure_future(self._pump(reader, server_writer)))
            pumps.append(
                asyncio.ensure_future(
                    self._pump(server_reader, writer, is_lost=lambda: self._random.random() < self.loss)
                )
            )
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        except (OSError, asyncio.CancelledError):
            pass  # Redis is away, or the proxy ends
        finally:
            for pump in pumps:
                pump.cancel()
            for each in writers:
                each.close()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_lost: Callable[[], bool] = lambda: False
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if is_lost():
                    self.lost += 1
                    return
                writer.write(data)
                await writer.drain()
