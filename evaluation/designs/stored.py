"""Stored articles around which designs are put, in groups that stand for sites.

A *site* is a group of stored articles, or `POOL` articles of a set that has single pages only, in one language.
"""

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..data import DataSet, Row

POOL = 8  # articles of a site that is made of single pages
LEAST_SITE, LEAST_BODY = 4, 300  # articles of a site; bytes of a body
_CJK = re.compile(r"[\u3400-\u9fff]")
SENTENCE_END = re.compile(r"(?<=[。！？])(?![”’」』）])|(?<=[。！？][”’」』）])|(?<=[.!?])\s+|(?<=[.!?][\"”’)])\s+")


@dataclass(frozen=True, slots=True)
class StoredArticle:
    """A stored article: `paragraphs` of its body."""

    id: str
    title: str
    paragraphs: tuple[str, ...]
    url: str
    day: str
    author: str

    @property
    def body(self) -> str:
        """The text of the body."""
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True)
class DesignedSite:
    """Articles of one site in one language; `fold`: with which its articles are left out together."""

    name: str
    fold: int
    chinese: bool
    articles: tuple[StoredArticle, ...]


@dataclass(frozen=True, slots=True)
class DesignedPage:
    """A page in a design; `body` is its truth."""

    site: DesignedSite
    design: str
    naming: str
    article: StoredArticle
    html: str
    body: str


def sites_of(sets: Sequence[DataSet], fold_of: Callable[[Row, str], int]) -> list[DesignedSite]:
    """Return the sites that can be made of the sets. `fold_of`: (row, set) → the fold with which it is left out."""
    found = []
    for one in sets:
        groups: dict[tuple[str, bool, int], list[Row]] = {}
        for row in one.articles():
            if row.body and len(row.body.encode()) >= LEAST_BODY:
                chinese = len(_CJK.findall(row.body)) > 0.3 * len(row.body)
                key = row.group if row.group in one.groups else ""
                groups.setdefault((key, chinese, fold_of(row, one.name)), []).append(row)
        for (group, chinese, fold), rows in sorted(groups.items()):
            chunks = [rows[:60]] if group else [rows[at : at + POOL] for at in range(0, len(rows), POOL)]
            for number, chunk in enumerate(chunks):
                if len(chunk) >= LEAST_SITE:
                    name = f"{one.name} {group or f'{fold}-{number}'}"
                    found.append(DesignedSite(name, fold, chinese, tuple(_articles(name, chinese, chunk))))
    return found


def _articles(name: str, chinese: bool, rows: list[Row]) -> Iterator[StoredArticle]:
    draw = random.Random(name)
    for number, row in enumerate(rows):
        paragraphs = tuple(" ".join(part.split()) for part in row.paragraphs if part.strip())
        title = re.split(r"\s[-|–—]\s|[|_]", row.title or "")[0].strip() or first_sentences(paragraphs[0], 60)
        day = f"20{draw.randint(15, 24)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        author = "".join(draw.choices("李王张刘陈林杨", k=1) + draw.choices("明华芳伟静丽强", k=2))
        if not chinese:
            author = f"{draw.choice(('Anna', 'John', 'Maria', 'Peter', 'Lena', 'Omar'))} {draw.choice(_SURNAMES)}"
        yield StoredArticle(row.id, title, paragraphs, f"/{day[:4]}/{day[5:7]}/{number + 101}.html", day, author)


_SURNAMES = ("Miller", "Okafor", "Lindqvist", "Haddad", "Novak", "Silva", "Brandt", "Moreau")


def first_sentences(text: str, most: int) -> str:
    """Return the first whole sentences of a text, up to `most` bytes, or its beginning."""
    ends = [*(found.end() for found in SENTENCE_END.finditer(text)), len(text)]
    fitting = [end for end in ends if len(text[:end].encode()) <= most]
    return text[: max(fitting, default=ends[0])].strip()


def host_of(site: DesignedSite) -> str:
    """Return the host of a site's pages."""
    return hashlib.sha256(site.name.encode()).hexdigest()[:8] + ".example"


def url_of(page: DesignedPage) -> str:
    """Return the page's URL."""
    return f"https://{host_of(page.site)}{page.article.url}"
