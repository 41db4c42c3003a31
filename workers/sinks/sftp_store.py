"""Whole files on an SFTP server, written under a temporary name and renamed."""

import io
import logging
import os
import socket
import stat
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

import paramiko

from workers.errors import OutputError, SinkUnavailable

from .folder_store import is_leftover, temporary_name
from .object_store import ANSWER_TIMEOUT, CONNECT_TIMEOUT, StoreAddress

PORT = 22
_LOG = logging.getLogger("exemplar.sftp")  # the log of paramiko's connections, which otherwise print tracebacks
_LOG.setLevel(logging.CRITICAL + 1)
KEEPALIVE = 15  # seconds


def open_sftp(address: StoreAddress) -> "SftpStore":
    """Return the store of `sftp://user@host/path`."""
    return SftpStore(address)


class UnknownHostKey(Exception):
    """A server showed a key that is not in known_hosts; `key` is its type and fingerprint."""

    def __init__(self, key: paramiko.PKey):
        self.key = _fingerprint(key)
        super().__init__(self.key)


class _RefuseUnknown:
    def missing_host_key(self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey) -> None:
        raise UnknownHostKey(key)


class SftpStore:
    """Files of an SFTP server. The server's key must be in known_hosts.

    A file counts as written when the server has it, which may be before it is on the server's disk.
    """

    readers = 1

    def __init__(self, address: StoreAddress):
        self.name = address.name
        self._address = address
        self._connection: tuple[int, paramiko.SSHClient, paramiko.SFTPClient] | None = None  # with its process id

    def put(self, path: str, data: bytes, *, is_again: bool) -> None:
        """Write a file under a temporary name and rename it. Leftovers of a killed process are removed."""
        folder, _, name = _real(path).rpartition("/")
        with self._errors("cannot be written") as sftp:
            _make_folders(sftp, folder)
            if is_again:
                for other in sftp.listdir(folder or "/"):
                    if is_leftover(other, name):
                        sftp.remove(f"{folder}/{other}")
            temporary = f"{folder}/{temporary_name(name)}"
            try:
                sftp.putfo(io.BytesIO(data), temporary)  # it compares the size at the end
                _replace(sftp, temporary, f"{folder}/{name}")
            except OSError:
                with suppress(OSError, EOFError, paramiko.SSHException):
                    sftp.remove(temporary)
                raise

    def names(self, folder: str, start: str) -> list[str]:
        """Return the files of a folder whose names begin with `start`."""
        with self._errors("cannot be listed") as sftp:
            try:
                return [f"{folder}/{name}" for name in sftp.listdir(_real(folder)) if name.startswith(start)]
            except FileNotFoundError:
                return []

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        with self._errors("cannot be read") as sftp:
            data = io.BytesIO()
            sftp.getfo(_real(path), data)
            return data.getvalue()

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """Open a file; parts are requested as they are read."""
        with self._errors("cannot be read") as sftp, sftp.open(_real(path), "rb", bufsize=2**16) as file:
            yield cast(BinaryIO, file)

    def check(self, folder: str) -> None:
        """Create the folder, and create and remove a file in it."""
        folder = _real(folder)
        with self._errors("cannot be written") as sftp:
            _make_folders(sftp, folder)
            if not stat.S_ISDIR(sftp.stat(folder or "/").st_mode or 0):
                raise OutputError(f"output {self.name}: {folder} is not a folder")
            probe = f"{folder}/{temporary_name('check')}"
            sftp.open(probe, "wb").close()
            sftp.remove(probe)

    def close(self) -> None:
        """Close the connection, unless it is that of the process that forked this one."""
        if self._connection is not None and self._connection[0] == os.getpid():
            self._connection[1].close()
        self._connection = None

    @contextmanager
    def _errors(self, what: str) -> Iterator[paramiko.SFTPClient]:
        """Yield the connection; its errors become errors of this project, in words without secrets."""
        unavailable = f"output unavailable: {self.name} {what}"
        failure: OutputError | SinkUnavailable
        try:
            yield self._connected()
        except (OutputError, SinkUnavailable):
            raise
        except PermissionError:
            failure = OutputError(f"output {self.name} {what}: the server denies access to the folder")
        except UnknownHostKey as error:
            host = self._address.host if not self._address.port else f"-p {self._address.port} {self._address.host}"
            failure = OutputError(
                f"output {self.name}: the server's key ({error.key}) is not in {self._known_hosts()}; compare it with "
                f"the server's own, then run: ssh-keyscan {host} >> {self._known_hosts()}"
            )
        except paramiko.BadHostKeyException as error:
            failure = OutputError(
                f"output {self.name}: the server's key ({_fingerprint(error.key)}) is not the one in "
                f"{self._known_hosts()}; if the server was replaced, remove the old key there"
            )
        except paramiko.AuthenticationException:
            failure = OutputError(f"output {self.name}: the server refuses the login; check user, key and password")
        except socket.gaierror:
            failure = SinkUnavailable(f"{unavailable}: the name of its host is unknown")
        except TimeoutError:
            failure = SinkUnavailable(f"{unavailable}: no answer in {ANSWER_TIMEOUT:g} seconds")
        except paramiko.ssh_exception.NoValidConnectionsError:
            failure = SinkUnavailable(f"{unavailable}: no connection")
        except (EOFError, paramiko.SSHException):
            failure = SinkUnavailable(f"{unavailable}: the connection ended, or no SSH server answered")
        except OSError as error:
            failure = SinkUnavailable(f"{unavailable}: {error.strerror or str(error) or type(error).__name__}")
        else:
            return
        self.close()
        raise failure

    def _connected(self) -> paramiko.SFTPClient:
        if self._connection is not None and self._connection[0] == os.getpid():
            return self._connection[2]
        self.close()
        client = paramiko.SSHClient()
        client.set_log_channel(_LOG.name)
        has_login = bool(self._address.password or "key" in self._address.options)
        try:
            self._load_known_hosts(client)
            client.set_missing_host_key_policy(_RefuseUnknown())
            client.connect(
                self._address.host,
                port=self._address.port or PORT,
                username=self._address.user or None,
                password=self._address.password or None,
                key_filename=self._key(),
                look_for_keys=not has_login,
                allow_agent=not has_login,
                timeout=CONNECT_TIMEOUT,
                banner_timeout=CONNECT_TIMEOUT,
                auth_timeout=ANSWER_TIMEOUT,
                channel_timeout=ANSWER_TIMEOUT,
            )
            cast(paramiko.Transport, client.get_transport()).set_keepalive(KEEPALIVE)
            sftp = client.open_sftp()
            cast(paramiko.Channel, sftp.get_channel()).settimeout(ANSWER_TIMEOUT)
        except BaseException:
            client.close()
            raise
        self._connection = os.getpid(), client, sftp
        return sftp

    def _key(self) -> str | None:
        key = self._address.options.get("key")
        if key is None:
            return None
        if not (path := Path(key).expanduser()).is_file():
            raise OutputError(f"output {self.name}: there is no key file {path}")
        return str(path)

    def _known_hosts(self) -> str:
        return self._address.options.get("known_hosts", "~/.ssh/known_hosts")

    def _load_known_hosts(self, client: paramiko.SSHClient) -> None:
        if "known_hosts" not in self._address.options:
            client.load_system_host_keys()
            return
        path = Path(self._known_hosts()).expanduser()
        if not path.is_file():
            raise OutputError(f"output {self.name}: there is no known_hosts file {path}")
        client.load_system_host_keys(str(path))


def _real(path: str) -> str:
    """Return a path in the server's form: `/~/x` is below the folder of the login."""
    return path[3:] or "." if path.startswith("/~/") else path


def _fingerprint(key: paramiko.PKey) -> str:
    return f"{key.get_name()} SHA256:" + b64encode(sha256(key.asbytes()).digest()).decode().rstrip("=")


def _make_folders(sftp: paramiko.SFTPClient, folder: str) -> None:
    missing: list[str] = []
    while folder not in ("", "."):
        try:
            sftp.stat(folder)
            break
        except FileNotFoundError:
            missing.append(folder)
            folder = folder.rpartition("/")[0]
    for level in reversed(missing):
        try:
            sftp.mkdir(level)
        except OSError:
            with suppress(FileNotFoundError):
                sftp.stat(level)  # another process created it
                continue
            raise


def _replace(sftp: paramiko.SFTPClient, temporary: str, final: str) -> None:
    """Rename a file over another one. Servers without that extension keep the old one if it has the same size."""
    try:
        sftp.posix_rename(temporary, final)
    except FileNotFoundError:
        raise
    except OSError:
        try:
            old = sftp.stat(final).st_size
        except FileNotFoundError:
            sftp.rename(temporary, final)
            return
        if old == sftp.stat(temporary).st_size:
            sftp.remove(temporary)
            return
        sftp.remove(final)
        sftp.rename(temporary, final)
