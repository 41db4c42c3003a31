"""The interface of stores of whole objects, and which of them an address names.

    s3://bucket/path/         AWS_… of the environment; ?endpoint=https://host&region=…&profile=…
    gs://bucket/path/         GOOGLE_APPLICATION_CREDENTIALS; ?endpoint=…&project=…
    az://container/path/      AZURE_STORAGE_…; ?account=…
    sftp://user@host/path/    key files, agent or user:${PASSWORD}@; ?key=file&known_hosts=file; /~/: the login's folder
    file:///path/             folders of this machine
    memory://path/            the memory of this process, for tests

Every method of a store returns within about 30 seconds and raises `SinkUnavailable` if the store is unavailable now,
`OutputError` if a person has to change something. Their texts contain no credentials.
"""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import BinaryIO, Protocol, cast
from urllib.parse import parse_qsl, unquote

from workers.addresses import shown
from workers.errors import OutputError

from .kinds import Target

CONNECT_TIMEOUT, ANSWER_TIMEOUT = 5.0, 20.0  # seconds to connect, and for an answer


class ObjectStore(Protocol):
    """A store of whole objects by path. An object is never visible in part."""

    readers: int  # how many threads may read at the same time

    def put(self, path: str, data: bytes, *, is_again: bool) -> None:
        """Write an object, also over an existing one.

        `is_again`: a process may have been killed while it wrote the object.
        """
        ...

    def names(self, folder: str, start: str) -> list[str]:
        """Return the paths of the objects in a folder whose names begin with `start`; others may be among them."""
        ...

    def read(self, path: str) -> bytes:
        """Return the bytes of an object."""
        ...

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Open an object as a seekable file; failures in the block are raised as errors of the store."""
        ...

    def check(self, folder: str) -> None:
        """Make sure that objects can be listed and written below a folder."""
        ...

    def close(self) -> None:
        """Close connections."""
        ...


@dataclass(frozen=True, slots=True)
class Scheme:
    """The store of a scheme. `opens`: `module:function`, called with a `StoreAddress`; `extra`: which one it needs."""

    opens: str
    extra: str
    options: tuple[str, ...] = ()
    has_bucket: bool = False


SCHEMES: Mapping[str, Scheme] = {
    "s3": Scheme("cloud_store:open_s3", "s3", ("endpoint", "profile", "region"), has_bucket=True),
    "gs": Scheme("cloud_store:open_gcs", "gcs", ("endpoint", "project"), has_bucket=True),
    "az": Scheme("cloud_store:open_azure", "azure", ("account",), has_bucket=True),
    "sftp": Scheme("sftp_store:open_sftp", "sftp", ("key", "known_hosts")),
    "file": Scheme("folder_store:open_folder", ""),
    "memory": Scheme("cloud_store:open_memory", "s3"),
}
_OTHER_NAMES = {"gcs": "gs", "abfs": "az", "abfss": "az", "s3a": "s3"}
_ADDRESS = re.compile(r"(?P<scheme>[a-z0-9]+):(?://(?P<host>[^/]*))?(?P<path>[^?]*)(?:\?(?P<options>.*))?", re.I | re.S)


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """An address in its parts. `host`: also a bucket or container. `name`: for messages, without secrets."""

    scheme: str
    host: str
    path: str
    name: str
    user: str = ""
    password: str = field(default="", repr=False)
    port: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def object_path(self) -> str:
        """The path of objects in the form for their store: with bucket or container, else absolute."""
        if SCHEMES[self.scheme].has_bucket:
            return self.host + self.path
        return f"/{self.host}{self.path}" if self.scheme == "memory" else self.path


def parse_address(target: Target) -> StoreAddress:
    """Return the parts of an output's address. Raises `OutputError` if it is invalid."""
    match = _ADDRESS.fullmatch(target.address)
    if match is None:
        raise OutputError(f"task {target.task}: output {shown(target.label)} is not the address of a store")
    scheme = _OTHER_NAMES.get(match["scheme"].lower(), match["scheme"].lower())
    login, _, host = (match["host"] or "").rpartition("@")
    user, _, password = login.partition(":")
    host, _, port = host.partition(":")
    path = match["path"]
    known = SCHEMES[scheme]
    if scheme == "az" and user:  # abfs://container@account.dfs.core.windows.net/path
        account, user, host = host.partition(".")[0], "", user
    else:
        account = ""
    if known.has_bucket and (password or user):
        raise OutputError(
            f"output {scheme}://{host}{path}: credentials are read from the environment; remove them from the address"
        )
    name = f"{scheme}://{user + '@' if user else ''}{host}{':' + port if port else ''}{path}"
    options = _options(scheme, match["options"] or "", name)
    if account:
        options.setdefault("account", account)
    if port and not port.isdecimal():
        raise OutputError(f"output {name}: {port} is not a port")
    if known.has_bucket and ("{" in host or not host):
        raise OutputError(f"output {name}: write the name of a bucket after {scheme}://")
    if scheme == "sftp" and not host:
        raise OutputError(f"output {name}: write user@host after sftp://")
    return StoreAddress(
        scheme, host, path, name, unquote(user), unquote(password), int(port) if port else None, options
    )


def open_object_store(address: StoreAddress, target: Target) -> ObjectStore:
    """Return the store of an address; it connects when it is used. Raises `OutputError` if its extra is missing."""
    scheme = SCHEMES[address.scheme]
    module, function = scheme.opens.split(":")
    try:
        return cast(ObjectStore, getattr(import_module(f"workers.sinks.{module}"), function)(address))
    except ModuleNotFoundError as error:
        if not scheme.extra:
            raise
        raise OutputError(
            f"task {target.task}: output {address.name} needs {error.name}; "
            f"run pip install 'exemplar-crawler[{scheme.extra}]'"
        ) from None


def _options(scheme: str, text: str, name: str) -> dict[str, str]:
    options = dict(parse_qsl(text, keep_blank_values=True))
    known = SCHEMES[scheme].options
    for option in options:
        if option not in known:
            nearest = get_close_matches(option, known, 1)
            hint = f"did you mean {nearest[0]}?" if nearest else f"known options: {', '.join(known) or 'none'}"
            raise OutputError(f"output {name}: unknown option {option}; {hint}")
    if "endpoint" in options and not options["endpoint"].startswith(("http://", "https://")):
        raise OutputError(f"output {name}: write the endpoint as https://host or http://host:port")
    return options
