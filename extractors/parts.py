"""One article from the articles that were cut out of its pages."""

from collections.abc import Sequence
from dataclasses import replace

from .article import IN_TEXT, Article, Block, join


def joined(first: Article, further: Sequence[Article]) -> Article:
    """Return the article of all pages in order; everything but body and confidence is the first page's.

    What a further page repeats at its head or tail (the headline, the summary, who edited it) comes once.
    """
    blocks = list(first.blocks)
    for part in further:
        blocks += _new_blocks({block.text for block in blocks}, part.blocks)
    if len(blocks) == len(first.blocks):
        return first
    confidence = min(part.confidence for part in (first, *further))
    return replace(first, blocks=tuple(blocks), text=join(blocks, IN_TEXT), confidence=confidence)


def _new_blocks(known: set[str], blocks: Sequence[Block]) -> Sequence[Block]:
    fresh = [place for place, block in enumerate(blocks) if block.text not in known]
    return blocks[fresh[0] : fresh[-1] + 1] if fresh else ()
