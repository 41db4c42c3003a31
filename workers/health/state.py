"""The state of a task's health between two observations, its JSON form, and its figures as the evidence of an alarm."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from ..stored_json import adapter_of, loaded
from .alarms import Alarm, AlarmKind
from .rhythm import Rhythm
from .sequential import ShareTest


@dataclass(frozen=True, slots=True)
class PageMark:
    """The values of a page that are kept for comparison with later pages and as evidence of an alarm."""

    fit: str
    title_mark: int
    text_mark: int
    length: int
    match: float | None
    reason: str


@dataclass(slots=True)
class HealthState:
    """The state of a task's health. `windows`: the last values of each baseline; `example`: the example's version."""

    example: str = ""
    windows: dict[str, list[float]] = field(default_factory=dict)
    tests: dict[str, ShareTest] = field(default_factory=dict)
    rhythm: Rhythm = field(default_factory=Rhythm)
    recent: list[PageMark] = field(default_factory=list)
    alarms: dict[str, Alarm] = field(default_factory=dict)
    history: list[Alarm] = field(default_factory=list)
    told: dict[str, float] = field(default_factory=dict)
    methods: dict[str, float] = field(default_factory=dict)
    pages: int = 0
    visits: int = 0
    start: str = ""
    moved_to: str = ""
    problem: str = ""
    unlike: str = ""

    def to_json(self) -> str:
        """Return the JSON text."""
        text: bytes = adapter_of(HealthState).dump_json(self)
        return text.decode()

    @classmethod
    def from_json(cls, text: str | bytes | None, task: str) -> "HealthState":
        """Return the state of a task that `to_json` wrote, of this version or another; a new one for None.

        `task`: its present name, as it may have been renamed.
        """
        state = loaded(cls, text or "{}")
        state.alarms = {kind: replace(alarm, task=task) for kind, alarm in state.alarms.items()}
        state.history = [replace(alarm, task=task) for alarm in state.history]
        return state


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies; 0 without any."""
    ordered = sorted(values)
    return float(ordered[min(len(ordered) - 1, int(share * len(ordered)))]) if ordered else 0.0


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
    reason = next((page.reason for page in reversed(pages) if page.reason), "")
    usual = state.windows.get("length", [])
    text = f"{len(pages)} of the last {len(state.recent)} pages are block pages, or have the same title and length"
    lengths = [page.length for page in pages if page.length]
    if lengths:
        text += f", {median(lengths):.0f} characters"
    if usual:
        text += f" (articles usually {median(usual):.0f}, with titles of their own)"
    return text + (f"; the last one: {reason}" if reason else "")


def _of_failures(state: HealthState) -> str:
    shares = state.windows.get("failures", [])
    share = f"{shares[-1]:.0%} of the last run's requests" if shares else "pages"
    own = state.tests["failures"].share
    return f"{share} failed (usually {own:.0%} or less)" + (
        f"; the last reason: {state.problem}" if state.problem else ""
    )


def _of_move(state: HealthState) -> str:
    if state.unlike:
        return f"no article is new, and above those of the lists are links of a new form, such as {state.unlike}"
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


EVIDENCE: Mapping[AlarmKind, Callable[[HealthState], str]] = {  # of an alarm that is opened or continues
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
