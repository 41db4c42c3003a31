"""Storages of whole objects: the addresses that name one, and those that are folders of files.

    s3://bucket/path/         AWS_… of the environment; ?endpoint=https://host&region=…
    gs://bucket/path/         GOOGLE_APPLICATION_CREDENTIALS; ?endpoint=…
    az://container/path/      AZURE_STORAGE_…; ?account=…
    sftp://user@host/path/    key files, agent or user:${PASSWORD}@; ?key=file&known_hosts=file; /~/: the login's folder
    file:///path/             folders of this machine

A storage knows nothing of rows. It puts bytes into a place, completely or not at all.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from uuid import uuid4

from workers.addresses import shown
from workers.errors import OutputError, SinkUnavailable
from workers.sinks.durability import make_folder, rename, words_of, write_file

from .kinds import STORAGES, Storage, Target, storage_of

CONNECT_TIMEOUT, ANSWER_TIMEOUT = 5.0, 20.0  # seconds to connect, and for an answer
TEMPORARY = ".part"  # temporary names are hidden, too: programs that read a folder of files ignore them


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """An address in its parts. `host`: also a bucket or container. `name`: for messages, without secrets.

    `place`: the path of objects, beginning with the bucket or container if there is one.
    """

    storage: Storage
    host: str
    name: str
    place: str
    user: str = ""
    password: str = field(default="", repr=False)
    port: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)


class ObjectStore(ABC):
    """A store of whole objects by path. An object is never visible in part.

    Every method returns within about 30 seconds, and raises `SinkUnavailable` if the store is unavailable now,
    `OutputError` if a person has to change something. Their texts contain no credentials.
    """

    readers = 1  # how many threads may read at the same time
    name: str  # for messages

    @abstractmethod
    def put(self, path: str, data: bytes, *, is_again: bool) -> None:
        """Write an object, also over an existing one.

        `is_again`: a process may have been killed while it wrote the object.
        """

    @abstractmethod
    def names(self, folder: str, start: str) -> list[str]:
        """Return the paths of the objects in a folder whose names begin with `start`; others may be among them."""

    @abstractmethod
    def read(self, path: str) -> bytes:
        """Return the bytes of an object."""

    @abstractmethod
    def check(self, folder: str) -> None:
        """Make sure that objects can be listed and written below a folder."""

    def close(self) -> None:  # noqa: B027
        """Close connections; by default there are none."""


class ConnectedStore(ObjectStore):
    """A store with a connection, which is made when it is needed, and again after an error."""

    def __init__(self, name: str):
        self.name = name
        self._connection: Any = None

    @abstractmethod
    def connect(self) -> Any:
        """Return a new connection."""

    def meaning(self, error: Exception) -> tuple[str, bool]:
        """Return an error in words without secrets, and whether a person has to change something.

        The texts of some libraries contain signed URLs: then only codes and names of errors may be used.
        """
        return words_of(error), False

    def disconnect(self, connection: Any) -> None:
        """Close a connection."""

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self.disconnect(self._connection)
        self._connection = None

    @contextmanager
    def errors(self, what: str) -> Iterator[Any]:
        """Yield the connection; errors in the block become errors of this project. `what`: that did not happen."""
        try:
            if self._connection is None:
                self._connection = self.connect()
            yield self._connection
        except (OutputError, SinkUnavailable):
            raise
        except Exception as error:
            words, is_configuration = self.meaning(error)
            failure = (
                OutputError(f"output {self.name}: {words}")
                if is_configuration
                else SinkUnavailable(f"output unavailable: {self.name} {what}: {words}")
            )
        else:
            return
        self.close()
        raise failure


class FileStore(ConnectedStore):
    """Files that are written under a temporary name and renamed.

    A connection has the functions of module `os` that are used here, as one of paramiko does.
    """

    @abstractmethod
    def write(self, connection: Any, path: str, data: bytes) -> None:
        """Write a file."""

    @abstractmethod
    def rename(self, connection: Any, temporary: str, path: str) -> None:
        """Rename a file over another one."""

    @abstractmethod
    def make_folder(self, connection: Any, folder: str) -> None:
        """Create a folder and its parents if they are missing."""

    def real(self, path: str) -> str:
        """Return a path in the form of the connection."""
        return path

    def put(self, path: str, data: bytes, *, is_again: bool) -> None:
        """Write a file under a temporary name and rename it. Leftovers of a killed process are removed."""
        folder, _, name = self.real(path).rpartition("/")
        with self.errors("cannot be written") as connection:
            self.make_folder(connection, folder)
            if is_again:
                for other in connection.listdir(folder or "/"):
                    if other.startswith(f".{name}.") and other.endswith(TEMPORARY):
                        with suppress(FileNotFoundError):
                            connection.remove(f"{folder}/{other}")
            temporary = _temporary(folder, name)
            try:
                self.write(connection, temporary, data)
                self.rename(connection, temporary, f"{folder}/{name}")
            except OSError:
                with suppress(Exception):
                    connection.remove(temporary)
                raise

    def names(self, folder: str, start: str) -> list[str]:
        """Return the files of a folder whose names begin with `start`; none if there is no such folder."""
        with self.errors("cannot be listed") as connection:
            try:
                return [f"{folder}/{name}" for name in connection.listdir(self.real(folder)) if name.startswith(start)]
            except FileNotFoundError:
                return []

    def check(self, folder: str) -> None:
        """Create the folder, and create and remove a file in it."""
        folder = self.real(folder)
        with self.errors("cannot be written") as connection:
            self.make_folder(connection, folder)
            probe = _temporary(folder, "check")
            self.write(connection, probe, b"")
            connection.remove(probe)


class FolderStore(FileStore):
    """Folders of this machine. A file is on disk when `put` returns."""

    def __init__(self, address: StoreAddress):
        if address.host not in ("", "localhost"):
            raise OutputError(f"output {address.name}: write file:///path, with an absolute path")
        super().__init__(address.name)

    def connect(self) -> Any:
        """Return the functions of this machine."""
        return os

    def write(self, connection: Any, path: str, data: bytes) -> None:
        """Write a file and synchronise it."""
        write_file(Path(path), data)

    def rename(self, connection: Any, temporary: str, path: str) -> None:
        """Rename a file over another one, and synchronise its new name."""
        rename(Path(temporary), Path(path))

    def make_folder(self, connection: Any, folder: str) -> None:
        """Create a folder and its parents if they are missing."""
        make_folder(Path(folder))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        with self.errors("cannot be read"):
            return Path(path).read_bytes()


def address_of(target: Target) -> StoreAddress:
    """Return the parts of an output's address; a path is that of a folder. Raises `OutputError` if it is invalid."""
    if ":" not in target.address.partition("/")[0]:
        path = str(target.folder / Path(target.address).expanduser())
        return StoreAddress(STORAGES[0], "", path, path)
    try:
        parts = urlsplit(target.address, allow_fragments=False)
        user, password, port = unquote(parts.username or ""), unquote(parts.password or ""), parts.port
    except ValueError as error:
        raise OutputError(f"task {target.task}: output {shown(target.label)}: invalid address: {error}") from None
    if (storage := storage_of(parts.scheme.lower())) is None:
        raise OutputError(f"task {target.task}: output {shown(target.label)} is not the address of a store")
    scheme, host, path = storage.schemes[0], parts.netloc.rpartition("@")[2], parts.path
    if storage.has_bucket and (password or user):
        raise OutputError(
            f"output {scheme}://{host}{path}: credentials are read from the environment; remove them from the address"
        )
    name = f"{scheme}://{user + '@' if user else ''}{host}{path}"
    options = _options(storage.options, parts.query, name)
    host = host.removesuffix(f":{port}")
    if storage.has_bucket and ("{" in host or not host):
        raise OutputError(f"output {name}: write the name of a bucket after {scheme}://")
    place = f"{host}{path}" if storage.has_bucket else path
    return StoreAddress(storage, host, name, place, user, password, port, options)


def open_store(target: Target, address: StoreAddress) -> ObjectStore:
    """Return the store of an output's address. Raises `OutputError` if it is invalid or an extra is missing."""
    store: ObjectStore = target.opened(address.storage.opens, address.storage.extra, address)
    return store


def _temporary(folder: str, name: str) -> str:
    """Return a temporary path for a file, which no other process uses."""
    return f"{folder}/.{name}.{uuid4().hex[:12]}{TEMPORARY}"


def _options(known: tuple[str, ...], text: str, name: str) -> dict[str, str]:
    options = dict(parse_qsl(text, keep_blank_values=True))
    for option in options:
        if option not in known:
            raise OutputError(f"output {name}: unknown option {option}; known options: {', '.join(known) or 'none'}")
    if "endpoint" in options and not options["endpoint"].startswith(("http://", "https://")):
        raise OutputError(f"output {name}: write the endpoint as https://host or http://host:port")
    return options
