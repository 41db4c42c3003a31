"""The second step: predictions compared with the truth."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from statistics import fmean, median

from .data import DataSet, Row
from .scores import Score, bag_score, bootstrap, mean, score, score_with_optional

BAD = 0.8  # a page with a lower F1 counts as lost
YARDSTICK = "trafilatura"  # the peer whose speed is the unit
_HAN = r"[\u4e00-\u9fff]"  # in Chinese titles the site's name follows a hyphen without spaces
_SEPARATOR = re.compile(rf"\s+[-–—·•»:>]+\s+|\s*[|｜_]+\s*|\s*[–—]{{1,2}}\s*|-{{2,}}|(?<={_HAN})-(?={_HAN})")
_SIGNS = str.maketrans({**dict.fromkeys("‘’‚‛′´`", "'"), **dict.fromkeys("“”„‟″", '"'), **dict.fromkeys("‐‑‒–—―", "-")})


@dataclass(frozen=True, slots=True)
class Prediction:
    """The result of a method or peer. `ms`: CPU time; `parse_ms`: that of parsing the same page in the same round.

    `peer`: whether it is the result of a peer. `example`: id of the example page. `none`: why there is no article.
    """

    id: str
    text: str
    ms: float
    parse_ms: float
    peer: bool = False
    example: str | None = None
    title: str | None = None
    day: str | None = None
    none: str | None = None
    crash: str | None = None


@dataclass(frozen=True, slots=True)
class Speed:
    """Medians over pages. `parse`: multiple of the time of parsing; `trafilatura`: how many times as fast, or None."""

    ms: float
    parse: float
    trafilatura: float | None


@dataclass(frozen=True, slots=True)
class Share:
    """A share and the number of cases; None without any."""

    right: int
    of: int

    @property
    def share(self) -> float | None:
        """The share, 0 to 1."""
        return self.right / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one method or peer on one set.

    `pages`: texts scored (pairs count each); `spread`: half the 95% interval of `f1`; `bag`: mean F1 of words as a bag;
    `below`: share of texts below .8, `refused`: of those without one;
    `lists`: list pages answered "no article"; `worst`: (F1, page, example), lowest first.
    """

    set: str
    method: str
    peer: bool
    pages: int
    f1: float
    precision: float | None
    recall: float | None
    spread: float
    below: float
    bag: float
    refused: float
    speed: Speed
    titles: Share
    days: Share
    lists: Share
    crashes: int
    worst: tuple[tuple[float, str, str | None], ...]


def results_of(
    predictions: Iterable[tuple[DataSet, Mapping[str, Sequence[Prediction]]]], seed: int, worst: int
) -> list[Result]:
    """Return the results of all predictions, by set and method."""
    results = []
    for dataset, found in predictions:
        yardstick = {prediction.id: prediction.ms for prediction in found.get(YARDSTICK, [])}
        results += [evaluate(dataset, method, found[method], yardstick, seed, worst) for method in sorted(found)]
    return sorted(results, key=lambda result: result.set)


def evaluate(
    dataset: DataSet,
    method: str,
    predictions: Sequence[Prediction],
    yardstick: Mapping[str, float],
    seed: int,
    worst: int = 0,
) -> Result:
    """Return a method's result on a set; `yardstick`: by page, the time of the peer with which speed is compared."""
    rows = {row.id: row for row in dataset.rows}
    texts = [one for one in predictions if rows[one.id].scored]
    lists = [one for one in predictions if rows[one.id].kind == "list"]
    scores = [score_row(one.text, rows[one.id]) for one in texts]
    by_page: dict[str, list[Score]] = {}
    for one, value in zip(texts, scores, strict=True):
        by_page.setdefault(one.id, []).append(value)
    total = mean(scores)
    ranked = sorted(zip((value.f1 for value in scores), texts, strict=True), key=lambda pair: pair[0])
    return Result(
        set=dataset.name,
        method=method,
        peer=any(one.peer for one in predictions),
        pages=len(texts),
        f1=total.f1,
        precision=total.precision,
        recall=total.recall,
        spread=bootstrap(by_page, seed),
        below=sum(value.f1 < BAD for value in scores) / len(scores) if scores else 0.0,
        bag=fmean(bag_score(one.text, rows[one.id].body or "").f1 for one in texts) if texts else 0.0,
        refused=sum(not one.text for one in texts) / len(texts) if texts else 0.0,
        speed=speed((one, yardstick.get(one.id)) for one in texts or lists),
        titles=_titles(texts, rows),
        days=_days(texts, rows),
        lists=Share(sum(not one.text for one in lists), len(lists)),
        crashes=sum(one.crash is not None for one in predictions),
        worst=tuple((value, one.id, one.example) for value, one in ranked[:worst]),
    )


def score_row(text: str, row: Row) -> Score:
    """Return the score of a text against the row's body; optional paragraphs may be present or missing."""
    if row.optional:
        return score_with_optional(text, row.paragraphs, row.optional)
    return score(text, row.body or "")


def speed(timings: Iterable[tuple[Prediction, float | None]]) -> Speed:
    """Return the medians of predictions, each with the yardstick's milliseconds on the same page."""
    rows = [(one, other) for one, other in timings if one.crash is None and one.ms > 0]
    if not rows:
        return Speed(0.0, 0.0, None)
    faster = [other / one.ms for one, other in rows if other is not None]
    return Speed(
        ms=median(one.ms for one, _ in rows),
        parse=median(one.ms / one.parse_ms for one, _ in rows if one.parse_ms > 0),
        trafilatura=median(faster) if faster else None,
    )


def same_title(found: str | None, truth: str) -> bool:
    """Whether the titles are equal, without the truth's site suffix.

    White space, case, the width of signs and the forms of quotation marks, dashes and dots are folded: page and truth
    often differ in their typography.
    """
    forms = {truth, *(truth[: mark.start()] for mark in _SEPARATOR.finditer(truth))}
    return bool(found) and _plain(found or "") in map(_plain, forms)


def _plain(title: str) -> str:
    plain = unicodedata.normalize("NFKC", title.translate(_SIGNS)).casefold()
    return " ".join(plain.replace("--", "-").split())


def same_day(found: str | None, truth: str) -> bool | None:
    """Whether a time is on the day of the truth, in its own or the truth's zone; None if the truth has no day."""
    wanted = _moment(truth)
    if wanted is None:
        return None
    moment = _moment(found or "")
    if moment is None:
        return False
    days = {moment.date() if isinstance(moment, datetime) else moment}
    if isinstance(moment, datetime) and isinstance(wanted, datetime) and moment.tzinfo and wanted.tzinfo:
        days.add(moment.astimezone(wanted.tzinfo).date())
    return (wanted.date() if isinstance(wanted, datetime) else wanted) in days


def _moment(text: str) -> date | None:
    """Return a date or datetime in ISO 8601; None for other texts, such as NaT."""
    for kind in (date, datetime):
        try:
            return kind.fromisoformat(text)
        except ValueError:
            continue
    return None


def _titles(texts: Sequence[Prediction], rows: Mapping[str, Row]) -> Share:
    known = [] if any(one.peer for one in texts) else [one for one in texts if rows[one.id].title]
    return Share(sum(same_title(one.title, rows[one.id].title or "") for one in known), len(known))


def _days(texts: Sequence[Prediction], rows: Mapping[str, Row]) -> Share:
    known = [] if any(one.peer for one in texts) else texts
    verdicts = [same_day(one.day, rows[one.id].date or "") for one in known]
    return Share(verdicts.count(True), len(verdicts) - verdicts.count(None))
