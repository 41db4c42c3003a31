"""The file /.well-known/tdmrep.json: which of a host's pages are reserved from text and data mining.

Input: octets. Output: rules.

Source: TDM Reservation Protocol, final report of 10 May 2024. Its patterns are those of robots.txt; the first rule that
matches a page applies. An invalid file has no rules.
"""

import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from crawler.politeness.robots import Record, Rule, rule_of, spellings_of

RULES_MOST = 1000


@dataclass(frozen=True, slots=True)
class TdmRules:
    """A host's rules in their order, each with the information whether its pages are reserved."""

    rules: tuple[tuple[Rule, bool], ...] = ()

    def reserves(self, url: str) -> bool | None:
        """Whether a page is reserved; None if no rule matches."""
        spellings = spellings_of(url)
        return next((reserved for rule, reserved in self.rules if any(map(rule.matches, spellings))), None)


def url_of(url: str) -> str:
    """Return the URL of the file with the rules for a URL."""
    return urlsplit(url)._replace(path="/.well-known/tdmrep.json", query="", fragment="").geturl()


def parse(body: bytes) -> TdmRules:
    """Return the rules of a file. Never raises."""
    try:
        entries = json.loads(body)
    except (ValueError, RecursionError):
        return TdmRules()
    found = []
    for entry in entries[:RULES_MOST] if isinstance(entries, list) else []:
        if isinstance(entry, dict) and (rule := _rule(entry.get("location"), str(entry.get("tdm-reservation")))):
            found.append(rule)
    return TdmRules(tuple(found))


def _rule(location: object, flag: str) -> tuple[Rule, bool] | None:
    if not isinstance(location, str) or not location or flag not in ("0", "1"):
        return None
    return rule_of(Record(b"disallow", location.encode("utf-8", "replace"))), flag == "1"
