"""The choice of a method by lines that a person marks on an example page, in place of a selector.

Each method extracts the example page alone; a line belongs to the method's text if the text has the same line.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from extractors import Article, Section, UnusablePage
from extractors.html.dom import parse
from extractors.html.lines import read_lines
from extractors.html.paths import PathTrie
from extractors.section import make_page
from workers.inbox import StoredPage

TRIED = ("auto", "density", "line-blocks", "tag-paths", "article-deviation")
LINES_MOST = 400  # lines of a page that are shown


def lines_by_method(page: StoredPage) -> dict[str, Any]:
    """Return the page's lines as `texts`, and by method the numbers of those in its text: `by_method`."""
    html = make_page(page.body, page.url, page.content_type).html
    texts = [" ".join(text.split()) for text in read_lines(parse(html), PathTrie()).texts]
    texts = [text for text in texts if text][:LINES_MOST]
    by_method: dict[str, list[int]] = {}
    for method in TRIED:
        try:
            section = Section(page.body, page.url, method=method)
            result = section.extract(page.body, page.url, content_type=page.content_type, refuse="never")
        except UnusablePage:
            continue
        if isinstance(result, Article):
            taken = {" ".join(line.split()) for line in result.text.splitlines()}
            by_method[method] = [number for number, text in enumerate(texts) if text in taken]
    return {"texts": texts, "by_method": by_method}


def best_method(lines: Mapping[str, Any], marked: Collection[int]) -> tuple[str, float]:
    """Return the method that agrees best with the marked lines, and by how much: F1 over characters, 0 to 1.

    Of equal methods the first one in `TRIED`; ("", 0.0) if no method has any text.
    """
    best, highest = "", 0.0
    for method, taken in lines["by_method"].items():
        agreement = agreement_of(lines["texts"], marked, taken)
        if agreement > highest + 1e-9:
            best, highest = method, agreement
    return best, highest


def agreement_of(texts: Sequence[str], marked: Collection[int], taken: Collection[int]) -> float:
    """Return the F1 of the taken lines against the marked ones, over their characters."""
    size = [len(text) for text in texts]
    both = sum(size[number] for number in {*marked} & {*taken})
    whole = sum(size[number] for number in {*marked}) + sum(size[number] for number in {*taken})
    return 2 * both / whole if whole else 0.0
