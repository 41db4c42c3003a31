"""Hand-made pages: two templates of invented sites, filled with invented stories; and how a page is read."""

from extractors.content.assembly import read
from extractors.html.dom import parse
from extractors.html.lines import read_lines
from extractors.html.paths import PathTrie
from extractors.page import Page

HARBOUR = (
    "The harbour office opened its new tide station on Monday after two years of repairs.",
    "Engineers say that the old gauge had been wrong by almost a hand's breadth since the storm.",
    "Fishermen may read the numbers on a board beside the pier, day and night, free of charge.",
)
BAKERY = (
    "A bakery in the old town has begun to bake with flour from a mill that stood still for decades.",
    "Its owner found the grinding stones in a shed and had them dressed by a retired mason.",
    "Customers queue from six in the morning, and by nine the dark loaves are usually gone.",
    "A second oven is to follow in spring, if the council allows the chimney.",
)
LIBRARY = (
    "The travelling library will stop in four more villages from the first week of the month.",
    "Readers can order books by telephone and return them to the driver, who has been at it for years.",
    "The council pays for the fuel, a foundation in the capital pays for the books.",
)


def news_page(title, paragraphs, *, related=("Weather for the week", "Old stamps wanted"), body=None, head=""):
    """Return a page of the Gazette: navigation, body, related links, a footer; `body` replaces the paragraphs."""
    text = body or "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    links = "".join(f'<li><a href="/{number}">{name}</a></li>' for number, name in enumerate(related))
    return f"""<!DOCTYPE html><html lang="en"><head><title>{title} - The Gazette</title>{head}</head><body>
        <div class="nav"><a href="/">Home</a> <a href="/town">Town</a> <a href="/sport">Sport</a></div>
        <div class="notice">This paper is printed on Tuesdays and Fridays and costs two coins.</div>
        <div class="main"><h1>{title}</h1><div class="story">{text}</div></div>
        <div class="side"><h3>More from the town</h3><ul>{links}</ul></div>
        <div class="foot">The Gazette, 7 Market Square. Letters to the editor are welcome at any time.</div>
        </body></html>"""


def blog_page(paragraphs):
    """Return a page of an unrelated weblog, whose template shares nothing with the Gazette's."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"""<html><body><section class="masthead">Notes from a garden shed</section>
        <article class="entry">{text}</article><section class="colophon">Written by hand, served by mail.</section>
        <section class="archive">Older notes are kept in a tin box under the bench.</section></body></html>"""


def lines_of(html, trie=None):
    """Return the lines of a page as the walk reads them, with their paths in `trie`."""
    return read_lines(parse(html), PathTrie() if trie is None else trie)


def parsed(html, url=None):
    """Return a page, parsed as extractors parse it."""
    return read(Page(html, url), PathTrie())
