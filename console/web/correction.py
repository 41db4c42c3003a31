"""A survey's pattern corrected by a person, who marks which links are articles of the section. No network.

The pattern is fitted to the marked links and narrowed so that it matches few of the others, as in a survey.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from console.web.texts import gettext_noop
from crawler.discovery.links import PageLink
from crawler.patterns.pattern import Pattern, PatternError
from crawler.scouting.address_parts import address_of
from crawler.scouting.inference import SeenPage, SiteLinks, infer

LEFT_BY_PERSON = "left by you"


@dataclass(frozen=True, slots=True)
class CorrectedPattern:
    """A pattern, "" if none was found. `missed`: marked links without a match; `too_many`: other links with a match."""

    pattern: str
    missed: tuple[str, ...] = ()
    too_many: tuple[str, ...] = ()
    problem: str = ""


def corrected(example: str, chosen: Sequence[str], others: Mapping[str, str]) -> CorrectedPattern:
    """Return the pattern of the chosen links. `others`: the links that are not articles, with their texts."""
    wanted = list(dict.fromkeys([example, *chosen]))
    if len(wanted) < 2:
        return CorrectedPattern("", problem=gettext_noop("Mark at least one link besides the example."))
    links = (*(PageLink(url, "") for url in wanted), *(PageLink(url, text) for url, text in others.items()))
    evidence = SiteLinks(example, (SeenPage(example, links),), frozenset(), dict.fromkeys(others, LEFT_BY_PERSON))
    best: CorrectedPattern | None = None
    for dates in ("all", "folders", "none"):
        try:
            text = infer(evidence, [address_of(url, dates) for url in wanted]).pattern
            pattern = Pattern.parse(text)
        except PatternError:
            continue
        missed = tuple(url for url in wanted if not pattern.match(url))
        too_many = tuple(url for url in others if pattern.match(url))
        result = CorrectedPattern(text, missed, too_many)
        if best is None or len(missed) + len(too_many) < len(best.missed) + len(best.too_many):
            best = result
    return best or CorrectedPattern("", problem=gettext_noop("No pattern fits these links."))


def with_pattern(result: Mapping[str, Any], pattern: str) -> dict[str, Any]:
    """Return a survey's result whose links are judged by another pattern."""
    compiled = Pattern.parse(pattern, result["entry"]["example"])
    links = [*result["taken"], *result["left"]]
    reasons = {link["url"]: link.get("reason", "") for link in result["left"]}
    taken = [link for link in links if compiled.match(link["url"])]
    left = [
        link | {"reason": compiled.difference(link["url"]) or reasons.get(link["url"], "")}
        for link in links
        if not compiled.match(link["url"])
    ]
    return {**result, "entry": {**result["entry"], "pattern": pattern}, "taken": taken, "left": left, "doubtful": []}
