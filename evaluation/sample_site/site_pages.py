"""The pages of the sample site, rendered once into a map from path (with query) to response.

The templates (`templates/`) and the prose around the articles (`noise/`) contain the parts that extraction must leave
out: advertisements, teasers and summaries of other articles, comments, author boxes, notices. The articles are the same
in both designs.
"""

import json
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from console.sample_site import Response

from .content import BOLD, FIGURE, LINK, SECTIONS, Story, StoryBlock, cells, truth

Item = TypeVar("Item")
HERE = Path(__file__).parent
DESIGNS = ("classic", "new")
PAGE_SIZE = 6  # articles on a list page
INSET_AFTER = 2  # blocks after which longer articles have a box of related articles within the body
INSET_FROM = 6  # blocks from which an article has this box

# The header of Chinese pages has no charset; their <meta charset="gb2312"> means GBK.
ENCODINGS = {"zh": "gbk", "en": "utf-8"}
CONTENT_TYPES = {"zh": "text/html", "en": "text/html; charset=utf-8"}
LIST_PATHS = {
    "zh": ("/zh/news/", "/zh/news/list_2.html", "/zh/news/list_3.html"),
    "en": ("/en/stories/", "/en/stories/?page=2", "/en/stories/?page=3"),
}
TOPIC_PATHS = {"zh": "/zh/zhuanti/", "en": "/en/topics/"}
DEAD_LINKS = {"zh": "/zh/news/2026/1019/1016.html", "en": "/en/stories/2026/10/12/night-ferry-timetable/"}
IMAGE = "/img/river.png"
PRIVATE = "/private/subscribers.html"
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = {10: "October", 11: "November"}


def render_site(base_url: str, design: str = "classic", unpublished: int = 0) -> dict[str, Response]:
    """All pages of the site as served at `base_url` (which canonical links and the sitemap name).

    The newest `unpublished` articles of each section are left out, as if some days earlier.
    """
    if design not in DESIGNS:
        raise ValueError(f"unknown design {design!r}; known: {', '.join(DESIGNS)}")
    looks = [Look(section, design, base_url, truth(section)[unpublished:]) for section in SECTIONS]
    pages = _common_pages(base_url, looks)
    for look in looks:
        pages |= _article_pages(look) | _list_pages(look)
        stories = sorted(look.stories, key=lambda story: story.keywords)
        pages[TOPIC_PATHS[look.section]] = look.page("topics", stories=stories)
    return pages


@dataclass(frozen=True)
class Look:
    """The appearance of one section's pages: templates, encoding, and the prose around the articles."""

    section: str
    design: str
    base: str
    stories: Sequence[Story]

    @property
    def noise(self) -> dict[str, Any]:
        """The prose around the articles."""
        return noise(self.section)

    def page(self, template: str, **values: Any) -> Response:
        """Fill in a template of the section's design, in its encoding."""
        path = f"{self.section}_{self.design}/{template}.html"
        html = environment().get_template(path).render(base=self.base, noise=self.noise, **values)
        return Response(200, {"Content-Type": CONTENT_TYPES[self.section]}, html.encode(ENCODINGS[self.section]))


@cache
def environment() -> Environment:
    """Return the environment of the templates; what needs to be escaped has the filter `e`."""
    made = Environment(loader=FileSystemLoader(HERE / "templates"), undefined=StrictUndefined, trim_blocks=True)
    made.filters |= {
        "e": escape,
        "cells": cells,
        "figure": lambda line: FIGURE.fullmatch(line).groups(),  # type: ignore[union-attr]
        "html": block_html,
        "inline": inline,
        "long_date": long_date,
        "short_date": short_date,
    }
    return made


@cache
def noise(section: str) -> dict[str, Any]:
    """Read the prose around the articles of a section."""
    return tomllib.loads((HERE / "noise" / f"{section}.toml").read_text("utf-8"))


# ---- articles


def _article_pages(look: Look) -> dict[str, Response]:
    pages = {}
    for place, story in enumerate(look.stories):
        pages[story.path] = page = _article_page(look, story, place)
        if story.also:
            pages[story.also] = page
        if story.moved:
            pages[story.moved] = Response(301, {"Location": story.path}, b"")
    return pages


def _article_page(look: Look, story: Story, place: int) -> Response:
    [ad] = _others(look.noise["ads"], place, [0])
    return look.page(
        "article",
        story=story,
        json=_json_ld(look, story),
        ad=ad,
        bio=look.noise["bios"][story.author],
        hot=[other for other in look.stories[::3] if other is not story][:4],  # the same on every page
        related=_others(look.stories, place, (2, 6, 9)),
        inset=_others(look.stories, place, (4, 11)),
        inset_after=INSET_AFTER if len(story.blocks) >= INSET_FROM else None,
        comments=_others(look.noise["comments"], 3 * place, range(3)),
    )


def _others(items: Sequence[Item], place: int, steps: Iterable[int]) -> list[Item]:
    return [items[(place + step) % len(items)] for step in steps]


def _json_ld(look: Look, story: Story) -> str:
    facts = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": story.title,
        "datePublished": story.published.isoformat(),
        "author": {"@type": "Person", "name": story.author},
        "description": story.summary,
        "mainEntityOfPage": look.base + story.path,
    }
    return json.dumps(facts, ensure_ascii=False)


# ---- lists


def _list_pages(look: Look) -> dict[str, Response]:
    paths = LIST_PATHS[look.section]
    return {path: _list_page(look, number) for number, path in enumerate(paths)}


def _list_page(look: Look, number: int) -> Response:
    shown = look.stories[number * PAGE_SIZE : (number + 1) * PAGE_SIZE]
    entries = [(story.title, story.path, short_date(story), story.summary) for story in shown]
    entries += [extra["entry"] for extra in look.noise["list_extras"] if extra["page"] == number + 1]
    return look.page("list", entries=entries, pager=_pager(look, number), hot=look.stories[1::4])


def _pager(look: Look, number: int) -> list[tuple[str, str]]:
    """Return the words and paths of the links to the other list pages; the present page has no path."""
    paths = LIST_PATHS[look.section]
    links = [(str(other + 1), "" if other == number else path) for other, path in enumerate(paths)]
    return links + [(look.noise["next"], path) for path in paths[number + 1 : number + 2]]


# ---- dates as pages print them


def long_date(story: Story) -> str:
    """Write the date as an article's page shows it."""
    when = story.published
    if story.section == "zh":
        return f"{when:%Y年%m月%d日 %H:%M}"
    half = "a.m." if when.hour < 12 else "p.m."
    clock = f"{(when.hour - 1) % 12 + 1}:{when:%M} {half}"
    return f"{WEEKDAYS[when.weekday()]}, {MONTHS[when.month]} {when.day}, {when.year} at {clock}"


def short_date(story: Story) -> str:
    """Write the date as list pages show it."""
    when = story.published
    return f"{when:%Y-%m-%d}" if story.section == "zh" else f"{MONTHS[when.month][:3]} {when.day}, {when.year}"


# ---- the rest of the site


def _common_pages(base: str, looks: Sequence[Look]) -> dict[str, Response]:
    templates = {"/": "home.html", "/about.html": "about.html", PRIVATE: "private.html", "/sitemap.xml": "sitemap.xml"}
    stories = {look.section: look.stories for look in looks}
    pages = {}
    for path, template in templates.items():
        kind = "application/xml" if path.endswith(".xml") else "text/html; charset=utf-8"
        text = environment().get_template(template).render(base=base, stories=stories)
        pages[path] = Response(200, {"Content-Type": kind}, text.encode())
    robots_txt = f"User-agent: *\nDisallow: /private/\n\nSitemap: {base}/sitemap.xml\n"
    pages["/robots.txt"] = Response(200, {"Content-Type": "text/plain"}, robots_txt.encode())
    pages[IMAGE] = Response(200, {"Content-Type": "image/png"}, (HERE / "river.png").read_bytes())
    return pages


# ---- texts as HTML


def block_html(block: StoryBlock) -> str:
    """Return the lines of a block as HTML."""
    return "<br>\n".join(map(inline, block.lines))


def inline(text: str) -> str:
    """Return text as HTML, its inline marks as elements."""
    return BOLD.sub(r"<b>\1</b>", LINK.sub(r'<a href="\2">\1</a>', escape(text, quote=False)))
