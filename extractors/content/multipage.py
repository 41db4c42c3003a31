"""One article from the articles that were extracted from its pages (分页).

Parts of the pages that are not parts of the article are removed: pagers ("1 2 下一页", "Page 2 of 3"), the headline
that each further page repeats, with or without a number ("标题(2)", "Title - Page 2"), and other repeated lines.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from ..article import IN_TEXT, Article, Block, Markup, join

MAX_PAGER = 200  # characters; a longer line is no pager

_KINDS = frozenset({"paragraph", "heading", "list"})  # kinds of blocks that may be pagers or headlines
_COUNT = r"(?<!\d)\d{1,3}(?!\d)"
_OF_PAGES = rf"(?:\s?(?:of|von|de|sur|di|[/／])\s?{_COUNT})?"
_PLACE = rf"\b(?:page|seite|página|pagina)\s?{_COUNT}{_OF_PAGES}|第\s?{_COUNT}{_OF_PAGES}\s?页|共\s?{_COUNT}\s?页"
_CHINESE_WAY = r"(?:[上下前后]一?|首|尾|末|最后一)页"
_ENGLISH_WAY = r"\b(?:next|prev(?:ious)?|first|last)(?:\spage)?\b"
_SIGN = r"[\s|｜·•,，、…<>«»‹›←→/\[\]【】()（）]"
_PAGER = re.compile(rf"(?:{_PLACE}|{_CHINESE_WAY}|{_ENGLISH_WAY}|{_COUNT}|{_SIGN})++", re.IGNORECASE)
_SURE = re.compile(rf"{_PLACE}|{_CHINESE_WAY}", re.IGNORECASE)  # no sentence consists of this alone
_WAY = re.compile(_ENGLISH_WAY, re.IGNORECASE)
_NUMBER = re.compile(_COUNT)
_MARK = re.compile(  # page numbers that follow a headline on the pages of an article
    rf"\s?[-–—|_·,，]?\s?(?:[(（\[【]\s?(?:{_COUNT}{_OF_PAGES}|{_PLACE})\s?[)）\]】]|{_PLACE}|{_COUNT}\s?[/／]\s?{_COUNT})",
    re.IGNORECASE,
)


def joined(first: Article, further: Sequence[Article]) -> Article:
    """Return the article of all pages in order; all fields but the body and the confidence are those of the first page.

    Texts that a further page repeats at its head or tail (the headline, the summary, the editor) are written once.
    """
    title = _unnumbered(first.title, further)
    own = _own_blocks(first.blocks, set(), None)
    blocks = [replace(block, text=title or "") if _is_numbered(block, title) else block for _, block in own]
    markups = [_markup_of(first, own)]
    for page in further:
        own = _own_blocks(page.blocks, {block.text for block in blocks}, title)
        blocks += [block for _, block in own]
        markups.append(_markup_of(page, own))
    pages = tuple(page for part in (first, *further) for page in part.pages)
    if tuple(blocks) == first.blocks:
        return replace(first, pages=pages)
    confidence = min(part.confidence for part in (first, *further))
    known = [markup for markup in markups if markup is not None]
    markup = JoinedMarkup(tuple(known)) if len(known) == len(markups) else None
    whole = replace(first, title=title, blocks=tuple(blocks), text=join(blocks, IN_TEXT), pages=pages)
    return replace(whole, confidence=confidence, markup=markup)


@dataclass(frozen=True, slots=True)
class JoinedMarkup:
    """The markup of an article of several pages."""

    pages: tuple[Markup, ...]

    def html(self) -> str:
        """Return the HTML of all pages."""
        return "".join(page.html() for page in self.pages)

    def only(self, blocks: Collection[int]) -> Markup:
        """Do nothing but fail: pages are joined once."""
        raise NotImplementedError


def _markup_of(page: Article, own: list[tuple[int, Block]]) -> Markup | None:
    return page.markup and page.markup.only({place for place, _ in own})


def _own_blocks(blocks: Sequence[Block], known: set[str], title: str | None) -> list[tuple[int, Block]]:
    """Return the blocks of a page from the first new one to the last with their places, without pagers.

    `known`: earlier texts.
    """
    runs = list(_runs(blocks))
    new = [
        place
        for place, run in enumerate(runs)
        if not _is_pager(run, at_end=True)
        and not all(block.text in known or _is_headline(block, title) for _, block in run)
    ]
    within = runs[new[0] : new[-1] + 1] if new else []
    return [block for run in within if not _is_pager(run, at_end=False) for block in run]


def _unnumbered(title: str | None, further: Sequence[Article]) -> str | None:
    """Return the first page's title without its number, if a further page's title has one in the same place."""
    for mark in _MARK.finditer(title or ""):
        bare = (title or "")[: mark.start()]
        if bare and mark.end() == len(title or "") and any(_after(part.title or "", bare) for part in further):
            return bare
    return title


def _is_numbered(block: Block, title: str | None) -> bool:
    return block.kind in _KINDS and bool(_after(block.text, title))


def _is_headline(block: Block, title: str | None) -> bool:
    return block.kind in _KINDS and _after(block.text, title) is not None


def _after(text: str, title: str | None) -> str | None:
    """Return the text after a title if it is a page number, "" for the title alone; None for another text."""
    text, title = " ".join(text.split()), " ".join((title or "").split())
    if not title or not text.casefold().startswith(title.casefold()):
        return None
    rest = text[len(title) :]
    return rest if not rest or _MARK.fullmatch(rest) else None


def _runs(blocks: Sequence[Block]) -> Iterator[list[tuple[int, Block]]]:
    """Yield blocks with their places one by one, but consecutive blocks of only numbers and page links together."""
    for may_page, group in groupby(enumerate(blocks), key=lambda placed: _may_page(placed[1])):
        run = list(group)
        yield from [run] if may_page else [[placed] for placed in run]


def _may_page(block: Block) -> bool:
    return block.kind in _KINDS and len(block.text) <= MAX_PAGER and _PAGER.fullmatch(block.text) is not None


def _is_pager(run: list[tuple[int, Block]], at_end: bool) -> bool:
    """Whether consecutive blocks are a pager, at an end of the page or anywhere."""
    if not _may_page(run[0][1]):
        return False
    text = " ".join(block.text for _, block in run)
    numbers = [int(number) for number in _NUMBER.findall(text)]
    if _SURE.search(text) or (_WAY.search(text) and numbers):
        return True
    in_order = len(numbers) > 1 and numbers[1] == numbers[0] + 1 and all(low < high for low, high in pairwise(numbers))
    return at_end and (in_order or _WAY.search(text) is not None)
