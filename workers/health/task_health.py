"""The health of one task: it counts one observation after another, and returns the changes. No clock, no Redis.

    page ─▶ alike others? ─▶ off its template? ─▶ tests ─▶ alarms
    visit ─▶ failures, links on lists, known articles, rhythm ─▶ tests ─▶ alarms

A page is `alike` if an earlier one has the same title and nearly the same length: pages of captchas are, articles are
not. It is `off` its template if it was judged not to be an article, if its text is far shorter than usual, if its text
begins as that of an earlier page although texts usually do not, or if it has no known template of the section, and its
surrounding match is below `OFF` of the task's median or the example was not used although it usually is. Each kind of
alarm is one sequential test (`sequential.py`) of such a variable against the task's own share.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from .alarms import PAGE_KINDS, Alarm, AlarmChange, AlarmKind, AlarmState, News
from .observations import Observation, PageObservation, VisitObservation
from .rhythm import Rhythm
from .sequential import ShareRule, ShareTest, Verdict
from .state import EVIDENCE, HealthState, PageMark, quantile

PAGE_THRESHOLD = math.log(1e6)  # a false alarm in a million pages, on average and at most
VISIT_THRESHOLD = math.log(1e5)  # … in a hundred thousand visits
KEPT = 64  # values of a baseline
RECENT = 12  # pages with which a page is compared
HISTORY = 20  # alarms that are over
LEAST_PAGES = 5  # pages that are needed before a page is compared with the others
LEAST_LENGTHS = 20  # … by its length: the tenth percentile of a few lengths is an accident
OFF = 0.6  # share of the median match, below which a page is off: as measured in `extractors.methods.example`
SHORT = 0.5  # share of the tenth percentile of lengths, below which a text is short
THIN = 0.25  # share of the median number of links, below which lists are without links
LEAST_LINKS = 4  # median number of links from which a list can be without links
LEAST_NEW = 3  # new articles of a visit without known ones, from which it is evidence
LENGTHS_APART = 1.25  # ratio of the lengths of two pages below which they may be alike
REQUEUES_MOST = 3  # ends of an alarm `blocked` that follow each other within a day, after which pages wait again
OF_PAGES = ("match", "length", "repeats")  # baselines of pages; they belong to one example
DAY = 86400.0  # seconds in which a repeated alarm gives no further notice

RULES: dict[AlarmKind, ShareRule] = {
    "template changed": ShareRule(0.1, 0.8, PAGE_THRESHOLD, least=LEAST_PAGES),
    "pages off the template": ShareRule(0.1, 0.3, PAGE_THRESHOLD, least=30, factor=3.0),
    "blocked": ShareRule(0.02, 0.8, PAGE_THRESHOLD, least=LEAST_PAGES),
    "failures": ShareRule(0.05, 0.5, PAGE_THRESHOLD, least=8, factor=3.0, most=PAGE_THRESHOLD / 3),
    "section moved": ShareRule(0.01, 0.9, VISIT_THRESHOLD, least=10),
    "everything new": ShareRule(0.02, 0.5, VISIT_THRESHOLD, least=0, learns=False),
}


class TaskHealth:
    """The health of one task. `changes` collects the notices.

    `unblocked`: the first sign of an alarm `blocked` that has ended, so that its pages may wait again.
    """

    def __init__(self, task: str, state: HealthState | None = None):
        self.task, self.state = task, state or HealthState()
        self.changes: list[AlarmChange] = []
        self.unblocked: float | None = None

    # -- observations -----------------------------------------------------------------------------------------------

    def observe(self, observation: Observation) -> None:
        """Take the next observation."""
        if isinstance(observation, PageObservation):
            self._observe_page(observation)
        else:
            self._observe_visit(observation)
        self._tell_late(observation.at)

    def use_example(self, version: str) -> None:
        """Restart the baselines of pages if the example has changed; their alarms are over."""
        state = self.state
        if version and state.example and version != state.example:
            for kind in PAGE_KINDS:
                state.tests.pop(kind, None)
                if kind in state.alarms:
                    self._end(kind, state.alarms[kind].last, "recovered")
            for name in OF_PAGES:
                state.windows.pop(name, None)
            state.recent, state.methods = [], {}
        state.example = version or state.example

    def dismiss(self, kind: AlarmKind, at: float) -> bool:
        """End an alarm at a person's request: what it showed is usual from now on. False if it is not open."""
        if kind not in self.state.alarms:
            return False
        self._end(kind, at, "dismissed")
        self.state.tests.pop(kind, None)
        if kind in PAGE_KINDS:
            for name in OF_PAGES:
                self.state.windows.pop(name, None)
        if kind == "section moved":
            self.state.windows.pop("links", None)
        if kind == "section quiet":
            self.state.rhythm = Rhythm(first=at, last_visit=at, last_new=at)
        return True

    # -- pages ------------------------------------------------------------------------------------------------------

    def _observe_page(self, page: PageObservation) -> None:
        state = self.state
        state.pages += 1
        state.problem = page.reason if page.fate == "failed" else state.problem
        self._test("failures", int(page.fate == "failed"), 1, page.at, [page.url])
        if page.fate == "failed":
            return
        fit = self._fit(page)
        reason = page.reason if page.fate == "blocked" else ""
        repeats = self._repeats(page)
        mark = PageMark(fit, page.title_mark, page.text_mark, page.length, page.match, reason)
        state.recent = [*state.recent, mark][-RECENT:]
        if page.fate == "blocked":  # needs no baseline
            test = state.tests.setdefault("blocked", ShareTest())
            test.total = max(test.total, RULES["blocked"].least)
        self._test("blocked", int(fit == "alike"), 1, page.at, [page.url])
        if fit != "alike":
            is_off = int(fit == "off")
            self._test("template changed", is_off, 1, page.at, [page.url])
            if "template changed" in state.alarms:
                self._drop("pages off the template", page.at)
            else:
                self._test("pages off the template", is_off, 1, page.at, [page.url])
        if page.fate == "article" and fit != "alike" and self._is_calm(fit):
            self._learn(page, repeats=repeats)

    def _is_calm(self, fit: str) -> bool:
        """Whether a page becomes part of baselines: if no change is suspected, or it fits, or little is known yet."""
        if "template changed" in self.state.alarms or "blocked" in self.state.alarms:
            return False
        is_new = len(self.state.windows.get("length", [])) < LEAST_PAGES
        return is_new or fit == "fits" or self.state.tests["template changed"].level == 0.0

    def _fit(self, page: PageObservation) -> str:
        """Return how a page fits: `alike` (like another page), `off` (off its template), or `fits`."""
        if page.fate == "blocked" or any(_are_alike(page, mark) for mark in self.state.recent):
            return "alike"
        if page.fate == "refused":
            return "off"
        matches, lengths, repeats = (self.state.windows.get(name, []) for name in ("match", "length", "repeats"))
        if len(repeats) >= LEAST_PAGES and not median(repeats) and self._repeats(page):
            return "off"
        is_low = page.match is not None and len(matches) >= LEAST_PAGES and page.match < OFF * median(matches)
        usual = max(self.state.methods, key=self.state.methods.__getitem__, default="")
        if not page.fits and (is_low or (usual == "example" and page.method != usual)):
            return "off"
        return "off" if len(lengths) >= LEAST_LENGTHS and page.length < SHORT * quantile(lengths, 0.1) else "fits"

    def _repeats(self, page: PageObservation) -> bool:
        """Whether the text begins as that of one of the last pages."""
        return page.text_mark != 0 and any(page.text_mark == mark.text_mark for mark in self.state.recent)

    def _learn(self, page: PageObservation, *, repeats: bool) -> None:
        if page.match is not None:
            self._add("match", page.match)
        self._add("length", page.length)
        self._add("repeats", float(repeats))
        methods = self.state.methods
        for name in {*methods, page.method}:
            methods[name] = methods.get(name, 0.0) * 0.98 + (name == page.method)

    def _add(self, name: str, value: float) -> None:
        self.state.windows[name] = [*self.state.windows.get(name, []), value][-KEPT:]

    # -- visits -----------------------------------------------------------------------------------------------------

    def _observe_visit(self, visit: VisitObservation) -> None:
        state = self.state
        state.visits += 1
        state.start, state.moved_to, state.unlike = visit.start or state.start, visit.moved_to, visit.unlike
        lost = visit.failed + visit.later + visit.lists_failed
        state.problem = visit.problem if lost else state.problem
        total = lost + visit.fetched + visit.lists
        self._test("failures", lost, total, visit.at, [], is_capped=True)
        self._add("failures", lost / total if total else 0.0)
        if not visit.lists:
            return
        if visit.is_whole:
            self._observe_links(visit)
            is_all_new = visit.new >= LEAST_NEW and not (visit.known or visit.unchanged)
            self._test("everything new", int(is_all_new), 1, visit.at, [])
            self._observe_rhythm(visit)

    def _observe_links(self, visit: VisitObservation) -> None:
        if visit.unchanged:
            return  # without a changed list, no links were counted
        usual = median(self.state.windows.get("links", [0]))
        most = usual - 1 if visit.unlike else THIN * usual  # links of a new form push the known ones off the list
        is_thin = usual >= LEAST_LINKS and visit.found <= most
        self._test("section moved", int(is_thin), 1, visit.at, [visit.unlike or visit.moved_to or visit.start])
        if not is_thin and "section moved" not in self.state.alarms:
            self._add("links", visit.found)

    def _observe_rhythm(self, visit: VisitObservation) -> None:
        kind: AlarmKind = "section quiet"
        rhythm = self.state.rhythm
        rhythm.observe(visit.at, visit.new, is_learned=kind not in self.state.alarms)
        if visit.new and kind in self.state.alarms:
            self._end(kind, visit.at, "recovered")
        elif rhythm.is_quiet and "section moved" not in self.state.alarms:
            self._open(kind, visit.at, rhythm.last_new, 1, [visit.start] if visit.start else [])

    # -- alarms -----------------------------------------------------------------------------------------------------

    def _test(
        self, kind: AlarmKind, hits: int, total: int, at: float, urls: Sequence[str], *, is_capped: bool = False
    ) -> Verdict:
        test = self.state.tests.setdefault(kind, ShareTest())
        verdict = test.step(RULES[kind], hits, total, at, [url for url in urls if url], is_capped=is_capped)
        if verdict == "opened" or (test.is_open and hits):
            self._open(kind, at, test.since or at, test.rise_hits if verdict else hits, test.urls)
        elif verdict == "recovered":
            self._end(kind, at, "recovered")
        return verdict

    def _open(self, kind: AlarmKind, at: float, since: float, count: int, urls: Sequence[str]) -> None:
        """Open an alarm, or add evidence to an open one."""
        state = self.state
        known = state.alarms.get(kind)
        evidence = EVIDENCE[kind](state)
        if known is not None:
            state.alarms[kind] = replace(
                known, last=at, count=known.count + count, urls=tuple(urls) or known.urls, evidence=evidence
            )
            return
        last = next((alarm for alarm in state.history if alarm.kind == kind and alarm.state == "recovered"), None)
        is_again = last is not None and last.ended is not None and at - last.ended <= DAY
        repeats = last.repeats + 1 if last is not None and is_again else 0
        alarm = Alarm(
            self.task,
            kind,
            "repeated" if is_again else "open",
            since,
            at,
            at,
            count,
            evidence,
            tuple(urls),
            None,
            repeats,
        )
        state.alarms[kind] = alarm
        self._tell("repeated" if is_again else "opened", alarm, at)

    def _end(self, kind: AlarmKind, at: float, as_state: AlarmState) -> None:
        alarm = replace(self.state.alarms.pop(kind), state=as_state, ended=at)
        self.state.history = [alarm, *self.state.history][:HISTORY]
        if kind == "blocked" and as_state == "recovered" and alarm.repeats < REQUEUES_MOST:
            self.unblocked = alarm.since
        if alarm.is_told and as_state == "recovered":
            self.changes.append(AlarmChange("recovered", alarm))

    def _drop(self, kind: AlarmKind, at: float) -> None:
        """End an alarm, and its test, because another alarm includes it; without a notice."""
        self.state.tests.pop(kind, None)
        if kind in self.state.alarms:
            self.state.alarms[kind] = replace(self.state.alarms[kind], is_told=False)
            self._end(kind, at, "recovered")

    def _tell(self, news: News, alarm: Alarm, at: float) -> None:
        """Add a notice of an open alarm, unless there was one of this kind within a day."""
        if at - self.state.told.get(alarm.kind, -math.inf) < DAY:
            return
        self.state.told[alarm.kind] = at
        told = replace(alarm, is_told=True)
        self.state.alarms[alarm.kind] = told
        self.changes.append(AlarmChange(news, told))

    def _tell_late(self, at: float) -> None:
        """Add a notice of a repeated alarm that is still open a day after the notice of the first one."""
        for alarm in [alarm for alarm in self.state.alarms.values() if not alarm.is_told]:
            self._tell("repeated", alarm, at)


def _are_alike(page: PageObservation, mark: PageMark) -> bool:
    """Whether two pages have the same title and nearly the same length."""
    is_same = page.title_mark == mark.title_mark and (page.title_mark or page.text_mark == mark.text_mark)
    longer, shorter = max(page.length, mark.length), min(page.length, mark.length)
    return bool(is_same and longer <= LENGTHS_APART * max(shorter, 1))
