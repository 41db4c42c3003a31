"""Whole files on an SFTP server, written under a temporary name and renamed."""

import io
import logging
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import cast

import paramiko

from workers.errors import OutputError

from .stores import ANSWER_TIMEOUT, CONNECT_TIMEOUT, FileStore, StoreAddress

PORT = 22
_LOG = logging.getLogger("exemplar.sftp")  # the log of paramiko's connections, which otherwise print tracebacks
_LOG.setLevel(logging.CRITICAL + 1)
KEEPALIVE = 15  # seconds


class UnknownHostKey(Exception):
    """A server showed a key that is not in known_hosts; `key` is its type and fingerprint."""

    def __init__(self, key: paramiko.PKey):
        self.key = _fingerprint(key)
        super().__init__(self.key)


class _RefuseUnknown:
    def missing_host_key(self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey) -> None:
        raise UnknownHostKey(key)


class SftpStore(FileStore):
    """Files of an SFTP server, `sftp://user@host/path`. The server's key must be in known_hosts.

    A file counts as written when the server has it, which may be before it is on the server's disk.
    """

    def __init__(self, address: StoreAddress):
        super().__init__(address.name)
        self._address = address
        self._client: paramiko.SSHClient | None = None
        self._files = {name: str(Path(file).expanduser()) for name, file in address.options.items()}
        if not address.host:
            raise OutputError(f"output {address.name}: write user@host after sftp://")

    def write(self, connection: paramiko.SFTPClient, path: str, data: bytes) -> None:
        """Write a file; its size is compared at the end."""
        connection.putfo(io.BytesIO(data), path)

    def rename(self, connection: paramiko.SFTPClient, temporary: str, path: str) -> None:
        """Rename a file over another one. Servers without that extension first remove the old one."""
        try:
            connection.posix_rename(temporary, path)
        except FileNotFoundError:
            raise
        except OSError:
            with suppress(FileNotFoundError):
                connection.remove(path)
            connection.rename(temporary, path)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        with self.errors("cannot be read") as connection:
            data = io.BytesIO()
            connection.getfo(self.real(path), data)
            return data.getvalue()

    def real(self, path: str) -> str:
        """Return a path in the server's form: `/~/x` is below the folder of the login."""
        return path[3:] or "." if path.startswith("/~/") else path

    def make_folder(self, connection: paramiko.SFTPClient, folder: str) -> None:
        """Create a folder and its parents if they are missing."""
        if folder in ("", "."):
            return
        try:
            connection.stat(folder)
        except FileNotFoundError:
            self.make_folder(connection, folder.rpartition("/")[0])
            try:
                connection.mkdir(folder)
            except OSError:
                with suppress(FileNotFoundError):
                    connection.stat(folder)  # another process created it
                    return
                raise

    def meaning(self, error: Exception) -> tuple[str, bool]:
        """Return an error in words, and whether a person has to change something."""
        known_hosts, port = self._files.get("known_hosts", "~/.ssh/known_hosts"), self._address.port
        match error:
            case PermissionError():
                return "the server denies access to the folder", True
            case UnknownHostKey():
                host = f"-p {port} {self._address.host}" if port else self._address.host
                return (
                    f"the server's key ({error.key}) is not in {known_hosts}; compare it with the server's own, then "
                    f"run: ssh-keyscan {host} >> {known_hosts}"
                ), True
            case paramiko.BadHostKeyException():
                key = _fingerprint(error.key)
                return (
                    f"the server's key ({key}) is not the one in {known_hosts}; if the server was replaced, remove the "
                    "old key there"
                ), True
            case paramiko.AuthenticationException():
                return "the server refuses the login; check user, key and password", True
        return super().meaning(error)

    def disconnect(self, connection: paramiko.SFTPClient) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.close()

    def connect(self) -> paramiko.SFTPClient:
        """Return a new connection."""
        client = paramiko.SSHClient()
        client.set_log_channel(_LOG.name)
        has_login = bool(self._address.password or "key" in self._files)
        for name, file in self._files.items():
            if not Path(file).is_file():
                raise OutputError(f"output {self.name}: there is no {name} file {file}")
        try:
            client.load_system_host_keys(self._files.get("known_hosts"))
            client.set_missing_host_key_policy(_RefuseUnknown())
            client.connect(
                self._address.host,
                port=self._address.port or PORT,
                username=self._address.user or None,
                password=self._address.password or None,
                key_filename=self._files.get("key"),
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
        self._client = client
        return sftp


def _fingerprint(key: paramiko.PKey) -> str:
    return f"{key.get_name()} SHA256:" + b64encode(sha256(key.asbytes()).digest()).decode().rstrip("=")
