"""HTTP webhook: batches of rows as signed POST requests, at least once, each with an id that stays the same.

    https://host/hook?secret=${HOOK_SECRET}&bearer=${TOKEN}&ca=ca.pem

The parameters `secret`, `bearer` and `ca` are options of this output and are removed; the receiver gets all
others. Requests are signed as in Standard Webhooks 1.0.0: headers `webhook-id`, `webhook-timestamp` and
`webhook-signature`, which is `v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`. A secret `whsec_…` is
base64, any other is used unchanged; several `secret` parameters give several signatures, for a change of secret.

A row has an `id` too, that of its row key. Any status 2xx means that the receiver has the rows.
"""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from functools import partial

from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.redis_access.redis_clock import Clock
from workers.rows import Row, RowKey, key_of

from .batch_parts import in_parts
from .http_client import HttpAnswer, HttpClient, HttpLimits
from .interface import RowBatch
from .kinds import Target

OPTIONS = ("secret", "bearer", "ca")
# Client errors that do not concern the rows: credentials, address, method, time, rate, version, headers
NOT_THE_ROWS = frozenset({401, 402, 403, 404, 405, 407, 408, 410, 415, 421, 423, 425, 426, 428, 429, 431, 451})
NOT_IMPLEMENTED = 501
ADVICE = {
    401: "check the user, password or token",
    403: "check the user, password or token",
    404: "check the address",
    405: "check the address: it accepts no POST requests",
    410: "it accepts no more rows; remove the output",
}


def row_id(key: RowKey) -> str:
    """Return the id of a row for targets that need one: 64 hexadecimal digits, always the same for a row key."""
    return hashlib.sha256(json.dumps(key, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


class WebhookSink:
    """Sends batches to one URL."""

    def __init__(self, target: Target, *, limits: HttpLimits | None = None, clock: Clock = time.time):
        self._task, self._options, self._clock = target.task, target.options, clock
        self._client = HttpClient(target, OPTIONS, "bearer", limits)
        self._secrets = [signing_key(value) for name, value in self._client.options if name == "secret"]
        self.name = self._client.name
        if not all(self._secrets):
            raise OutputError(f"task {target.task}: output {self.name}: its secret is empty or not valid base64")

    def write(self, batch: RowBatch) -> None:
        """Send the rows; a batch that is refused is sent in parts. Raises `SinkUnavailable` and `RowsRefused`."""
        if refused := in_parts([*map(key_of, batch.rows)], partial(self._send, batch)):
            raise RowsRefused(refused)

    def check(self) -> None:
        """Send a HEAD request; a receiver that requires POST may answer with an error."""
        answer = self._client.request("HEAD", self._client.path)
        if 300 <= answer.status < 400 or answer.status in (401, 403, 407, 410, 429):
            raise self._unavailable(answer)
        if answer.status >= 500 and answer.status != NOT_IMPLEMENTED:
            raise self._unavailable(answer)

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def _send(self, batch: RowBatch, first: int, end: int) -> Mapping[RowKey, str] | str:
        rows = batch.rows[first:end]
        message = batch.id if len(rows) == len(batch.rows) else f"{batch.id}-{first}-{end}"
        body = self._body(message, rows)
        answer = self._client.request("POST", self._client.path, body, self._headers(message, body))
        if 200 <= answer.status < 300:
            return {}
        if 400 <= answer.status < 500 and answer.status not in NOT_THE_ROWS:
            return self._client.words(answer)
        raise self._unavailable(answer)

    def _unavailable(self, answer: HttpAnswer) -> SinkUnavailable:
        words = self._client.advised(answer.status, self._client.words(answer), ADVICE)
        return self._client.unavailable(f"the receiver answered {words}", answer.wait)

    def _body(self, message: str, rows: Sequence[Row]) -> bytes:
        shaped = [{"id": row_id(key_of(row)), **self._options.shaped(row)} for row in rows]
        return _json({"id": message, "task": self._task, "rows": shaped})

    def _headers(self, message: str, body: bytes) -> dict[str, str]:
        timestamp = str(int(self._clock()))
        headers = {"content-type": "application/json", "webhook-id": message, "webhook-timestamp": timestamp}
        if self._secrets:
            headers["webhook-signature"] = signature(self._secrets, message, timestamp, body)
        return headers


def signing_key(secret: str) -> bytes:
    """Return the bytes of a secret, none if it is invalid."""
    if not secret.startswith("whsec_"):
        return secret.encode("utf-8", "replace")
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        return b""


def signature(keys: Sequence[bytes], message: str, timestamp: str, body: bytes) -> str:
    """Return the value of header `webhook-signature`."""
    signed = f"{message}.{timestamp}.".encode() + body
    digests = (hmac.new(key, signed, hashlib.sha256).digest() for key in keys)
    return " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
