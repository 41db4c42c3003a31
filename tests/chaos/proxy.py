"""What stands between the nodes and Redis: it forwards each command, and may lose the reply."""

import asyncio
import random
import threading
from contextlib import suppress

CHUNK = 1 << 16


class Proxy:
    """Forwards a TCP port to a unix socket. `loss`: the share of replies that are lost, with their connection."""

    def __init__(self, host: str, socket: str, seed: int):
        self.host, self.socket = host, socket
        self.loss = 0.0
        self.lost = 0
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._up = threading.Event()

    def __enter__(self) -> "Proxy":
        threading.Thread(target=self._run, name="proxy", daemon=True).start()
        if not self._up.wait(5):
            raise TimeoutError("the proxy does not start")
        self.url = f"redis://{self.host}:{self._port}/0"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, self.host, 0))
        self._port = server.sockets[0].getsockname()[1]
        self._up.set()
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            back_reader, back_writer = await asyncio.open_unix_connection(self.socket)
            pumps = [
                asyncio.ensure_future(self._pump(reader, back_writer)),
                asyncio.ensure_future(self._pump(back_reader, writer, replies=True)),
            ]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in pumps:
                pump.cancel()
            back_writer.close()
        writer.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, replies: bool = False) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if replies and self._random.random() < self.loss:
                    self.lost += 1
                    return
                writer.write(data)
                await writer.drain()
