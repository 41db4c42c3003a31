"""The result of a survey as text and as JSON."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crawler.scouting.inference import Sighting
from crawler.scouting.sample_extractions import SampleExtraction
from crawler.scouting.survey import Survey

SHOWN = 5  # links of a kind
OF_ANOTHER_FORM = "of another form"


def shown(found: Survey, entry: Mapping[str, Any]) -> str:
    """Return the survey as lines: lists, scope, pattern, links taken and left, extractions, the task."""
    lines = _column("example", [found.example, _about(found.cut_of_example)])
    lines += _column("lists", [f"{each.url}  ({each.why}: {each.matched} links taken)" for each in found.lists])
    lines.append(f"scope     {found.scope}: {found.why}")
    lines.append(f"pattern   {found.pattern}")
    lines += _column("taken", [f"{len(found.inference.matched)} links, such as", *_links(found.inference.matched)])
    lines += _column("left", _left(found))
    lines += _column("extracted", [line for sample in found.cuts for line in cut_lines(sample)])
    lines += _column(
        "note",
        [
            *found.warnings,
            *(f"the pattern matches {url}, probably not an article" for url in found.inference.doubtful),
        ],
    )
    lines += _column(
        "task", [f"{entry['name']}:", *(f"  {key}: {_plain(value)}" for key, value in entry.items() if key != "name")]
    )
    return "\n".join(lines)


def shown_json(found: Survey, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the survey as JSON types."""
    return {
        "task": dict(entry),
        "scope": found.scope,
        "why": found.why,
        "lists": [{"url": each.url, "why": each.why, "taken": each.matched} for each in found.lists],
        "taken": [{"url": each.url, "text": each.text} for each in found.inference.matched],
        "left": [{"url": link.url, "text": link.text, "reason": reason} for link, reason in found.inference.rejected],
        "cuts": [cut_json(sample) for sample in found.cuts],
        "warnings": list(found.warnings),
        "doubtful": list(found.inference.doubtful),
    }


def cut_json(sample: SampleExtraction) -> dict[str, Any]:
    """Return one extraction as JSON types."""
    return {
        "url": sample.url, "title": sample.title, "published": sample.published or None, "words": sample.words,
        "characters": sample.characters, "confidence": round(sample.confidence, 2), "method": sample.method,
        "fallback": bool(sample.characters) and not sample.by_example, "reason": sample.reason,
    }  # fmt: skip


def _left(found: Survey) -> list[str]:
    """Return the number of links by reason, then some links with their reasons."""
    rejected = found.inference.rejected
    counts = Counter(kind_of(reason) for _, reason in rejected)
    summary = ", ".join(f"{reason} {number}" for reason, number in counts.most_common())
    per_kind: dict[str, tuple[Sighting, str]] = {}
    for link, reason in rejected:
        per_kind.setdefault(kind_of(reason), (link, reason))
    some = [*per_kind.values(), *rejected]
    unique = list(dict.fromkeys(some))[:SHOWN]
    return [f"{len(rejected)} links: {summary}" if rejected else "no links", *(f"  {a.url}  {r}" for a, r in unique)]


def kind_of(reason: str) -> str:
    """Return the kind of a reason, without what differs from link to link."""
    if reason.startswith("after ") or "goes on with" in reason or "fit the regular" in reason:
        return OF_ANOTHER_FORM
    return reason.partition(":")[0]


def _links(links: Sequence[Sighting]) -> list[str]:
    return [f"  {each.url}  {each.text[:60]}" for each in links[:SHOWN]]


def cut_lines(sample: SampleExtraction) -> list[str]:
    """Return one extraction as lines: URL, title and figures, first words."""
    if not sample.characters:
        return [sample.url, f"  no article: {sample.reason}"]
    return [sample.url, f"  {_about(sample)}", f"  {sample.words}…"]


def _about(sample: SampleExtraction) -> str:
    how = f"confidence {sample.confidence:.2f}" + (
        "" if sample.by_example else f", without the example: {sample.reason}"
    )
    return f"{sample.title} — {sample.published or 'no date'}, {sample.characters} characters, {how}"


def _column(title: str, lines: Iterable[str]) -> list[str]:
    return [f"{title if place == 0 else '':10}{line}" for place, line in enumerate(lines)]


def _plain(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
