"""`python -m evaluation.page_type_training DATA…`: train the page-type models on labelled pages of your own.

DATA: folders of `evaluation.data`, with a truth.jsonl and the pages that it names; one object per line with file, kind
(article, thread, documentation, product, service, list, collection) and, as far as known, url, site and encoding. Use
all kinds from many sites; twenty pages of a site are enough.

It writes two models that tell articles from lists, for pages with and without a URL; a cheap one, which is enough for
most articles; and one for each kind. The thresholds are chosen on the same pages: each is classified by models that
were not trained on its site.
"""

import argparse
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from extractors.content.assembly import ParsedPage
from extractors.content.line_weights import prior_of
from extractors.content.page_body import rules_body
from extractors.errors import TrainingMistakes
from extractors.html.elements import ElementList, Walked
from extractors.html.lines import Lines
from extractors.page_types.classify import (
    KINDS,
    OF_KIND,
    SCREEN,
    SCREEN_OF_KINDS,
    WITH_ADDRESS,
    WITHOUT_ADDRESS,
    names_in,
)
from extractors.page_types.features import SCREENED, SCREENED_FOR_KINDS, features_of, names_for_kinds
from extractors.page_types.model import Model
from extractors.training import run

from .labelled_pages import LabelledPage, read_labelled
from .page_type_learning import (
    FOLDS,
    RIGHT,
    SHORT_LINES,
    ModelForm,
    PageNumbers,
    TrainingPages,
    evenly,
    held_out,
    learn,
    pages_of,
    save,
    screen_from,
    site_weights,
    thresholds,
)

SEEDS = 5  # ways of dividing the sites; their results are averaged for the thresholds
PRIOR = 0.5  # power of a kind's share of the pages in its odds; 0: all kinds alike, 1: as in the data
FORMS = {
    WITH_ADDRESS.name: ModelForm(names_in(WITH_ADDRESS)),
    WITHOUT_ADDRESS.name: ModelForm(names_in(WITHOUT_ADDRESS)),
    SCREEN.name: ModelForm(names_in(SCREEN)),
    SCREEN_OF_KINDS.name: ModelForm(names_in(SCREEN_OF_KINDS), among=KINDS),
    **{file.name: ModelForm(names_in(file), kind, KINDS) for kind, file in OF_KIND.items()},
}


def main(words: Sequence[str] | None = None) -> int:
    """Train, print the accuracy on held-out sites, write the models. Exit code 2 for a mistake in call or data."""
    arguments = _parser().parse_args(words)
    return run(lambda: _write(arguments), arguments.out, stopped="stopped")


def _write(arguments: argparse.Namespace) -> str:
    errors = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
    arguments.out.mkdir(parents=True, exist_ok=True)
    labelled, features = read_features(arguments.data, arguments.drop, errors)
    for name, form in FORMS.items():
        pages = pages_of(labelled, features, form)
        if is_of_kinds(form) and (sites := sites_of(pages)) < FOLDS:
            print(f"{arguments.out / name}: not written: {sites} sites have pages of kind {form.kind}")
            continue
        check(pages, name)
        model, judged = trained(pages)
        save(model, arguments.out / name, _about(pages, form))
        print(f"{arguments.out / name}: {_words(model, judged, pages)}")
    return ""


def read_features(
    folders: Sequence[Path], dropped: Sequence[str], errors: Console
) -> tuple[list[LabelledPage], list[PageNumbers]]:
    """Return pages, at most `PER_SITE` of a type and site, and their numbers; pages without text are left out.

    `dropped`: patterns of names to leave out. Raises `TrainingMistakes`.
    """
    everything = [page for folder in folders for page in read_labelled(folder)]
    kept = [page for page in everything if not any(fnmatch(page.row.id, pattern) for pattern in dropped)]
    chosen = evenly([(page.source, page.site, page.kind) for page in kept])
    labelled = [page for page, taken in zip(kept, chosen.tolist(), strict=True) if taken]
    found = list(_numbered(labelled, errors))
    return [page for page, _ in found], [features for _, features in found]


def _numbered(labelled: list[LabelledPage], errors: Console) -> Iterator[tuple[LabelledPage, PageNumbers]]:
    for page in track(labelled, "reading pages", console=errors, transient=True):
        parsed = page.parsed()
        if parsed is not None:
            yield page, PageNumbers(features_of(parsed), features_of(shortened(parsed)) if page.article else None)


def shortened(parsed: ParsedPage) -> ParsedPage:
    """Return the page with only the first lines of its body."""
    body = rules_body(parsed.lines, parsed.prior).kept
    lines = _without(parsed.lines, set(body[SHORT_LINES:]))
    return replace(parsed, lines=lines, prior=prior_of(lines, [parsed.head.title, *parsed.head.titles()]))


def _without(lines: Lines, dropped: Collection[int]) -> Lines:
    """Return the page without some of its lines."""
    kept = [index for index in range(len(lines)) if index not in dropped]
    number = {index: place for place, index in enumerate(kept)}
    paths, items = ([numbers[index] for index in kept] for numbers in (lines.paths, lines.items))
    links = [both for both in zip(lines.links, lines.link_elements, strict=True) if both[0] in number]
    walked = Walked(
        texts=[lines.texts[index] for index in kept],
        paths=paths,
        items=items,
        continued=[lines.continued[index] for index in kept],
        widths=[int(lines.widths[index]) for index in kept],
        link_chars=[0] * len(kept),
        blocks=ElementList(),
        links=[number[index] for index, _ in links],
        link_elements=ElementList(element for _, element in links),
        media=[(number[index], path, element) for index, path, element in lines.media if index in number],
        noted=[],
    )
    found = Lines(lines.trie, walked)
    found.linked_bytes = [lines.linked_bytes[index] for index in kept]
    return found


def trained(pages: TrainingPages) -> tuple[Model, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return the model of some pages with its thresholds, and the held-out log odds from which they were chosen.

    The models of kinds have no thresholds; they are compared with each other.
    """
    if pages.names == names_for_kinds():
        return learn_kind(pages), held_out(pages, 0)
    judged = np.mean([held_out(pages, seed) for seed in range(SEEDS)], axis=0)
    upper, lower = thresholds(judged, pages.article, site_weights(pages, 0.0))
    if pages.names in (SCREENED, SCREENED_FOR_KINDS):
        upper = screen_from(judged, pages.article)
    return replace(learn(pages), article_from=upper, list_to=lower), judged


def learn_kind(pages: TrainingPages) -> Model:
    """Return the model of one kind among all; there must be a page of it."""
    model = learn(pages)
    return replace(model, bias=model.bias + PRIOR * np.log(pages.article.mean()))


def is_of_kinds(form: ModelForm) -> bool:
    """Whether a form is that of one kind among all."""
    return form.names == names_for_kinds()


def sites_of(pages: TrainingPages, of_kind: bool = True) -> int:
    """Return the number of sites that have pages of the model's kind, or others."""
    return len({site for site, kind in zip(pages.sites, pages.article.tolist(), strict=True) if kind == of_kind})


def check(pages: TrainingPages, name: str) -> None:
    """Raise `TrainingMistakes` if there is too little data for training."""
    for kind, of_kind in (("article", True), ("list", False)):
        if (sites := sites_of(pages, of_kind)) < FOLDS:
            having = " with a URL" if name == WITH_ADDRESS.name else ""
            raise TrainingMistakes(f"too few sites: {sites} have pages of kind {kind}{having}, {FOLDS} are needed")


def _words(model: Model, judged: np.ndarray[tuple[int], np.dtype[np.float64]], pages: TrainingPages) -> str:
    weight = site_weights(pages, 0.0)
    right = (judged > 0) == pages.article
    answered = (judged >= model.article_from) | (judged <= model.list_to)
    share = float(weight[answered].sum())
    sure = float((weight * right)[answered].sum()) / max(share, 1e-300)
    return (
        f"{len(pages)} pages of {len(set(pages.sites))} sites; on held-out sites, each counting alike: "
        f"{float((weight * right).sum()):.1%} right, {share:.1%} answered, {sure:.1%} of these right"
    )


def _about(pages: TrainingPages, form: ModelForm) -> dict[str, object]:
    count = int(pages.article.sum())
    return {form.kind: count, "others": len(pages) - count, "sites": len(set(pages.sites)), "right": RIGHT}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.page_type_training",
        description=__doc__,
        epilog="example: python -m evaluation.page_type_training my-pages --out my-models",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA", help="folders of pages with truth.jsonl")
    parser.add_argument(
        "--out", type=Path, default=Path("page-types"), metavar="DIR", help="where to write; default: page-types"
    )
    parser.add_argument(
        "--drop", action="append", default=[], metavar="PATTERN", help="leave out pages whose id matches (a*, ?)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
