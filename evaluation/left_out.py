"""`python -m evaluation.left_out DATA --out DIR`: the learned parts of `density`, without the data that they judge.

DIR gets one folder per model: `set-NAME` was trained on all sets except that one, `fold-K` on all sites except those of
one of `FOLDS` folds. Each has a line model and models of page types, with thresholds of its own.
`python -m evaluation DATA --left-out DIR` measures `density` three times: unchanged, `density@sites`, `density@set`.
"""

import argparse
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path

from rich.console import Console

from extractors.content.line_model.context import LineModel, load_model
from extractors.content.line_model.line_columns import NAMES, NAMES_OF_ANY_KIND
from extractors.content.line_model.opinion import CHOSEN
from extractors.errors import TrainingMistakes
from extractors.learned import using
from extractors.page_types.classify import FOLDER

from .arguments import mistakes, parser_of
from .data import DataError, Row, read_sets
from .labelled_pages import LabelledPage
from .line_model import (
    FOLDS,
    FORMS_OF_ANY_KIND,
    SAME_SITE,
    family_of,
    fold_of,
    learn_models,
    no_models,
    read_examples,
    save_model,
    site_of,
)
from .line_model import FORMS as FORMS_OF_ARTICLES
from .page_type_learning import PageNumbers, pages_of, save
from .page_type_training import FORMS, is_of_kinds, learn_kind, read_features, sites_of, trained

SITES, SET = "sites", "set"  # the data that are left out
LINE_MODELS = {"line-model-articles.json": NAMES, "line-model.json": NAMES_OF_ANY_KIND}  # of articles, of any kind
DOUBTFUL = ("kancai:a/about/*", "wcxb:test_5001", "wcxb:test_4372", "wcxb:test_5295", "wcxb:test_4352", "wcxb:dev_2904",
            "wcxb:test_5234", "wcxb:test_5247", "wcxb:test_5245", "wcxb:dev_0225")  # fmt: skip
# … not used to train page types: their label "list" is wrong, see page_types/MODEL_CARD.md.


class LeftOut:
    """The models of a folder, chosen so that a page had no part in their training."""

    def __init__(self, folder: Path) -> None:
        """Raises `DataError` if the folder has no such models."""
        if not all((folder / "fold-0" / name).exists() for name in LINE_MODELS):
            raise no_models(folder)
        self._folder = folder

    def judging(self, set_name: str, row: Row, what: str) -> AbstractContextManager[None]:
        """Use, within the block, models that were not trained on the page's site, or on its set."""
        plain = set_name.partition("+")[0].partition(".")[0]
        return self._using(f"set-{plain}") if what == SET else self.without_fold(fold_of(site_of(row, plain)))

    def without_fold(self, fold: int) -> AbstractContextManager[None]:
        """Use, within the block, models that were not trained on the sites of a fold, nor on its designs."""
        return self._using(f"fold-{fold}")

    @contextmanager
    def _using(self, name: str) -> Iterator[None]:
        if not (self._folder / name).is_dir():  # no model was trained on this set, so any will do
            name = "fold-0"
        with ExitStack() as stack:
            articles, any_kind = (_line_model(self._folder / name / model) for model in LINE_MODELS)
            stack.enter_context(using((articles, any_kind), CHOSEN))
            stack.enter_context(using(self._folder / name, FOLDER))
            yield


@lru_cache(64)
def _line_model(path: Path) -> LineModel:
    return load_model(path, LINE_MODELS[path.name])


def models(sets: Sequence[str]) -> list[str]:
    """Return the names of the models."""
    return [*(f"{SET}-{name}" for name in sets), *(f"fold-{number}" for number in range(FOLDS))]


def may_learn(model: str, set_name: str, folds: Collection[int]) -> bool:
    """Whether a model may be trained on a page; `folds`: of its site and of its designs."""
    what, _, left = model.partition("-")
    return family_of(set_name) != family_of(left) if what == SET else int(left) not in folds


def main(words: Sequence[str] | None = None) -> int:
    """Train and write; exit code 2 for a mistake in call or data."""
    parser = _parser()
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError, TrainingMistakes):
        sets = read_sets(arguments.data)
        labelled, features = read_features([arguments.data], DOUBTFUL, Console(stderr=True))
        names = sorted({one.name.partition(".")[0] for one in sets} | {page.source for page in labelled})
        for name in models(names):
            (arguments.out / name).mkdir(parents=True, exist_ok=True)
            _train_types(arguments.out / name, labelled, features)
        examples = read_examples(sets, arguments.processes, arguments.out)
        chosen = {
            name: [one for one in examples if may_learn(name, one.set, {one.fold, *one.designs})]
            for name in models(names)
        }
        for file, weights in zip(LINE_MODELS, (FORMS_OF_ARTICLES, FORMS_OF_ANY_KIND), strict=True):
            for name, model in learn_models(examples, chosen, weights).items():
                save_model(model, arguments.out / name / file, {"left_out": name})
                print(arguments.out / name / file, flush=True)
    return 0


def _train_types(folder: Path, labelled: Sequence[LabelledPage], features: Sequence[PageNumbers]) -> None:
    chosen = [
        (page, found)
        for page, found in zip(labelled, features, strict=True)
        if may_learn(folder.name, page.source, {fold_of(SAME_SITE.get(page.source, page.site))})
    ]
    for name, form in FORMS.items():
        pages = pages_of([page for page, _ in chosen], [found for _, found in chosen], form)
        if not is_of_kinds(form):
            save(trained(pages)[0], folder / name, {"left_out": folder.name})
        elif sites_of(pages):  # without a set no page of a kind may be left
            save(learn_kind(pages), folder / name, {"left_out": folder.name})


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("evaluation.left_out", __doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the models")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="processes that read pages (default: 2)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
