"""The figures of an alarm, compared with the task's baseline, as text."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from .alarms import AlarmKind
from .state import HealthState, PageMark


def evidence_of(kind: AlarmKind, state: HealthState) -> str:
    """Return the evidence for an alarm that is opened or continues."""
    return _TEXTS[kind](state)


def _of_template(state: HealthState) -> str:
    pages = state.recent
    off = [page for page in pages if page.fit == "off"]
    parts = [f"{len(off)} of the last {len(pages)} pages do not fit the template"]
    parts += _match_parts(state, off)
    usual = state.windows.get("length", [])
    if off and usual:
        now = median(page.length for page in off)
        parts.append(f"text of {now:.0f} characters (usually {median(usual):.0f})")
    texts = Counter(page.text_mark for page in pages if page.text_mark)
    if alike := sum(texts[page.text_mark] > 1 for page in off):
        parts.append(f"{alike} have texts that begin alike")
    return "; ".join(parts)


def _match_parts(state: HealthState, off: Sequence[PageMark]) -> list[str]:
    matches = [page.match for page in off if page.match is not None]
    usual = state.windows.get("match", [])
    parts = []
    if matches and usual:
        parts.append(f"{median(matches):.0%} of the lines around the text match (usually {median(usual):.0%})")
    if len(off) > len(matches):
        parts.append(f"{len(off) - len(matches)} have no article")
    return parts


def _of_block(state: HealthState) -> str:
    pages = [page for page in state.recent if page.fit == "alike"]
    words = next((page.words for page in reversed(pages) if page.words), "")
    usual = state.windows.get("length", [])
    text = f"{len(pages)} of the last {len(state.recent)} pages are block pages, or have the same title and length"
    lengths = [page.length for page in pages if page.length]
    if lengths:
        text += f", {median(lengths):.0f} characters"
    if usual:
        text += f" (articles usually {median(usual):.0f}, with titles of their own)"
    return text + (f"; the last one: {words}" if words else "")


def _of_failures(state: HealthState) -> str:
    shares = state.windows.get("failures", [])
    share = f"{shares[-1]:.0%} of the last run's requests" if shares else "pages"
    own = state.tests["failures"].share
    return f"{share} failed (usually {own:.0%} or less)" + (
        f"; the last reason: {state.problem}" if state.problem else ""
    )


def _of_move(state: HealthState) -> str:
    usual = median(state.windows.get("links", [0]))
    moved = f"; {state.start} redirects to {state.moved_to}" if state.moved_to else ""
    return f"the lists have almost no links to articles (usually {usual:.0f}){moved}"


def _of_silence(state: HealthState) -> str:
    rhythm = state.rhythm
    return (
        f"no new article for {_span(rhythm.silence)}; {rhythm.expected:.0f} were expected by the section's own "
        f"rhythm, whose longest silence was {_span(rhythm.longest)}"
    )


def _of_new(state: HealthState) -> str:
    test = state.tests["everything new"]
    visits = max(test.rise_hits, 1)
    return f"at {visits} of the last visits all articles on the lists were new: others may have been missed"


_TEXTS: Mapping[AlarmKind, Callable[[HealthState], str]] = {
    "template changed": _of_template,
    "pages off the template": _of_template,
    "blocked": _of_block,
    "failures": _of_failures,
    "section moved": _of_move,
    "section quiet": _of_silence,
    "everything new": _of_new,
}


def _span(seconds: float) -> str:
    hours = seconds / 3600
    return f"{hours:.0f} hours" if hours < 48 else f"{hours / 24:.0f} days"
