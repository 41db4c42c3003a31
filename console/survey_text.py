"""The progress of a survey, and its result as text and as JSON."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from console.locale import in_language, word
from console.terminal import counted, heading, say_data
from crawler.scouting.inference import Sighting
from crawler.scouting.sample_extractions import SampleExtraction
from crawler.scouting.survey import Survey
from workers.inbox import StoredPage
from workers.redaction import redact

SHOWN = 5  # links of a kind that are shown
SHOWN_WORDS = 80  # characters of a text
OF_ANOTHER_FORM = "of another form"


def progress(as_json: bool) -> Callable[[str, StoredPage | str], None]:
    """Return what tells of each page that was read, on standard error: for a person, or for the console."""
    return _say_read if as_json or sys.stderr.isatty() else lambda url, answer: None


def _say_read(url: str, answer: StoredPage | str) -> None:
    say_data(redact(f"{word('read')} {url}" + (f": {answer}" if isinstance(answer, str) else "")))


def shown(survey: Survey, entry: Mapping[str, Any]) -> str:
    """Return the survey as lines: lists, scope, pattern, links taken and left, extractions, the task."""
    lines = _column("example", [survey.example, _about(survey.sample_of_example)])
    lists = [
        in_language(f"{page.url}  ({word(in_language(page.why))}: {counted(page.matched, 'link')} taken)")
        for page in survey.lists
    ]
    lines += _column("lists", lists)
    lines.append(heading("scope") + in_language(f"{survey.scope}: {survey.why}"))
    lines.append(f"{heading('pattern')}{survey.pattern}")
    matched = survey.inference.matched
    lines += _column("taken", [in_language(f"{counted(len(matched), 'link')}, such as"), *_links(matched)])
    lines += _column("left", _left(survey))
    lines += _column("extracted", [line for sample in survey.samples for line in extraction_lines(sample)])
    lines += _column(
        "note",
        [
            *map(in_language, survey.warnings),
            *(
                in_language(f"the pattern matches {url}, which is probably not an article")
                for url in survey.inference.doubtful
            ),
        ],
    )
    lines += _column(
        "task", [f"{entry['name']}:", *(f"  {key}: {_plain(value)}" for key, value in entry.items() if key != "name")]
    )
    return "\n".join(lines)


def shown_json(survey: Survey, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the survey as JSON types."""
    return {
        "task": dict(entry),
        "scope": survey.scope,
        "why": survey.why,
        "lists": [{"url": page.url, "why": page.why, "taken": page.matched} for page in survey.lists],
        "taken": [{"url": link.url, "text": link.text} for link in survey.inference.matched],
        "left": [{"url": link.url, "text": link.text, "reason": reason} for link, reason in survey.inference.rejected],
        "example": extraction_json(survey.sample_of_example),
        "samples": [extraction_json(sample) for sample in survey.samples],
        "warnings": list(survey.warnings),
        "doubtful": list(survey.inference.doubtful),
    }


def extraction_json(sample: SampleExtraction) -> dict[str, Any]:
    """Return one extraction as JSON types."""
    return {
        "url": sample.url, "title": sample.title, "published": sample.published or None, "words": sample.words,
        "characters": sample.characters, "confidence": round(sample.confidence, 2), "method": sample.method,
        "fallback": bool(sample.characters) and not sample.by_example, "reason": sample.reason,
    }  # fmt: skip


def _left(survey: Survey) -> list[str]:
    """Return the number of links by reason, then some links with their reasons."""
    rejected = survey.inference.rejected
    counts = Counter(kind_of(reason) for _, reason in rejected)
    summary = ", ".join(f"{word(in_language(reason))} {number}" for reason, number in counts.most_common())
    per_kind: dict[str, tuple[Sighting, str]] = {}
    for link, reason in rejected:
        per_kind.setdefault(kind_of(reason), (link, reason))
    some = [*per_kind.values(), *rejected]
    unique = list(dict.fromkeys(some))[:SHOWN]
    return [
        f"{counted(len(rejected), 'link')}: {summary}" if rejected else in_language("no links"),
        *(f"  {link.url}  {word(in_language(reason))}" for link, reason in unique),
    ]


def kind_of(reason: str) -> str:
    """Return the kind of a reason, without the parts that differ from link to link."""
    if reason.startswith("after ") or "continues with" in reason or "match the regular" in reason:
        return OF_ANOTHER_FORM
    return reason.partition(":")[0]


def _links(links: Sequence[Sighting]) -> list[str]:
    return [f"  {link.url}  {link.text[:60]}" for link in links[:SHOWN]]


def extraction_lines(sample: SampleExtraction) -> list[str]:
    """Return one extraction as lines: URL, title and figures, first words."""
    if not sample.characters:
        return [sample.url, in_language(f"  no article: {sample.reason}")]
    return [sample.url, f"  {_about(sample)}", f"  {sample.words[:SHOWN_WORDS]}…"]


def _about(sample: SampleExtraction) -> str:
    how = f"confidence {sample.confidence:.2f}" + (
        "" if sample.by_example else f", without the example: {sample.reason}"
    )
    facts = in_language(f"{sample.published or 'no date'}, {sample.characters} characters, {how}")
    return f"{sample.title} — {facts}"


def _column(title: str, lines: Iterable[str]) -> list[str]:
    return [f"{heading(title) if place == 0 else ' ' * 10}{line}" for place, line in enumerate(lines)]


def _plain(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
