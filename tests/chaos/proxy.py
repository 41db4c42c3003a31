"""What stands between the nodes and Redis: it forwards each command, and may lose the reply."""

import asyncio
import random
import re
import threading
from collections import Counter
from contextlib import suppress

CHUNK = 1 << 16
GREETINGS = (b"CLIENT", b"HELLO", b"AUTH", b"SELECT")  # of a new connection: losing them would exhaust the retries
# Commands, and the scripts that they run: EVAL sends a script's text, EVALSHA its hash.
_KIND = re.compile(rb"\r\n(EVAL\r\n\$\d+\r\n[^\r]+|[A-Z]{3,}|[0-9a-f]{40})(?=\r\n)")


class Proxy:
    """Forwards a TCP port to a unix socket. A reply is lost with its connection; its command was executed.

    `loss`: the share of replies that are lost at random. `every`: of the replies to each kind of command and to each
    script, lose the first of so many; 0 loses none.
    """

    def __init__(self, host: str, socket: str, seed: int):
        self.host, self.socket = host, socket
        self.loss = 0.0
        self.lost = 0
        self.every = 0
        self._answered = Counter[bytes]()  # replies by kind of command
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
        asked = [b""]  # the kind of the command that was sent last
        writers, pumps = [writer], []
        try:
            server_reader, server_writer = await asyncio.open_unix_connection(self.socket)
            writers.append(server_writer)
            pumps.append(asyncio.ensure_future(self._send(reader, server_writer, asked)))
            pumps.append(asyncio.ensure_future(self._reply(server_reader, writer, asked)))
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        except (OSError, asyncio.CancelledError):
            pass  # Redis is away, or the proxy ends
        finally:
            for pump in pumps:
                pump.cancel()
            for each in writers:
                each.close()

    async def _send(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: list[bytes]) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                asked[0] = b" ".join(_KIND.findall(data[:CHUNK])[:4])
                writer.write(data)
                await writer.drain()

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: list[bytes]) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if self._is_lost(asked[0]):
                    self.lost += 1
                    return
                writer.write(data)
                await writer.drain()

    def _is_lost(self, kind: bytes) -> bool:
        if self.every and not kind.startswith(GREETINGS):
            self._answered[kind] += 1
            return self._answered[kind] % self.every == 1
        return self._random.random() < self.loss
