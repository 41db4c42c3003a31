"""The embedded Redis, which is started when no `REDIS_URL` is given: a server program (`redis_binary`) as a child
process.

It listens on a unix socket only, in the state folder, and keeps its data there in an append-only file. One command at a
time owns it; while `exemplar run` owns it, other commands use the same server.
"""

import fcntl
import json
import logging
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import redis

from ..errors import RedisUnavailable
from ..processes import ending_with_parent
from .connection import connect
from .redis_binary import RedisBinary, redis_binary, refuse_newer_data

LONGEST_SOCKET = 100  # bytes of a unix socket's path, somewhat below the kernel's limit of 107
START_WAIT = 30.0  # seconds; a large append-only file takes long to load
PREDECESSOR_WAIT = 15.0  # seconds to wait for the end of a server whose owner was killed
OWNER_WAIT = 60.0  # seconds to wait for another short command that owns this folder's Redis
SHARING = ("run", "console")  # while these commands run, other commands may use their Redis
OWNER = "owner.json"  # in the state folder, locked by the process that it names
LOG = "redis.log"  # in the server's folder; that of the last start
LOG_TAIL = 3  # lines of the server's log that an error message shows

log = logging.getLogger(__name__)


class Embedded:
    """The embedded Redis of a state folder, running and supervised between `start` and `stop`.

    `binary`: the server program; by default the one that `redis_binary` chooses.
    """

    def __init__(self, state: Path, *, binary: RedisBinary | None = None):
        self._binary = binary
        self.folder = state.absolute() / "redis"
        self.socket = _socket_path(self.folder)
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: int | None = None  # the lock file, open as long as this process or its server lives
        self._stopping = threading.Event()
        self._keeper: threading.Thread | None = None
        self.restarts = 0

    def __enter__(self) -> str:
        """Start the server and return its URL, as `start` does."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Stop the server."""
        self.stop()

    def start(self) -> str:
        """Start the server and a thread that restarts it if it dies. Returns its URL.

        Raises `RedisUnavailable` with the last lines of the server's log if it does not start, or if there is no server
        program that can read the folder's data.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _make_private(self.socket.parent)
            self._binary = self._binary or redis_binary()
            refuse_newer_data(self.folder, self._binary)
            self._lock = _locked(self.folder / "lock")
            (self.folder / LOG).unlink(missing_ok=True)
        except OSError as error:
            raise RedisUnavailable(f"the embedded Redis cannot use {self.folder}: {error.strerror or error}") from None
        up: Future[None] = Future()
        # Only the keeper starts servers: the kernel ends a child when the *thread* that started it ends.
        self._keeper = threading.Thread(target=self._keep, args=(up,), name="embedded-redis", daemon=True)
        self._keeper.start()
        try:
            up.result()
        except (RedisUnavailable, OSError) as error:
            self.stop()
            raise RedisUnavailable(str(error)) from None
        return self.url

    def stop(self) -> None:
        """Stop the server; all acknowledged writes are on disk."""
        self._stopping.set()
        if self._keeper is not None:
            self._keeper.join()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(START_WAIT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self.socket.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _launch(self) -> None:
        assert self._lock is not None
        assert self._binary is not None
        self.socket.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [str(self._binary.path), *_arguments(self.folder, self.socket)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C must not stop the server before the commands that use it
            pass_fds=(self._lock,),
            preexec_fn=ending_with_parent(signal.SIGTERM),
        )
        self._wait_until_up()

    def _wait_until_up(self) -> None:
        assert self._process is not None
        limit = time.monotonic() + START_WAIT
        while time.monotonic() < limit:
            if answers(self.url):
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        raise RedisUnavailable(f"the embedded Redis in {self.folder} does not start: {self._end_of_log()}")

    def _end_of_log(self) -> str:
        try:
            lines = (self.folder / LOG).read_text("utf-8", "replace").splitlines()
        except OSError:
            return "it wrote no log"
        return " / ".join(line.strip() for line in lines[-LOG_TAIL:])

    def _keep(self, up: "Future[None]") -> None:
        try:
            self._launch()
        except (RedisUnavailable, OSError) as error:
            up.set_exception(error)
            return
        up.set_result(None)
        while not self._stopping.wait(0.2):
            if self._process is not None and self._process.poll() is not None:
                self.restarts += 1
                log.warning("the embedded Redis died; it is restarted")
                try:
                    self._launch()
                except (RedisUnavailable, OSError) as error:
                    log.error("%s", error)
                    self._stopping.wait(1.0)


@contextmanager
def redis_for(state: Path, *, purpose: str, say: Callable[[str], None] = log.info) -> Iterator[str]:
    """Yield the URL of the Redis to use: `REDIS_URL`, or the embedded one of the state folder while the block runs.

    `purpose`: the command's name; while "run" or "console" owns the server, others share it, and they wait some
    time for any other owner to end.
    Raises `RedisUnavailable` or `RedisRefused`.
    """
    named = os.environ.get("REDIS_URL")
    if named:
        connect(named).close()
        yield named
        return
    server = Embedded(state)
    with _ownership(state, purpose, server.url, say) as owner:
        if not owner:
            yield server.url
            return
        try:
            yield server.start()
        finally:
            server.stop()


@contextmanager
def _ownership(state: Path, purpose: str, url: str, say: Callable[[str], None]) -> Iterator[bool]:
    """Yield True if this process owns the folder's Redis, False if `exemplar run` owns it and shares it."""
    try:
        state.mkdir(parents=True, exist_ok=True)
        file = os.open(state / OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise RedisUnavailable(f"the state folder {state} cannot be used: {error.strerror or error}") from None
    try:
        if not _lock_or_join(file, state, purpose, url, say):
            yield False
            return
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps({"pid": os.getpid(), "command": purpose}).encode(), 0)
        try:
            yield True
        finally:
            os.ftruncate(file, 0)
    finally:
        os.close(file)


def _lock_or_join(file: int, state: Path, purpose: str, url: str, say: Callable[[str], None]) -> bool:
    limit = time.monotonic() + OWNER_WAIT
    is_reported = False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            owner = _owner_of(state)
        command = str(owner.get("command"))
        if command in SHARING and answers(url):
            if purpose == command or (purpose, command) == ("run", "console"):
                hint = "stop it first" if purpose == command else "start the tasks there, or stop it first"
                raise RedisUnavailable(
                    f"`exemplar {command}` (process {owner.get('pid')}) uses {state}; "
                    f"{hint}, or set REDIS_URL to run several on one Redis"
                )
            return False
        if not is_reported and owner:
            is_reported = True
            say(f"waiting for `exemplar {owner.get('command')}` (process {owner.get('pid')}) to end")
        if time.monotonic() > limit:
            raise RedisUnavailable(
                f"`exemplar {owner.get('command', '?')}` (process {owner.get('pid', '?')}) uses the Redis of {state}; "
                "wait until it ends, or set REDIS_URL to run several on one Redis"
            )
        time.sleep(0.1)


def owns_embedded(state: Path, purpose: str) -> bool:
    """Whether this process owns the embedded Redis of a state folder, for a purpose."""
    owner = _owner_of(state)
    return (owner.get("pid"), owner.get("command")) == (os.getpid(), purpose)


def _owner_of(state: Path) -> dict[str, object]:
    """Return process and command that own the Redis of a state folder; nothing if none does."""
    try:
        owner = json.loads((state / OWNER).read_bytes())
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def answers(url: str) -> bool:
    """Whether a Redis at this URL has loaded its data and answers."""
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=1.0, socket_timeout=2.0, retry=None) as probe:
            return bool(probe.ping())
    except (redis.RedisError, OSError):
        return False


def _arguments(folder: Path, socket: Path) -> list[str]:
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "logfile": str(folder / LOG),
        "daemonize": "no",
    }
    return [part for name, value in settings.items() for part in (f"--{name}", value)]


def _locked(path: Path) -> int:
    """Open and lock a file. The server inherits the lock, so no second one starts while it writes to the folder.

    A server whose owner was killed takes a moment to end, and then removes the socket's file.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    limit = time.monotonic() + PREDECESSOR_WAIT
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            if time.monotonic() > limit:
                os.close(file)
                raise RedisUnavailable(f"another Redis server still runs in {path.parent}; stop it first") from None
        time.sleep(0.02)


def _make_private(folder: Path) -> None:
    """Make the socket's folder. In the shared temporary folder it must belong to this user: others could replace it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != os.getuid() and folder.parent == Path(tempfile.gettempdir()):
        raise RedisUnavailable(f"the embedded Redis cannot use {folder}: it belongs to another user")


def _socket_path(folder: Path) -> Path:
    path = folder.resolve() / "redis.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        return path
    short = sha256(os.fsencode(path)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"exemplar-{os.getuid()}" / f"{short}.sock"  # one folder for a user: it stays
