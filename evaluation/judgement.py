"""`python -m evaluation.judgement DATA`: trains the confidence, and measures lines, choice and confidence left out.

For each of `FOLDS` folds a line model is trained without the sites and designs of the fold. It gives the bodies of the
fold's pages, alone and beside examples; the numbers about them and their F1 are what confidence learns from,
again without the fold that it judges. The model that is stored has seen all of these pages. F1 is that of the lines'
bytes, with the share of the truth that the page lacks.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from extractors.content.confidence import LEAST, MOST, WEIGHTS, doubts_of
from extractors.content.confidence import NAMES as NUMBERS
from extractors.content.line_model.context import LineModel
from extractors.content.line_model.line_columns import NAMES, TAGS
from extractors.content.line_model.opinion import corrected, like_text
from extractors.content.line_model.trees import Trees
from extractors.learned import logistic
from extractors.methods.density.extractor import SURE
from extractors.methods.example.extractor import LIKELIER

from .arguments import mistakes, parser_of
from .data import DataError, read_sets
from .designs.parts import DESIGNS
from .designs.written import KINDS, collections
from .line_model import (
    DESIGNED_KIND,
    FOLDS,
    FORMS,
    FORMS_OF_ANY_KIND,
    JUDGED,
    MIXTURE,
    OTHER,
    LabelledForm,
    learn_models,
    read_examples,
)
from .scores import auc
from .tree_training import Shape, fit, save

MISSING = 0.15  # share of the truth that a page lacks, from which it is not judged
RIGHT = 0.8  # F1 from which a text is right
BOUNDS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 1.0)  # of the intervals of the reliability table
SHAPE = Shape(trees=200, depth=4, rate=0.05, ridge=6.0, rows=0.5)
STORED, DESIGNED = ("plain", "example", "memory"), ("designed", "designed example")
JUDGED_FORMS = (JUDGED, f"{JUDGED} example")  # in designs of collections that no model is trained on
OF_KINDS = (DESIGNED_KIND, f"{DESIGNED_KIND} example")  # in designs of other kinds
DOUBTED = ("plain", "names")  # forms in which an article may not look like one
WEIGHT = {"plain": 1.0, OTHER: 1.0, "example": 1.0, "memory": 1.0, "names": 0.3, "short": 0.3, "pieces": 0.3,
          **dict.fromkeys(DESIGNED, 0.3), **dict.fromkeys(OF_KINDS, 0.1)}  # fmt: skip
_KEPT, _WIDTH, _TAG = (NAMES.index(name) for name in ("kept", "width", "tag"))


@dataclass(frozen=True, slots=True)
class Judged:
    """A form with the body of a model that has not seen it: `numbers` about it, and its F1.

    `before`: F1 of the body before the model. `confidence`: by a model that has not seen the form, 0 until it is known.
    """

    form: LabelledForm
    numbers: NDArray[np.float32]
    f1: float
    before: float
    confidence: float = 0.0


def main(words: Sequence[str] | None = None) -> int:
    """Train, measure and write; exit code 2 for a mistake in call or data."""
    parser = parser_of("evaluation.judgement", __doc__)
    parser.add_argument("--left-out", type=Path, metavar="MODELS", help="as for evaluation.line_model")
    parser.add_argument("--out", type=Path, default=WEIGHTS, metavar="FILE", help="default: the model in use")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="processes that read pages (default: 2)")
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError):
        forms = read_examples(read_sets(arguments.data), arguments.processes, arguments.left_out)
    seen = {f"fold-{fold}": [one for one in forms if one.seen_without(fold)] for fold in range(FOLDS)}
    models = [learn_models(forms, seen, weights).values() for weights in (FORMS, FORMS_OF_ANY_KIND)]
    judged = [one for fold, both in enumerate(zip(*models, strict=True)) for one in judged_without(forms, fold, *both)]
    for line in report(with_confidence(judged)):
        print(line)
    learned = [one for one in judged if one.form.form in WEIGHT]
    save(learn_confidence(learned), arguments.out, {"pages": len(learned)})
    return 0


def judged_without(
    forms: Sequence[LabelledForm], fold: int, of_articles: LineModel, of_any_kind: LineModel
) -> Iterator[Judged]:
    """Yield the forms of a fold with the bodies of the models that apply to them, and have not seen them.

    Articles count twice, since some are not told to be articles at once and get the model of any kind.
    """
    yield from judged_by(of_articles, [one for one in forms if one.form in (*FORMS, *JUDGED_FORMS)], fold)
    others = [one for one in forms if one.form in (OTHER, *OF_KINDS, *DOUBTED)]
    yield from judged_by(of_any_kind, others, fold, is_article=False)


def judged_by(
    model: LineModel, forms: Iterable[LabelledForm], fold: int, *, is_article: bool = True
) -> Iterator[Judged]:
    """Yield the forms of a fold's sites; those in designs only if a design is unseen.

    A page that lacks much of its truth is left out, because its text cannot be right.
    """
    for one in forms:
        if one.fold == fold and (not one.designs or fold in one.designs) and one.missing < MISSING:
            yield judge_form(one, *model.chances(one.values), is_article=is_article)


def judge_form(
    one: LabelledForm, chance: NDArray[np.float32], read_once: NDArray[np.float32], *, is_article: bool = True
) -> Judged:
    """Return a form with the body by the probabilities of its lines; `read_once`: those of the first reading."""
    rules, width = one.values[:, _KEPT] > 0.5, np.expm1(one.values[:, _WIDTH])
    code = one.values[:, _TAG] == TAGS["pre"]
    chance, read_once = like_text(chance, code, rules), like_text(read_once, code, rules)
    kept = corrected(rules, chance, width, is_article=is_article)
    numbers = doubts_of(one.values, chance, read_once, kept, rules, one.known)
    return Judged(one, numbers, f1_of(one, kept, width), f1_of(one, rules, width))


def f1_of(one: LabelledForm, kept: NDArray[np.bool_], width: NDArray[np.float32]) -> float:
    """Return the F1 of a body by bytes."""
    hit, truth = float((width * one.target * kept).sum()), float((width * one.target).sum())
    return 2 * hit / max(1.0, float((width * kept).sum()) + truth / max(0.01, 1 - one.missing))


def learn_confidence(judged: Sequence[Judged]) -> Trees:
    """Return the model of the confidence in the text of a form."""
    pages = defaultdict[tuple[str, str, str], int](int)
    for one in judged:
        pages[_kind(one)] += 1
    weight = [WEIGHT[one.form.form] * min(1.0, 12 / pages[_kind(one)]) for one in judged]
    return fit(
        NUMBERS,
        np.stack([one.numbers for one in judged]),
        np.array([one.f1 >= RIGHT for one in judged], np.float64),
        np.array(weight),
        SHAPE,
    )


def _kind(one: Judged) -> tuple[str, str, str]:
    return one.form.set, one.form.site, one.form.form


def with_confidence(judged: Sequence[Judged]) -> list[Judged]:
    """Return the forms with the confidence of a model that has seen neither their sites nor their designs."""
    found = []
    for fold in range(FOLDS):
        model = learn_confidence([one for one in judged if one.form.form in WEIGHT and one.form.seen_without(fold)])
        for one in judged:
            if one.form.fold == fold:
                chance = float(logistic(model.log_odds(one.numbers[np.newaxis]))[0])
                found.append(Judged(one.form, one.numbers, one.f1, one.before, min(MOST, max(LEAST, chance))))
    return found


def report(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the lines of the report: by form, by design, the choice, the reliability of confidence."""
    stored = [one for one in judged if one.form.form in STORED]
    designed = [one for one in judged if one.form.form in DESIGNED and len(one.form.designs) != MIXTURE]
    yield f"{'':34}{'pages':>6}{'before':>8}{'F1':>8}{'wrong':>8}{'wrong, surely':>15}{'area':>7}"
    for form in (*STORED, OTHER, *OF_KINDS, "names", "short", "pieces", *DESIGNED, *JUDGED_FORMS):
        yield _row(form, [one for one in judged if one.form.form == form and len(one.form.designs) != MIXTURE])
    for name in sorted({one.form.set for one in stored}):
        for form in STORED:
            yield _row(f"  {form} {name}", [one for one in stored if one.form.form == form and one.form.set == name])
    others = [one for one in judged if one.form.form == OTHER]
    for name in sorted({one.form.set for one in others}):
        yield _row(f"  {name}", [one for one in others if one.form.set == name])
    unseen = [one for one in judged if one.form.form in JUDGED_FORMS]
    kinds = [one for one in judged if one.form.form in OF_KINDS]
    every = (*designed, *unseen, *kinds)
    for design in (*DESIGNS, *collections(), *collections(KINDS)):
        for form in (*DESIGNED, *JUDGED_FORMS, *OF_KINDS):
            group = [one for one in every if one.form.form == form and f" {design}/" in one.form.page]
            if group:
                yield _row(f"  {form} {design}", group)
    yield from _choice(judged)
    groups = {"stored pages": stored, "other kinds": others, "designs of other kinds": kinds, "designs": designed,
              "designs never trained on": unseen}  # fmt: skip
    for title, group in groups.items():
        yield f"reliability, {title}: area under the curve {_area(group):.3f}"
        yield from _reliability(group)


def _row(name: str, group: list[Judged]) -> str:
    if not group:
        return f"{name:34}{0:6}"
    before, f1 = (np.array([getattr(one, what) for one in group]) for what in ("before", "f1"))
    wrong = f1 < RIGHT
    surely = wrong & (np.array([one.confidence for one in group]) >= 0.9)
    rates = f"{wrong.mean():8.1%}{surely.mean():15.2%}{_area(group):7.3f}"
    return f"{name:34}{len(group):6}{before.mean():8.4f}{f1.mean():8.4f}{rates}"


def _choice(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the F1 of pages beside examples: of that body, of the page alone, of the more trusted and the better."""
    alone = {one.form.page: one for one in judged if one.form.form in ("plain", "designed", JUDGED, DESIGNED_KIND)}
    yield f"{'choice':34}{'pages':>6}{'example':>9}{'alone':>9}{'trusted':>9}{'better':>9}"
    for form in ("example", "memory", *(f"{form} example" for form in ("designed", JUDGED, DESIGNED_KIND))):
        pairs = [(one, alone[one.form.page]) for one in judged if one.form.form == form and one.form.page in alone]
        if pairs:
            chosen = [_chosen(one, own).f1 for one, own in pairs]
            columns = [one.f1 for one, _ in pairs], [own.f1 for _, own in pairs], chosen, [
                max(one.f1, own.f1) for one, own in pairs
            ]  # fmt: skip
            yield f"{form:34}{len(pairs):6}" + "".join(f"{np.mean(column):9.4f}" for column in columns)


def _chosen(one: Judged, own: Judged) -> Judged:
    return own if one.confidence < SURE and own.confidence > one.confidence + LIKELIER else one


def _area(group: Sequence[Judged]) -> float:
    """Return the area under the curve: the probability that a right text has more confidence than a wrong one."""
    return auc(np.array([one.confidence for one in group]), np.array([one.f1 >= RIGHT for one in group], np.bool_))


def _reliability(group: Sequence[Judged]) -> Iterator[str]:
    for low, high in pairwise(BOUNDS):
        within = [one for one in group if low <= one.confidence < high]
        if within:
            said, right = np.mean([one.confidence for one in within]), np.mean([one.f1 >= RIGHT for one in within])
            yield f"  {low:.2f} to {high:.2f}: {len(within):5} pages, confidence {said:.3f}, right {right:.3f}"


if __name__ == "__main__":
    sys.exit(main())
