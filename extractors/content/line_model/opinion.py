"""Corrects the rules' body where the line model is sure, or replaces it if the model's body is better.

The model's body are the lines that promise the highest expected F1, the most probable ones first, so that no
probability decides for all pages. It is the body if its expected F1 is above that of the rules' body by more than
`SWITCH`, and on pages that are no articles, for which the rules are made. Otherwise single lines change: lines with a
probability above `SURE` are added, lines with 1 − `SURE` or less are removed. A heading such as "Related articles"
is removed if no line of the body follows it; so is, of articles, what belongs to the template by its words.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...article import PageType
from ...html.lines import Flags, Floats, Lines
from ...html.phrases import lines_of
from ..body import Body
from ..line_weights import Prior
from ..trimming import without_template_words
from .context import LineModel, load_model
from .expected_f1 import agreement, expected, likeliest
from .line_columns import NAMES, NAMES_OF_ANY_KIND, features_of, flags_of, prose_of, with_kinds

HERE = Path(__file__).parent
ARTICLES, ANY_KIND = HERE / "articles.json", HERE / "any-kind.json"
# Chosen on the development sets, sites and designs left out. With SWITCH .03 designs gain .003 and single stored sets
# lose up to .02; with .1 designs lose .006. With SURE .8, zh_handcrafted loses .008.
SURE = 0.9  # probability from which a single line changes
SWITCH = 0.05  # expected F1 that the model's body must gain to replace the rules' body
AGREE = 0.8  # F1 by bytes of the model's body and a thread's posts, below which the posts decide
NO_POST = 0.5  # … and factor of the other lines then; names and times of posts count as body in some texts
# Of articles and of any kind; see `learned.using`
CHOSEN: ContextVar[tuple[LineModel, LineModel] | None] = ContextVar("line models", default=None)


@dataclass(frozen=True, slots=True)
class Opinion:
    """A body after the model's correction: `kept` lines; `rules`: those of the body before, as flags.

    Of all lines of the page, `chance`: probability of being body; `read_once`: the same by the first reading; `width`:
    bytes; `values`: see `line_columns`.
    """

    kept: list[int]
    rules: Flags
    chance: Floats
    read_once: Floats
    width: Floats
    values: Floats

    def expected(self, kept: list[int]) -> float:
        """Return the expected F1 by bytes, 0 to 1, of a body if each line is body with its probability."""
        return expected(self.chance, self.width, kept)


def corrected(rules: Flags, chance: Floats, width: Floats, *, is_article: bool = True) -> Flags:
    """Return the body after the correction of that of the rules; the same if nothing would be left."""
    model = likeliest(chance, width)
    gain = expected(chance, width, model) - expected(chance, width, rules)
    is_better = gain > SWITCH or not is_article
    revised = model if is_better else (rules | (chance > SURE)) & (chance > 1 - SURE)
    return revised if revised.any() else rules


def like_text(chance: Floats, code: Flags, rules: Flags) -> Floats:
    """Return the probabilities with code of the rules' body like the text before it, since few pages show code.

    `code`: whether each line is a <pre>.
    """
    text = np.flatnonzero(rules & ~code)
    listing = np.flatnonzero(rules & code)
    if not len(text) or not len(listing):
        return chance
    before = text[np.maximum(np.searchsorted(text, listing) - 1, 0)]
    changed = chance.copy()
    changed[listing] = np.maximum(chance[listing], chance[before])
    return changed


def like_table(chance: Floats, width: Floats, lines: Lines) -> Floats:
    """Return the probabilities with all lines of a table without prose and code like their mean: it is body as a whole.

    `width`: bytes of each line, its weight. Tables in the same place of the outline count as one.
    """
    outline, tags = lines.outline, lines.outline.tags
    if "table" not in tags:
        return chance
    table = [0] * len(outline)
    for path in range(1, len(outline)):
        table[path] = path if tags[path] == "table" else table[outline.parent[path]]
    of_line = np.array(table)[outline.of_line]
    prose, sums, sizes = (
        np.bincount(of_line, amount)[of_line] for amount in (prose_of(lines) + lines.code, chance * width, width)
    )
    is_data = (of_line > 0) & (prose == 0) & (sizes > 0)
    return np.where(is_data, sums / np.maximum(sizes, 1), chance).astype(np.float32)


def without_lone_headings(kept: Flags, texts: list[str]) -> Flags:
    """Return the body without headings such as "Related articles" that no line of it follows directly."""
    followed = np.append(kept[1:], False)
    lone = [line for line in lines_of("related", texts, np.flatnonzero(kept).tolist()) if not followed[line]]
    rest = kept.copy()
    rest[lone] = False
    return rest if rest.any() else kept


def second_opinion(
    lines: Lines,
    prior: Prior,
    body: Body,
    similarity: list[float] | None = None,
    factors: Floats | None = None,
    *,
    kinds: Mapping[PageType, float] | None = None,
    posts: Flags | None = None,
    values: Floats | None = None,
) -> Opinion:
    """Return the body after the model's correction.

    `body`: that of the rules, or of the vote of examples; `similarity`: of the lines to an example's, None without one;
    `factors`: of the lines that the vote of examples leaves out, by what these know of the template; `kinds`: the
    probability of each kind of page, None if it is surely an article, for which a model of articles alone is better:
    replies and cards are body on other pages; `posts`: the lines of a thread's posts; `values`: the numbers of the
    lines, if they are known.
    """
    values = features_of(lines, prior, body, similarity) if values is None else values
    of_articles, of_any_kind = CHOSEN.get() or _stored()
    is_article = kinds is None
    rules = flags_of(body.kept, len(lines))

    def by_page(chance: Floats) -> Floats:
        if factors is not None:
            chance = np.where(rules, chance, chance * factors)
        return like_table(like_text(chance, lines.code, rules), lines.width, lines)

    found = of_articles.chances(values) if kinds is None else of_any_kind.chances(with_kinds(values, kinds))
    chance, read_once = map(by_page, found)
    kept = corrected(rules, chance, lines.width, is_article=is_article)
    if posts is not None and agreement(lines.width, kept, posts) < AGREE:
        chance = np.where(posts, np.maximum(chance, SURE), chance * NO_POST).astype(np.float32)
        kept = corrected(rules, chance, lines.width, is_article=is_article)
    chosen: list[int] = np.flatnonzero(without_lone_headings(kept, lines.texts)).tolist()
    if kinds is None or max(kinds, key=kinds.__getitem__, default="") == "article":
        chosen = without_template_words(chosen, lines, prior)
    return Opinion(chosen, rules, chance, read_once, lines.width, values)


@lru_cache(1)
def _stored() -> tuple[LineModel, LineModel]:
    return load_model(ARTICLES, NAMES), load_model(ANY_KIND, NAMES_OF_ANY_KIND)
