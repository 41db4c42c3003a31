"""Servers of a test session's own: PostgreSQL, MariaDB, an SSH server. `make services` installs their programs.

    with postgres() as server:                          in a new folder; ended, and the folder removed, after the block
        server.address("rows")                          postgresql://exemplar:…@127.0.0.1:PORT/rows
        server.stop(); server.start()                   away and back, with its data; `kill()`: as after a crash

Servers listen on 127.0.0.1 and on unix sockets in their folder. PostgreSQL and MariaDB refuse to run as root: started
by root, they run as the user that their package created.
"""

import contextlib
import getpass
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from workers.processes import below

from .redis_servers import free_port, listens

START_WAIT = 60.0  # seconds, on a loaded machine
STOP_WAIT = 20.0
USER = "exemplar"
AnyServer = TypeVar("AnyServer", bound="Server")
POSTGRES_FOLDERS = ("/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt")
SYSTEM_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin:/sbin"


class ServiceMissing(Exception):
    """A server's program is not installed."""


def program(name: str) -> str:
    """Return the path of a server's program. Raises `ServiceMissing`."""
    path = shutil.which(name, path=SYSTEM_PATH)
    versions = (bin / name for folder in POSTGRES_FOLDERS for bin in sorted(Path(folder).glob("*/bin"), reverse=True))
    if path := path or next((str(version) for version in versions if version.exists()), None):
        return path
    raise ServiceMissing(f"{name} is not installed; run `make services` as root, or install it by your system's means")


class Server:
    """A process that can be stopped and started again with its data.

    `account`: the user as which it runs, None for the present one. `words`: its command. `port`: on 127.0.0.1.
    """

    def __init__(self, folder: Path, words: Sequence[str], port: int, account: str | None, stop: signal.Signals):
        self.folder, self.port = folder, port
        self._words, self._account, self._stop_signal = words, account, stop
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._words, stdout=log, stderr=log, cwd=self.folder, **as_user(self._account)
            )
        limit = time.monotonic() + START_WAIT
        while not self.answers():
            assert self._process.poll() is None, f"{self._words[0]} ended: {self.log()[-2000:]}"
            assert time.monotonic() < limit, f"{self._words[0]} does not answer: {self.log()[-2000:]}"
            time.sleep(0.02)

    def answers(self) -> bool:
        """Whether it takes connections."""
        return listens(self.port)

    def stop(self) -> None:
        """End it in an orderly way; clients lose their connections."""
        self._end(self._stop_signal)

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self._end(signal.SIGKILL)

    def log(self) -> str:
        """What it printed."""
        return (self.folder / "log").read_text("utf-8", "replace")

    def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        children = below(self._process.pid)
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)
        try:
            self._process.wait(STOP_WAIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pid in children:
            _wait_for_end(pid, 0.0 if number == signal.SIGKILL else STOP_WAIT)
        self._process = None


class SqlServer(Server, ABC):
    """An SQL server with one user that may do everything.

    `scheme`: of addresses. `password` has characters that addresses have to quote.
    """

    scheme = ""
    password = "s3cret/p@ss:" + secrets.token_hex(4)

    def address(self, database: str, *, password: str | None = None, options: str = "") -> str:
        """Return the address of a database on it."""
        word = quote(password or self.password, safe="")
        return f"{self.scheme}://{USER}:{word}@127.0.0.1:{self.port}/{database}{options}"

    @abstractmethod
    def connect(self, database: str = "") -> Any:
        """Return a new connection of the driver, which commits each statement."""

    def run(self, statement: str, values: Sequence[Any] = (), *, database: str = "") -> list[Any]:
        """Run a statement and return its rows."""
        with contextlib.closing(self.connect(database)) as connection:
            cursor = connection.cursor()
            cursor.execute(statement, values or None)
            return list(cursor.fetchall()) if cursor.description else []

    def answers(self) -> bool:
        """Whether it takes connections and logs its user in."""
        try:
            self.connect().close()
        except Exception:
            return False
        return True


class PostgresServer(SqlServer):
    """PostgreSQL."""

    scheme = "postgresql"

    def connect(self, database: str = "") -> Any:
        """Return a new connection of psycopg."""
        import psycopg

        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=self.password, dbname=database or "postgres",
            autocommit=True, connect_timeout=5,
        )  # fmt: skip


class MariaDbServer(SqlServer):
    """MariaDB."""

    scheme = "mysql"

    def connect(self, database: str = "") -> Any:
        """Return a new connection of PyMySQL."""
        import pymysql

        return pymysql.connect(
            host="127.0.0.1", port=self.port, user=USER, password=self.password, database=database or None,
            autocommit=True, connect_timeout=5, charset="utf8mb4",
        )  # fmt: skip


@contextmanager
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL cluster; it does not sync, since no test cuts the power."""
    account, initdb, server = _account("postgres"), program("initdb"), program("postgres")
    with _folder("pg-", account) as folder:
        (folder / "password").write_text(SqlServer.password)
        (folder / "password").chmod(0o644)
        subprocess.run(
            [initdb, "--no-sync", "--auth=scram-sha-256", f"--username={USER}", f"--pwfile={folder / 'password'}",
             "--encoding=UTF8", "--locale=C", f"--pgdata={folder / 'data'}"],
            check=True, capture_output=True, cwd=folder, **as_user(account),
        )  # fmt: skip
        port = free_port()
        chosen = ("fsync=off", "max_connections=40", "shared_buffers=32MB")
        words = [server, "-D", str(folder / "data"), "-p", str(port), "-k", str(folder), "-h", "127.0.0.1"]
        words += [word for setting in chosen for word in ("-c", setting)]
        yield from _run(PostgresServer(folder, words, port, account, signal.SIGINT))


@contextmanager
def mariadb() -> Iterator[MariaDbServer]:
    """A MariaDB server; it syncs once a second, since no test cuts the power."""
    account, install, server = _account("mysql"), program("mariadb-install-db"), program("mariadbd")
    with _folder("ma-", account) as folder:
        data = folder / "data"
        subprocess.run(
            [install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
             "--skip-test-db", "--innodb-log-file-size=16M"],
            check=True, capture_output=True, cwd=folder, **as_user(account),
        )  # fmt: skip
        (folder / "users.sql").write_text(
            f"CREATE USER IF NOT EXISTS '{USER}'@'%' IDENTIFIED BY '{SqlServer.password}';\n"
            f"GRANT ALL ON *.* TO '{USER}'@'%' WITH GRANT OPTION;\n"
        )
        (folder / "users.sql").chmod(0o644)
        port = free_port()
        words = [
            server, "--no-defaults", f"--datadir={data}", f"--socket={folder / 's'}", f"--port={port}",
            "--bind-address=127.0.0.1", f"--pid-file={folder / 'pid'}", "--innodb-log-file-size=16M",
            "--innodb-flush-log-at-trx-commit=2", "--skip-name-resolve", f"--init-file={folder / 'users.sql'}",
            "--max-allowed-packet=64M",
        ]  # fmt: skip
        yield from _run(MariaDbServer(folder, words, port, account, signal.SIGTERM))


class SshServer(Server):
    """An SSH server with SFTP, and how a client logs in. It ends at once, with its sessions.

    `key`: the user's private key; `wrong_key`: one that the server refuses; `known_hosts`: a file with the host's key.
    """

    def __init__(self, folder: Path, words: Sequence[str], port: int, user: str):
        super().__init__(folder, words, port, None, signal.SIGKILL)
        self.user = user
        self.key, self.wrong_key, self.known_hosts = (folder / name for name in ("key", "wrong", "known_hosts"))

    def address(self, path: str) -> str:
        """Return the SFTP address of an absolute path, without credentials but the user's name."""
        return f"sftp://{self.user}@127.0.0.1:{self.port}{path}"


@contextmanager
def sshd() -> Iterator[SshServer]:
    """An SSH server for the present user, by key."""
    server, keygen = program("sshd"), program("ssh-keygen")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # which it demands when root starts it
    with _folder("ss-", None) as folder:
        for name in ("host", "key", "wrong"):
            subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name], check=True)
        shutil.copy(folder / "key.pub", folder / "authorized_keys")
        port, user = free_port(), getpass.getuser()
        host_key = (folder / "host.pub").read_text().rsplit(" ", 1)[0]
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}\n")
        lines = (
            f"Port {port}",
            "ListenAddress 127.0.0.1",
            f"HostKey {folder / 'host'}",
            f"PidFile {folder / 'pid'}",
            f"AuthorizedKeysFile {folder / 'authorized_keys'}",
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "PermitRootLogin prohibit-password",
            "MaxStartups 100",
            "Subsystem sftp internal-sftp",
        )
        (folder / "config").write_text("\n".join(lines) + "\n")
        words = [server, "-D", "-e", "-f", str(folder / "config")]
        yield from _run(SshServer(folder, words, port, user))


def as_user(account: str | None) -> dict[str, Any]:
    """Return the arguments of `subprocess` that run a program as this user; None: as the present one."""
    if account is None:
        return {}
    entry = pwd.getpwnam(account)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": ()}


def _account(name: str) -> str | None:
    """Return the user as which a server runs: None if the present one is not root."""
    if os.geteuid():
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(name).pw_name
    return "nobody"


@contextmanager
def _folder(prefix: str, account: str | None) -> Iterator[Path]:
    """A folder that the server's user owns; not below pytest's own, which others can't enter. Short, for sockets."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        if account is not None:
            entry = pwd.getpwnam(account)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(server: "AnyServer") -> Iterator["AnyServer"]:
    server.start()
    try:
        yield server
    finally:
        server.kill()


def _wait_for_end(pid: int, patience: float) -> None:
    """Wait until a process that is no child of ours is gone; end it if it stays for longer than `patience` seconds."""
    limit = time.monotonic() + patience
    while Path(f"/proc/{pid}").exists():
        if time.monotonic() >= limit:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
