"""Stores of fsspec with atomic writing of whole objects: S3, Google Cloud Storage, Azure Blob Storage.

A file system of fsspec runs an event loop in a thread, which a forked process does not have: it is created in the
process that uses it.
"""

import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, cast

from workers.errors import OutputError, SinkUnavailable

from .stores import ANSWER_TIMEOUT, CONNECT_TIMEOUT, ConnectedStore, StoreAddress

LIMIT = CONNECT_TIMEOUT + ANSWER_TIMEOUT  # seconds for one call, attempts included
ONE_PUT = 2**30  # bytes; a larger object is sent in parts and becomes visible at the end
PROBE = ".exemplar-check"

_NOT_FOUND = ("{} is not found there; check its name and the endpoint", True)
# Meanings of errors: words, whether a person has to act, and the codes of the store or the names of classes
_MEANINGS: Mapping[str, tuple[str, bool]] = {"FileNotFoundError": _NOT_FOUND} | {
    code: (words, is_configuration)
    for words, is_configuration, codes in (
        ("{} does not exist; create it or correct its name", True, "NoSuchBucket|ContainerNotFound"),
        ("access to {} is denied; its objects must be listed, read and written with these credentials", True,
         "AccessDenied|AllAccessDisabled|AuthorizationPermissionMismatch|AuthorizationFailure|403"),
        ("the access key is unknown there; check AWS_ACCESS_KEY_ID and the endpoint", True,
         "InvalidAccessKeyId|InvalidClientTokenId"),
        ("the secret key is wrong; check the credentials in the environment", True,
         "SignatureDoesNotMatch|AuthenticationFailed|InvalidSecurity"),
        ("the credentials are invalid or have expired", True,
         "ExpiredToken|InvalidToken|TokenRefreshRequired|RefreshError|401|ClientAuthenticationError"),
        ("no credentials are set in the environment (docs/outputs.md names the variables)", True,
         "NoCredentialsError|PartialCredentialsError|DefaultCredentialsError|CredentialUnavailableError"),
        ("{} is in another region; set AWS_REGION or ?region=", True,
         "PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|301"),
        ("the endpoint or another setting in the environment is invalid", True, "ValueError"),
        ("the name of its host is unknown", False, "gaierror"),
        ("no connection to the endpoint", False,
         "EndpointConnectionError|ConnectTimeoutError|ClientConnectorError|ServiceRequestError"),
        (f"no answer in {LIMIT:g} seconds", False, "FSTimeoutError|ReadTimeoutError|TimeoutError"),
    )
    for code in codes.split("|")
}  # fmt: skip


def open_s3(address: StoreAddress) -> "CloudStore":
    """Return the store of `s3://bucket/…`. Credentials and endpoint: as botocore reads them from the environment."""
    s3fs = import_module("s3fs")
    region = {"region_name": address.options["region"]} if "region" in address.options else {}
    timeouts = {"connect_timeout": CONNECT_TIMEOUT, "read_timeout": ANSWER_TIMEOUT, "retries": {"max_attempts": 1}}

    def create() -> Any:
        system = s3fs.S3FileSystem(
            endpoint_url=address.options.get("endpoint"),
            client_kwargs=region,
            config_kwargs=timeouts,
            **_fresh(),
        )
        system.retries = 1  # the delivery tries again
        return system

    return CloudStore(address, create, chunksize=ONE_PUT)


def open_gcs(address: StoreAddress) -> "CloudStore":
    """Return the store of `gs://bucket/…`. Credentials: as Google's libraries find them."""
    gcsfs = import_module("gcsfs")
    options = {"endpoint_url": address.options["endpoint"]} if "endpoint" in address.options else {}
    return CloudStore(address, partial(gcsfs.GCSFileSystem, **options, **_fresh()))


def open_azure(address: StoreAddress) -> "CloudStore":
    """Return the store of `az://container/…`. Account and credentials: the variables AZURE_STORAGE_…."""
    adlfs = import_module("adlfs")
    options = {"account_name": address.options["account"]} if "account" in address.options else {}
    timeouts = {"connection_timeout": int(CONNECT_TIMEOUT), "read_timeout": int(ANSWER_TIMEOUT)}
    anonymous = {} if "AZURE_STORAGE_ANON" in os.environ else {"anon": False}
    return CloudStore(address, partial(adlfs.AzureBlobFileSystem, **options, **timeouts, **anonymous, **_fresh()))


def _fresh() -> dict[str, bool]:
    """Options of fsspec: do not reuse file systems of other sinks or processes, and do not cache lists of objects."""
    return {"skip_instance_cache": True, "use_listings_cache": False}


class CloudStore(ConnectedStore):
    """Objects of a bucket; paths begin with the bucket. `create` returns the file system of fsspec.

    `one_put`: options with which it writes an object in one request.
    """

    readers = 16

    def __init__(self, address: StoreAddress, create: Callable[[], Any], **one_put: int):
        super().__init__(address.name)
        self.bucket, self._create, self._one_put = address.host, create, one_put

    def connect(self) -> Any:
        """Return the file system."""
        return self._create()

    def put(self, path: str, data: bytes, *, is_again: bool) -> None:
        """Write an object in one request."""
        with self.errors("cannot be written") as system:
            system.pipe_file(path, data, **self._one_put, timeout=LIMIT)

    def names(self, folder: str, start: str) -> list[str]:
        """Return the paths of the objects below a folder that begin with `start`, without listing others."""
        with self.errors("cannot be listed") as system:
            try:
                return cast(list[str], system.find(folder, prefix=start, timeout=LIMIT))
            except FileNotFoundError as error:
                if _meaning(error) != _NOT_FOUND:
                    raise
                return []

    def read(self, path: str) -> bytes:
        """Return the bytes of an object."""
        with self.errors("cannot be read") as system:
            return cast(bytes, system.cat_file(path, timeout=LIMIT))

    def check(self, folder: str) -> None:
        """List the folder, write an empty object in it and remove that: only this shows whether writing is allowed.

        If removing is not allowed, the object `.exemplar-check` remains.
        """
        self.names(folder, PROBE)
        with self.errors("cannot be written") as system:
            system.pipe_file(f"{folder}/{PROBE}", b"", timeout=LIMIT)
        with suppress(OutputError, SinkUnavailable), self.errors("cannot be written") as system:
            system.rm_file(f"{folder}/{PROBE}", timeout=LIMIT)

    def meaning(self, error: Exception) -> tuple[str, bool]:
        """Return an error in words, and whether a person has to change something."""
        words, is_configuration = _meaning(error)
        return words.format(self.bucket), is_configuration


def _meaning(error: BaseException) -> tuple[str, bool]:
    codes = _codes(error)
    code = next((code for code in codes if code in _MEANINGS), None)
    return _MEANINGS[code] if code else (", ".join(dict.fromkeys(codes)).replace("{", "{{").replace("}", "}}"), False)


def _codes(error: BaseException | None) -> list[str]:
    """Return the identification of an error and its causes: codes of the store, HTTP statuses, names of classes."""
    codes: list[str] = []
    reasons: list[str] = []
    while error is not None and len(reasons) < 10:
        response = getattr(error, "response", None)
        told = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
        for value in (told, *(getattr(error, name, None) for name in ("error_code", "code", "status_code"))):
            value = getattr(value, "value", value)
            if isinstance(value, str | int) and str(value).isalnum():
                codes.append(str(value))
        reasons.insert(0, "gaierror" if isinstance(error, socket.gaierror) else type(error).__name__)
        os_error = getattr(error, "os_error", None)
        error = os_error if isinstance(os_error, OSError) else error.__cause__ or error.__context__
    return codes + reasons
