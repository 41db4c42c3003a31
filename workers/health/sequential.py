"""A sequential test: has the share of unusual observations risen? It decides after each observation.

Source: Page, "Continuous inspection schemes" (Biometrika 1954), for the share of a Bernoulli variable. The level is the
log-likelihood ratio of the changed share against the task's own one, never below 0. Lorden ("Procedures for reacting to
a change in distribution", Annals of Mathematical Statistics 1971) shows that it needs at least exp(threshold)
observations on average until it passes the threshold without a change, if these are independent.

The task's own share is estimated from earlier observations with exponential decay, and is fixed while the level is
above 0, so that a change does not become usual before it is detected. While an alarm is open nothing is learned; the
inverse ratio shows that the change is over.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

PRIOR_OBSERVATIONS = 20.0  # weight of the rule's prior share in the estimate, in observations
URLS_KEPT = 5  # URLs of unusual observations that are shown to a person
LEARNED_TOGETHER = 10.0  # observations that are made together count at most as this many for the own share
RECOVERED = math.log(1000)  # log-likelihood ratio from which a change is over

Verdict = Literal["", "opened", "recovered"]


@dataclass(frozen=True, slots=True)
class ShareRule:
    """One kind of change. Shares are 0 to 1.

    `usual`: the share of unusual observations before anything is known, and the minimum that is assumed of a task;
    `changed`: the share after a change, at least `factor` times the task's own; `threshold`: of the log-likelihood
    ratio; `least`: observations before the first decision; `half_life`: of the own share, in observations; `most`: the
    ratio that observations made together add at most, since they have a common cause.
    """

    usual: float
    changed: float
    threshold: float
    least: int
    factor: float = 2.0
    half_life: float = 150.0
    most: float = math.inf
    learns: bool = True  # if False, `usual` is the share of every task


@dataclass(slots=True)
class ShareTest:
    """The state of one test of one task.

    `hits`, `total`: unusual and all earlier observations, decayed; `level`: the log-likelihood ratio for a change, or
    for its end while `is_open`; `share`: the own share that the present level assumes; `rise_hits`, `rise_total`: since
    the level was 0; `since`: when the first of them was made, in Unix seconds; `urls`: of some of them.
    """

    hits: float = 0.0
    total: float = 0.0
    level: float = 0.0
    share: float = 0.0
    is_open: bool = False
    rise_hits: int = 0
    rise_total: int = 0
    since: float = 0.0
    urls: list[str] = field(default_factory=list)

    def own_share(self, rule: ShareRule) -> float:
        """Return the task's own share of unusual observations."""
        if not rule.learns:
            return rule.usual
        return max(rule.usual, (self.hits + rule.usual * PRIOR_OBSERVATIONS) / (self.total + PRIOR_OBSERVATIONS))

    def step(
        self, rule: ShareRule, hits: int, total: int, at: float, urls: Sequence[str] = (), *, is_capped: bool = False
    ) -> Verdict:
        """Take `total` observations made at one time, `hits` of them unusual. `is_capped`: apply `rule.most`."""
        if total <= 0:
            return ""
        if not self.is_open and self.level == 0.0:
            self.share = self.own_share(rule)
        ratio = self._ratio(rule, hits, total)
        if is_capped:
            ratio = max(-rule.most, min(rule.most, ratio))
        if self.is_open:
            return self._step_open(hits, ratio, urls)
        weight = min(1.0, LEARNED_TOGETHER / total) if is_capped else 1.0
        is_ready = self.total > rule.least - 0.5 or not rule.learns  # `total` is decayed, so slightly less
        self._learn(rule, hits * weight, total * weight)
        return self._step_closed(rule, hits, total, ratio, at, urls) if is_ready else ""

    def close(self) -> None:
        """End the alarm."""
        self.is_open = False
        self._fall()

    def _ratio(self, rule: ShareRule, hits: int, total: int) -> float:
        changed = min(0.99, max(rule.changed, rule.factor * self.share))
        if changed <= self.share:
            return 0.0
        miss = math.log((1 - changed) / (1 - self.share))
        return hits * math.log(changed / self.share) + (total - hits) * miss

    def _step_closed(
        self, rule: ShareRule, hits: int, total: int, ratio: float, at: float, urls: Sequence[str]
    ) -> Verdict:
        if hits and not self.rise_hits:
            self.since = at
        self.level += ratio
        if self.level <= 0.0:
            self._fall()
            return ""
        self.rise_hits += hits
        self.rise_total += total
        self.urls = (self.urls + [url for url in urls if url not in self.urls])[:URLS_KEPT] if hits else self.urls
        if self.level < rule.threshold:
            return ""
        self.hits = max(0.0, self.hits - self.rise_hits)  # changed observations are not part of the usual share
        self.total = max(float(rule.least), self.total - self.rise_total)
        self.is_open, self.level = True, 0.0
        return "opened"

    def _step_open(self, hits: int, ratio: float, urls: Sequence[str]) -> Verdict:
        self.level = max(0.0, self.level - ratio)
        if hits:
            self.urls = [*[url for url in urls if url not in self.urls], *self.urls][:URLS_KEPT]
        if self.level < RECOVERED:
            return ""
        self.close()
        return "recovered"

    def _learn(self, rule: ShareRule, hits: float, total: float) -> None:
        left = 0.5 ** (total / rule.half_life)
        self.hits, self.total = self.hits * left + hits, self.total * left + total

    def _fall(self) -> None:
        self.level, self.rise_hits, self.rise_total, self.since, self.urls = 0.0, 0, 0, 0.0, []
