"""A plain site: pages with a heading and paragraphs, without metadata, structured data or dates, in two designs."""

from collections.abc import Sequence
from typing import Literal

from evaluation.sample_site import Response, truth
from tests.site.server import SiteServer

Design = Literal["first", "second"]
LEAST = 500  # characters of an article
MENU = ("Home", "Archive", "About", "Contact", "Imprint", "Letters", "Subscribe", "Search")


def plain_articles() -> list[tuple[str, list[str]]]:
    """Title and paragraphs of the articles, the oldest first; the path of the first one is `/posts/1.html`."""
    found = [(article.title, article.text.split("\n")) for article in reversed(truth("en"))]
    return [(title, [part for part in parts if part.strip()]) for title, parts in found if len("".join(parts)) > LEAST]


def plain_page(design: Design, title: str, paragraphs: Sequence[str]) -> bytes:
    """The page of an article."""
    body = "".join(f"<p>{part}</p>" for part in paragraphs)
    head = f"<html><head><title>{title}</title></head><body>"
    if design == "first":
        menu = " | ".join(f'<a href="/{name.lower()}.html">{name}</a>' for name in MENU[:5])
        end = "<hr><div>The village paper, printed weekly since 1931</div><div>Write to the village paper</div>"
        text = f"{head}<div>{menu}</div><h1>{title}</h1>{body}{end}</body></html>"
    else:
        menu = "".join(f'<li><a href="/pages/{name.lower()}">{name} of the press</a></li>' for name in MENU)
        end = "<div>Our offices<br>Our partners<br>All rights are with the press house</div>"
        text = f"<!doctype html>{head}<ul>{menu}</ul><div><h1>{title}</h1>{body}</div>{end}</body></html>"
    return text.encode()


def serve_plain(site: SiteServer, published: int, design: Design, since: int = 0, most: int = 100) -> None:
    """Serve the first `published` articles, of which those from place `since` on are in a design, others as before.

    `most`: paragraphs of an article.
    """
    articles = plain_articles()[:published]
    links = "".join(
        f'<li><a href="/posts/{place}.html">{title}</a></li>'
        for place, (title, _) in reversed([*enumerate(articles, 1)])
    )
    headers = {"Content-Type": "text/html; charset=utf-8"}
    index = f"<html><head><title>Village paper</title></head><body><h1>Village paper</h1><ul>{links}</ul></body></html>"
    pages = {path: page for path, page in site._pages.items() if path.startswith("/posts/")}
    for place, (title, paragraphs) in enumerate(articles):
        if place >= since:
            pages[f"/posts/{place + 1}.html"] = Response(200, headers, plain_page(design, title, paragraphs[:most]))
    site._pages = {**pages, "/": Response(200, headers, index.encode())}
