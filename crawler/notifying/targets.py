"""The targets of notices: addresses of apprise, checked and used. The library is imported only here, when it is used.

A whole address is a secret: services have tokens in any part of it. So messages, logs and errors contain only its
scheme and its `${VARIABLES}`.
"""

import logging
import os
import re
from collections.abc import Mapping
from typing import Any

from workers.addresses import VARIABLE
from workers.errors import ExemplarError
from workers.variables import VariableNotSet, expand_address

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
INSTALL = "notices require the library apprise: run pip install 'exemplar-crawler[notify]'"


class NoticeNotSent(ExemplarError):
    """A notice could not be sent; the message has the reason, without the address."""


def shown_target(address: str) -> str:
    """Return an address for messages: `tgram://***`, or `${NOTIFY}` if it is a variable as a whole."""
    if VARIABLE.fullmatch(address):
        return VARIABLE.sub(r"${\1}", address)
    scheme = SCHEME.match(address)
    names = ", ".join(f"${{{match[1]}}}" for match in VARIABLE.finditer(address))
    return f"{scheme[0] if scheme else ''}***" + (f" ({names})" if names else "")


def problem_of(address: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return why no notice can be sent to an address in its written form; "" if it is valid. Nothing is sent."""
    try:
        _service(address, environ)
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
        raise NoticeNotSent(INSTALL) from None
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
