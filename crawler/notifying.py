"""Sends the notices of alarms: one process of the cluster at a time, with one message per address of apprise.

    notices (list) ─▶ taken, under a lease (hash), for each address ─▶ a message for each address ─▶ removed

If an address does not accept a message, it is tried again after a pause; its notices wait for at most `KEPT`. If a
process dies between sending and removing, a message is sent twice.

A whole address is a secret: services have tokens in any part of it. So messages, logs and errors contain only its
scheme and its `${VARIABLES}`. The library (extra `notify`) is imported only when it is used.
"""

import json
import logging
import os
import re
import uuid
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any, cast

import redis
from redis.exceptions import LockNotOwnedError

from workers import keys
from workers.addresses import VARIABLE
from workers.errors import ExemplarError
from workers.health.alarms import Alarm, AlarmChange
from workers.redis_access.redis_clock import clock_of
from workers.stored_json import loaded
from workers.variables import VariableNotSet, expand_address

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
LEASE = 120.0  # seconds for which a process has the right to send; it is renewed for each message
PAUSE = 600  # seconds until an address that did not accept a message is tried again
KEPT = 3 * 86400.0  # seconds for which a notice waits for an address
LINES = 20  # alarms of one message

WAITING, AWAY, SENDER = keys.NOTICES + ":to-send", keys.NOTICES + ":away:", keys.NOTICES + ":sender"


class NoticeNotSent(ExemplarError):
    """A notice could not be sent; the message has the reason, without the address."""


def shown_target(address: str) -> str:
    """Return an address for messages: `tgram://***`, or `${NOTIFY}` if it is a variable as a whole."""
    if VARIABLE.fullmatch(address):
        return VARIABLE.sub(r"${\1}", address)
    scheme = SCHEME.match(address)
    names = ", ".join(f"${{{match[1]}}}" for match in VARIABLE.finditer(address))
    return f"{scheme[0] if scheme else ''}***" + (f" ({names})" if names else "")


def target_problem(address: str) -> str:
    """Return why no notice can be sent to an address in its written form; "" if it is valid. Nothing is sent."""
    try:
        _service(address, os.environ)
    except NoticeNotSent as error:
        return str(error)
    return ""


def send(address: str, title: str, body: str, environ: Mapping[str, str] = os.environ) -> None:
    """Send a notice and wait for the service's answer, some seconds. Raises `NoticeNotSent`."""
    service = _service(address, environ)
    try:
        is_sent = service.notify(title=title, body=body)
    except Exception as error:  # a plugin may raise anything, with the address in it
        raise NoticeNotSent(f"{shown_target(address)}: {type(error).__name__}") from None
    if not is_sent:
        raise NoticeNotSent(f"{shown_target(address)}: the service is unavailable, or does not accept the notice")


def _service(address: str, environ: Mapping[str, str]) -> Any:
    try:
        import apprise
    except ImportError:
        raise NoticeNotSent("notices require the library apprise: run pip install 'exemplar-crawler[notify]'") from None
    try:
        expanded = expand_address(address, environ, is_strict=False)
    except VariableNotSet as error:
        raise NoticeNotSent(f"{shown_target(address)}: {error}") from None
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)  # it logs parts of addresses
    asset = apprise.AppriseAsset(app_id="Exemplar", app_desc="Exemplar", app_url="", async_mode=False)
    try:
        service = apprise.Apprise.instantiate(expanded, asset=asset, suppress_exceptions=True)
    except Exception:
        service = None
    if not service:
        raise NoticeNotSent(f"{shown_target(address)}: apprise supports no service with such an address")
    return service


class Notifier:
    """Sends the waiting notices. Any number of processes may call `step`; one of them sends."""

    def __init__(self, connection: "redis.Redis"):
        self.redis, self.clock = connection, clock_of(connection).now
        self._lock = connection.lock(SENDER, timeout=LEASE, blocking=False)

    def is_needed(self) -> bool:
        """Whether a notice is new or waits."""
        return bool(self.redis.exists(keys.NOTICES, WAITING))

    def step(self) -> list[str]:
        """Send the notices that can be sent now; return the failures as text. Blocks while the services respond."""
        if not self.is_needed() or not self._lock.acquire():
            return []
        try:
            self.redis.transaction(self._take, keys.NOTICES)
            return self._send_all()
        finally:
            if self._lock.owned():
                self._lock.release()

    def _may_send(self) -> bool:
        """Renew the lease; return False if another process has it meanwhile."""
        with suppress(LockNotOwnedError):
            return bool(self._lock.reacquire())
        return False

    def _take(self, pipe: Any) -> None:
        """Move the notices that are new to those that wait, once for each address of their task."""
        notices, now = [json.loads(raw) for raw in pipe.lrange(keys.NOTICES, 0, -1)], self.clock()
        pipe.multi()
        for notice in notices:
            for address in self._addresses(notice["alarm"]["task"]):
                row = {"address": address, "at": now, "notice": notice}
                pipe.hset(WAITING, uuid.uuid4().hex, json.dumps(row))
        pipe.delete(keys.NOTICES)

    def _addresses(self, task: str) -> list[str]:
        raw = cast("bytes | None", self.redis.hget(keys.TASKS, task))
        return list(json.loads(raw).get("notify") or []) if raw else []

    def _send_all(self) -> list[str]:
        """Send one message to each address that is not in its pause after a failure."""
        problems = []
        for address, due in sorted(self._waiting().items()):
            away = AWAY + sha256(address.encode("utf-8", "replace")).hexdigest()[:16]
            if self.redis.exists(away) or not self._may_send():
                continue
            try:
                send(address, *message_of([*due.values()]))
            except NoticeNotSent as error:
                self.redis.set(away, str(error), ex=PAUSE)
                problems.append(f"notices are tried again in {PAUSE} s: {error}")
            else:
                self.redis.hdel(WAITING, *due)
        return problems

    def _waiting(self) -> dict[str, dict[str, AlarmChange]]:
        """Return the notices that wait, oldest first, by address and number; drop those that have waited too long."""
        stored = cast(dict[bytes, bytes], self.redis.hgetall(WAITING))
        rows = [(json.loads(text), name.decode()) for name, text in stored.items()]
        waiting: dict[str, dict[str, AlarmChange]] = {}
        for row, name in sorted(rows, key=lambda one: (one[0]["at"], one[0]["notice"]["alarm"]["opened"])):
            if self.clock() - row["at"] > KEPT:
                self.redis.hdel(WAITING, name)
            else:
                notice = AlarmChange(row["notice"]["news"], loaded(Alarm, row["notice"]["alarm"]))
                waiting.setdefault(row["address"], {})[name] = notice
        return waiting


def message_of(notices: list[AlarmChange]) -> tuple[str, str]:
    """Return title and body of the message for some notices."""
    first = notices[0]
    title = f"{first.alarm.task}: {first.alarm.kind}" + (": recovered" if first.news == "recovered" else "")
    if len(notices) > 1:
        title = f"{len(notices)} changes of alarms"
    lines = [line for notice in notices[:LINES] for line in _lines(notice)]
    if len(notices) > LINES:
        lines.append(f"… and {len(notices) - LINES} more: exemplar alarms")
    return f"Exemplar: {title}", "\n".join(lines).rstrip()


def _lines(notice: AlarmChange) -> list[str]:
    alarm = notice.alarm
    if notice.news == "recovered":
        return [f"{alarm.task}: recovered: {alarm.kind}", ""]
    urls = [f"  {url}" for url in alarm.urls[:3]]
    return [f"{alarm.task}: {alarm.in_words()}", *urls, f"What to do: {alarm.advice}", ""]
