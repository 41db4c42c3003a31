"""Method `article-deviation-verbatim`: the source's algorithm exactly as in its pseudo-code.

Source: 003, algorithm 1, which `extractor` quotes. Elements are all elements of the page. The table of the
elements that are dropped first is lost in the scan; by the text around it these are scripts, styles, links, navigation
and headers. Length is the number of characters without white space, and σ is that of the population.
"""

from lxml import etree

from ...article import Article, NoArticle
from ...content.assembly import BodyLines
from ...content.body_fragment import assemble_verbatim
from ...html.dom import inner_text, parse, to_html
from ...page import Page
from .extractor import MIN_DIFFERENCE, deviation

METHOD = "article-deviation-verbatim"
NOISE = ("script", "style", "a", "nav", "header", "head", "noscript")
CONFIDENCE = 0.53  # share of pages with F1 ≥ .9, mean of the development sets


def extract(page: Page) -> Article | NoArticle:
    """Return the article of `page`. Raises `UnusablePage` if the page cannot be parsed."""
    root = parse(page.html)
    etree.strip_elements(root, *NOISE, with_tail=False)
    body = article_extract(root)
    source = to_html(body)
    how = BodyLines([], 0, METHOD, CONFIDENCE, f"the text is in a <{body.tag}>")
    return assemble_verbatim(page, [], source, how)


def article_extract(element: etree._Element) -> etree._Element:
    """Return the element whose text is the article's; a loop replaces the recursion of the pseudo-code."""
    while True:
        children = list(element)
        if not children:
            parent = element.getparent()
            return element if parent is None else parent
        if len(children) == 1:
            element = children[0]
            continue
        lengths = [length(child) for child in children]
        first, second = sorted(range(len(children)), key=lambda place: -lengths[place])[:2]
        difference = lengths[first] - lengths[second]
        if difference > deviation(lengths):
            if difference > MIN_DIFFERENCE:
                return children[min(first, second)]
            return element
        element = children[first]


def length(element: etree._Element) -> int:
    """Return the characters of an element's text without white space."""
    return len("".join(inner_text(element).split()))
