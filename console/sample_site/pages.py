"""The pages of the sample site, rendered once into a map from path (with query) to response.

The templates (`templates/`) and the prose around the articles (`noise/`) contain the parts that extraction must leave
out: advertisements, teasers and summaries of other articles, comments, author boxes, notices. The articles are the same
in both designs.
"""

import json
import struct
import tomllib
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from console.sample_site.content import BOLD, FIGURE, LINK, SECTIONS, Story, StoryBlock, cells, truth

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
WIDTH, HEIGHT = 480, 200  # pixels of the only image: a river between two banks under an evening sky
SKY, HILL, WATER, BANK = (236, 205, 170), (120, 132, 118), (126, 158, 176), (94, 104, 82)
PRIVATE = "/private/subscribers.html"
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = {10: "October", 11: "November"}

Fill = Callable[..., str]  # fills a template of a design


class Response(NamedTuple):
    """A response of the site; the server adds Content-Length."""

    status: int
    headers: dict[str, str]
    body: bytes


class ListEntry(NamedTuple):
    """One line of a list page."""

    title: str
    path: str
    date: str
    summary: str


NOT_FOUND = Response(404, {"Content-Type": "text/html"}, b"<html><title>404</title><h1>Not found</h1></html>")


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
        pages[TOPIC_PATHS[look.section]] = look.page(
            look.fill("topics", rows=_topic_rows(look)), title=look.noise["paper"]
        )
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

    def fill(self, part: str, **values: str) -> str:
        """Fill in one part of the section's template."""
        return parts(f"{self.section}_{self.design}")[part].substitute(base=self.base, **values)

    def page(self, content: str, *, title: str, head: str = "") -> Response:
        """Put `content` into the section's frame, in its encoding."""
        frame = self.fill("frame", title=escape(title), head=head, content=content)
        return Response(200, {"Content-Type": CONTENT_TYPES[self.section]}, frame.encode(ENCODINGS[self.section]))


@cache
def parts(template: str) -> dict[str, Template]:
    """A template file's named parts: `=== name ===` opens each."""
    chunks = (HERE / "templates" / f"{template}.html").read_text("utf-8").split("=== ")[1:]
    named = (chunk.split(" ===\n", 1) for chunk in chunks)
    return {name: Template(text.rstrip("\n")) for name, text in named}


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
    noise = look.noise
    values = {
        "title": escape(story.title),
        "url": look.base + story.path,
        "keywords": escape(",".join(story.keywords)),
        "summary": escape(story.summary),
        "author": escape(story.author),
        "source": escape(story.source),
        "iso": story.published.isoformat(),
        "date": long_date(story),
        "short_date": short_date(story),
    }
    content = look.fill(
        "article",
        **values,
        body=_body(look, story, place),
        ad=noise["ads"][place % len(noise["ads"])],
        bio=noise["bios"][story.author],
        hot=_teasers(look, "hot", _hot(look, story)),
        related=_teasers(look, "related", _others(look, place, (2, 6, 9))),
        comments=_comments(look, place),
    )
    return look.page(content, title=story.title, head=look.fill("article_head", **values, json=_json_ld(look, story)))


def _body(look: Look, story: Story, place: int) -> str:
    blocks = [block_html(look.fill, block, story.layout) for block in story.blocks]
    if len(blocks) >= INSET_FROM:
        blocks.insert(INSET_AFTER, look.fill("insets", items=_teasers(look, "inset", _others(look, place, (4, 11)))))
    return "\n".join(blocks)


def _hot(look: Look, story: Story) -> list[Story]:
    """Return the articles of the side bar: the same on every page, without the page's own article."""
    return [other for other in look.stories[::3] if other is not story][:4]


def _others(look: Look, place: int, steps: Iterable[int]) -> list[Story]:
    return [look.stories[(place + step) % len(look.stories)] for step in steps]


def _teasers(look: Look, part: str, chosen: Iterable[Story]) -> str:
    return "\n".join(
        look.fill(
            part, path=story.path, title=escape(story.title), summary=escape(story.summary), date=short_date(story)
        )
        for story in chosen
    )


def _comments(look: Look, place: int) -> str:
    pool = look.noise["comments"]
    chosen = (pool[(place * 3 + step) % len(pool)] for step in range(3))
    return "\n".join(look.fill("comment", name=name, text=text) for name, text in chosen)


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
    entries = [ListEntry(story.title, story.path, short_date(story), story.summary) for story in shown]
    entries += [ListEntry(*extra["entry"]) for extra in look.noise["list_extras"] if extra["page"] == number + 1]
    content = look.fill(
        "list",
        entries="\n".join(
            look.fill("entry", **{key: escape(text) for key, text in e._asdict().items()}) for e in entries
        ),
        pager=_pager(look, number),
        hot=_teasers(look, "hot", look.stories[1::4]),
    )
    return look.page(content, title=look.noise["list_title"])


def _pager(look: Look, number: int) -> str:
    paths = LIST_PATHS[look.section]
    links = [
        look.fill("here", number=str(other + 1))
        if other == number
        else look.fill("there", path=path, label=str(other + 1))
        for other, path in enumerate(paths)
    ]
    if number + 1 < len(paths):
        links.append(look.fill("there", path=paths[number + 1], label=look.noise["next"]))
    return " ".join(links)


def _topic_rows(look: Look) -> str:
    return "\n".join(
        look.fill("topic", topic=escape(story.keywords[0]), path=story.path, title=escape(story.title))
        for story in sorted(look.stories, key=lambda story: story.keywords)
    )


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
    newest = {f"{look.section}_newest": _newest(look) for look in looks}
    html = {"/": "home", "/about.html": "about", PRIVATE: "private"}
    pages = {path: _common_page(part, base=base, **newest) for path, part in html.items()}
    pages["/robots.txt"] = Response(200, {"Content-Type": "text/plain"}, robots_txt(base).encode())
    pages["/sitemap.xml"] = Response(200, {"Content-Type": "application/xml"}, _sitemap(looks).encode())
    pages[IMAGE] = Response(200, {"Content-Type": "image/png"}, _image())
    return pages


def _common_page(part: str, **values: str) -> Response:
    templates = parts("common")
    html = templates[part].substitute(style=templates["style"].template, **values)
    return Response(200, {"Content-Type": "text/html; charset=utf-8"}, html.encode())


def _newest(look: Look) -> str:
    return "\n".join(f'<li><a href="{story.path}">{escape(story.title)}</a></li>' for story in look.stories[:5])


def robots_txt(base: str) -> str:
    """Write the site's robots.txt."""
    return f"User-agent: *\nDisallow: /private/\n\nSitemap: {base}/sitemap.xml\n"


def _sitemap(looks: Sequence[Look]) -> str:
    lines = "\n".join(
        f"<url><loc>{look.base}{story.path}</loc><lastmod>{story.published:%Y-%m-%d}</lastmod></url>"
        for look in looks
        for story in look.stories
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{lines}
</urlset>
"""


@cache
def _image() -> bytes:
    return river_png()


def block_html(fill: Fill, block: StoryBlock, layout: str = "") -> str:
    """Return one block as HTML. `layout` "br": paragraphs are separated by `<br>` only, in designs that support it."""
    match block.kind:
        case "list":
            return fill("list_block", items="\n".join(f"<li>{inline(line)}</li>" for line in block.lines))
        case "table":
            return fill("table_block", rows=_rows(block.lines))
        case "pre":
            return fill("pre", text=escape("\n".join(block.lines)))
        case "figure":
            caption, image = FIGURE.fullmatch(block.lines[0]).groups()  # type: ignore[union-attr]
            return fill("figure", caption=escape(caption), image=image)
        case "paragraph" if layout == "br":
            return fill("paragraph_br", text=_lines(block))
        case kind:
            return fill(kind, text=_lines(block))


def inline(text: str) -> str:
    """Return text as HTML, its inline marks as elements."""
    return BOLD.sub(r"<b>\1</b>", LINK.sub(r'<a href="\2">\1</a>', escape(text, quote=False)))


def _lines(block: StoryBlock) -> str:
    return "<br>\n".join(inline(line) for line in block.lines)


def _rows(lines: tuple[str, ...]) -> str:
    return "\n".join("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in cells(line)) + "</tr>" for line in lines)


def river_png() -> bytes:
    """Return the image as an 8-bit RGB PNG."""
    rows = b"".join(b"\0" + b"".join(bytes(_colour(x, y)) for x in range(WIDTH)) for y in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _colour(x: int, y: int) -> tuple[int, int, int]:
    hill_top = 70 + abs(x - 170) // 6 - x // 40
    if y > 165 - x // 12:
        return BANK
    if y > 105:
        return tuple(min(255, part + (y * 7 + x // 9) % 11) for part in WATER)  # type: ignore[return-value]
    return HILL if y > hill_top else SKY


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
