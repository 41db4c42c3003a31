"""An article, or a list's entries, as text, HTML, Markdown or JSON. Markdown is derived from HTML."""

import json
from html import escape
from typing import Literal

from .article import Article, Entry, Listing

Format = Literal["text", "html", "markdown", "json"]


def render(article: Article, form: Format = "text") -> str:
    """Return the article or list in the given form, no line break at its end. Raises `ValueError` for an unknown form.

    A list has one line per entry: date, title and URL separated by tabs as text, a list of links as HTML and Markdown.
    """
    if form == "text":
        return list_to_text(article) if isinstance(article, Listing) else to_text(article)
    if form == "html":
        return list_to_html(article) if isinstance(article, Listing) else to_html(article)
    if form == "markdown":
        return to_markdown(article)
    if form == "json":
        return to_json(article)
    raise ValueError(f"unknown format {form!r}: text, html, markdown or json")


def to_text(article: Article) -> str:
    """Return title, date and keywords, where the page has them, and the body, paragraphs separated by a blank line."""
    text = article.text.removeprefix(f"{article.title}\n\n")  # that of documentation begins with its title
    return "\n\n".join(filter(None, (article.title, "\n".join(_about(article)), text)))


def to_html(article: Article) -> str:
    """Return title, date and keywords, where the page has them, and the body; the title is the only <h1>."""
    about = "".join(f"<li>{escape(line, quote=False)}</li>" for line in _about(article))
    title = _heading(article.title)
    own = next((own for level in "23456" if article.html.startswith(own := title.replace("h1>", f"h{level}>"))), "")
    return title + (f"<ul>{about}</ul>" if about else "") + article.html.removeprefix(own)


def to_markdown(article: Article) -> str:
    """Return the article or list as CommonMark, tables as GitHub writes them."""
    from .markdown import to_markdown  # a library that other forms do not need

    return to_markdown(render(article, "html"))


def list_to_text(listing: Listing) -> str:
    """Return one line per entry: date (ISO 8601, empty if unknown), title, URL, separated by tabs."""
    return "\n".join(f"{_day(entry)}\t{entry.title}\t{entry.url}" for entry in listing.entries)


def list_to_html(listing: Listing) -> str:
    """Return the title and a list of links, each with its date."""
    entries = "".join(
        f'<li>{_day(entry)}{" " if entry.published else ""}<a href="{escape(entry.url)}">'
        f"{escape(entry.title, quote=False)}</a></li>"
        for entry in listing.entries
    )
    return f"{_heading(listing.title)}<ul>{entries}</ul>"


def to_json(article: Article) -> str:
    """Return the article or list as one JSON object on one line."""
    return json.dumps(article.to_dict(), ensure_ascii=False)


def _heading(title: str | None) -> str:
    return f"<h1>{escape(title, quote=False)}</h1>" if title else ""


def _day(entry: Entry) -> str:
    return entry.published.isoformat() if entry.published else ""


def _about(article: Article) -> list[str]:
    """Return the lines with the article's date and keywords."""
    published = [f"Published: {article.published.isoformat()}"] if article.published else []
    return published + ([f"Keywords: {', '.join(article.keywords)}"] if article.keywords else [])
