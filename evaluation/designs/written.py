"""Page designs that are written as templates: `templates/COLLECTION/DESIGN.html`, of other kinds than articles in `kinds/`.

The designs of one author have more in common than those of two, so each collection has an author of its own, and whatever
is learned is measured on collections that it did not see. `templates/README.md` says what a template can use.
"""

import hashlib
import random
import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from .stored import SENTENCE_END, DesignedPage, DesignedSite, StoredArticle, host_of

HERE = Path(__file__).parent
TEMPLATES, KINDS, TEXTS = HERE / "templates", HERE / "kinds", HERE / "texts"
UNSEEN = frozenset({
    "judged", "communities", "magazines", "mobile", "offices", "oldweb", "static", "verticals", "worldpress",
    "journals", "newsrooms", "notices",
})  # fmt: skip  # the collections that no model is trained on
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
STRUCTURED = 0.4  # share of the sites of a design whose bodies have structures
STRUCTURES = (
    "<dl><dt>{}</dt><dd>{}</dd></dl>", "<details><summary>{}</summary><p>{}</p></details>", "<ul><li>{}</li><li>{}</li></ul>",
    "<table><tr><th>{}</th><th>{}</th></tr><tr><td>{}</td><td>{}</td></tr></table>", "<div>{}<br><br>{}</div>", "<p>{}</p>",
    "<table><caption>{}</caption><tr><td>{}</td><td>{}</td></tr><tr><td>{}</td><td>{}</td></tr></table>", "<h3>{}</h3>",
    "<ol><li>{}<ul><li>{}</li><li>{}</li></ul></li><li>{}</li></ol>", "<blockquote><p>{}</p></blockquote>", "<h2>{}</h2>",
    '<h3><a href="/more/">{}</a></h3>', "<pre><code>{}\n{}</code></pre>", "<table><tr><td><pre>{}\n{}</pre></td></tr></table>",
)  # fmt: skip  # parts of a body with places for a few words
ADDRESSES = {
    "product": ("/products/{slug}", "/p/{slug}-{number}", "/shop/{slug}/", "/item/{number}.html", "/{slug}.html", "/{slug}/dp/{number}"),
    "collection": ("/collections/{slug}", "/category/{slug}/", "/c/{slug}", "/{slug}", "/list-{number}.html", "/browse?cat={number}"),
    "service": ("/services/{slug}", "/solutions/{slug}/", "/{slug}", "/company/{slug}", "/{slug}.html", "/en/{slug}/"),
    "thread": ("/threads/{slug}.{number}/", "/viewtopic.php?t={number}", "/t/{slug}/{number}", "/thread-{number}-1-1.html",
               "/questions/{number}/{slug}", "/community/{slug}"),
    "documentation": ("/docs/{slug}/", "/en/latest/{slug}.html", "/guide/{slug}", "/wiki/{slug}", "/help/articles/{number}", "/{slug}.html"),
    "list": ("/news/", "/{slug}/", "/category/{slug}/page/{number}/", "/list-{number}.html", "/index_{number}.shtml", "/tag/{slug}"),
}  # fmt: skip  # paths of pages by kind; of a site one
_WORD = re.compile(r"[a-z]+")
_OWN = re.compile(r"<!--own (\d+)-->((?:\s*</(?:span|font|b|i|em|strong|p|div)>)?)")
T = TypeVar("T")


@cache
def collections(root: Path = TEMPLATES) -> dict[str, tuple[str, ...]]:
    """Return the names of the designs, `COLLECTION/DESIGN`, by collection; those of other kinds are in `KINDS`."""
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir())
    return {
        folder.name: tuple(f"{folder.name}/{file.stem}" for file in sorted(folder.glob("[!_]*.html")))
        for folder in folders
    }


def collection_of(design: str) -> str:
    """Return the collection of a design."""
    return design.partition("/")[0]


def kind_of(design: str) -> str:
    """Return the kind of the pages of a design; empty for articles."""
    return design.partition("/")[2].partition("_")[0] if collection_of(design) in collections(KINDS) else ""


def folds_of_collection(design: str, folds: int) -> frozenset[int]:
    """Return the fold, 0 to `folds` − 1, with which the collection of a design is left out; for `UNSEEN` all folds."""
    if collection_of(design) in UNSEEN:
        return frozenset(range(folds))
    names = [name for name in (*collections(), *collections(KINDS)) if name not in UNSEEN]
    return frozenset([names.index(collection_of(design)) % folds])


def written_page(site: DesignedSite, article: StoredArticle, design: str) -> DesignedPage:
    """Return the page of an article in the design `COLLECTION/DESIGN`; the same each time.

    On `STRUCTURED` of the sites, headings, tables, lists and the like belong to the body; never in `judged`.
    """
    of_kind = kind_of(design)
    draft = PageDraft(site, article, design)
    if of_kind:
        draft.article = article = replace(article, url=draft.address(of_kind))
    html = _environment().get_template(f"{design}.html").render(draft.offers())
    truth = draft.truth
    if draft.usual("structures", STRUCTURED) and collection_of(design) != "judged" and not of_kind:
        html, truth = _structured(html, draft)
    return DesignedPage(site, design, "", article, _OWN.sub(r"\2", html), "\n\n".join(truth))


def _structured(html: str, draft: "PageDraft") -> tuple[str, list[str]]:
    """Put a structure after every third paragraph of the body but the last; return the page and its truth."""
    added: dict[int, list[str]] = {}

    def after(found: re.Match[str]) -> str:
        number = int(found[1])
        if number % 3 != 2 or number + 1 == len(draft.truth):
            return found[0]
        form = draft.pick(STRUCTURES)
        words = [draft.pick((draft.others(1)[0].title[:28].strip(), draft.person(), draft.text("subheading")))
                 for _ in range(form.count("{}"))]  # fmt: skip
        added[number] = words
        return f"{found[0]}{form.format(*map(escape, words))}"

    html = _OWN.sub(after, html)
    return html, [text for number, paragraph in enumerate(draft.truth) for text in (paragraph, *added.get(number, ()))]


class PageDraft:
    """A page that is being made: what a template can use. `truth`: the paragraphs of the body, as they are printed.

    What is drawn for the *site* is the same on all its pages in a design; what is drawn for the *page* differs.
    """

    def __init__(self, site: DesignedSite, article: StoredArticle, design: str) -> None:
        self.article, self.chinese = article, site.chinese
        self.truth: list[str] = []
        self._site, self._design = site.name, design
        self._texts = _texts("zh" if site.chinese else "en")
        self._draw = random.Random(f"{site.name} {design} {article.id}")
        others = [one for one in site.articles if one.id != article.id]
        self._others = self._draw.sample(others, len(others))
        self._stock: dict[str, list[Any]] = {}
        self.brand = self._habit("brand").choice(self._texts["brands"])
        self.base = f"https://{host_of(site)}"

    def offers(self) -> dict[str, Any]:
        """Return all public names by which a template uses the draft."""
        return {name: getattr(self, name) for name in dir(self) if not name.startswith("_") and name != "truth"}

    def _habit(self, key: str) -> random.Random:
        return random.Random(f"{self._site} {self._design} {key}")

    # ---- drawn for the site

    def one_of(self, *options: T) -> T:
        """Return one of the options, drawn for the site."""
        return self._habit(repr(options)).choice(options)

    def usual(self, key: str, share: float = 0.5) -> bool:
        """Return whether the site has a habit, which a share of all sites has."""
        return self._habit(key).random() < share

    def count(self, key: str, low: int, high: int) -> int:
        """Return a number from low to high, drawn for the site."""
        return self._habit(key).randint(low, high)

    def hashed(self, role: str, prefix: str = "", length: int = 6) -> str:
        """Return the site's class name for a role, as build tools make them: begins with a letter."""
        digest = hashlib.sha256(f"{self._site} {self._design} {role}".encode()).hexdigest()
        return f"{prefix}{'' if prefix else 'cghkmqwx'[int(digest[-1], 16) % 8]}{digest[:length]}"

    def t(self, chinese: str | Sequence[str], english: str | Sequence[str]) -> str:
        """Return the words in the page's language; of a list of wordings one, drawn for the site."""
        words = chinese if self.chinese else english
        return words if isinstance(words, str) else self.one_of(*words)

    def label(self, kind: str) -> str:
        """Return the site's words for a kind of box or link, of `labels` in `texts`."""
        return str(self.one_of(*self._texts["labels"][kind]))

    def fixed(self, kind: str, number: int) -> list[str]:
        """Return sentences of a kind that are the same on all pages of the site."""
        return self._habit(f"fixed {kind}").sample(self._of_kind(kind), number)

    def menu(self, number: int) -> list[str]:
        """Return names of the site's sections."""
        return self._habit("menu").sample(self._texts["menu"], number)

    def foot(self, number: int) -> list[str]:
        """Return the words of links in the site's footer."""
        return self._habit("foot").sample(self._texts["foot"], number)

    # ---- drawn for the page

    def others(self, number: int) -> list[StoredArticle]:
        """Return other articles of the site, each time others as far as possible."""
        taken = [self._others[at % len(self._others)] for at in range(number)]
        at = number % len(self._others)
        self._others = self._others[at:] + self._others[:at]
        return taken

    def texts(self, kind: str, number: int) -> list[str]:
        """Return sentences of a kind, each time others as far as possible."""
        return [self._next(kind, self._of_kind(kind)) for _ in range(number)]

    def text(self, kind: str, number: int = 1) -> str:
        """Return sentences of a kind as one text."""
        return self.joined(self.texts(kind, number))

    def quiz(self, number: int) -> list[dict[str, Any]]:
        """Return questions: `question`, `answers`, `solution`."""
        return [self._next("quiz", self._texts["quiz"]) for _ in range(number)]

    def nick(self) -> str:
        """Return the name of somebody who comments."""
        return str(self._next("nicks", self._texts["nicks"]))

    def person(self) -> str:
        """Return the name of somebody who writes."""
        return str(self._next("people", self._texts["people"]))

    def number(self, low: int, high: int) -> int:
        """Return a number from low to high, drawn for the page."""
        return self._draw.randint(low, high)

    def chance(self, share: float) -> bool:
        """Return true in a share of the cases, drawn for the page."""
        return self._draw.random() < share

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options, drawn for the page."""
        return self._draw.choice(options)

    def some(self, options: Sequence[T], low: int, high: int) -> list[T]:
        """Return low to high of the options in any order, each once, drawn for the page."""
        return self._draw.sample(options, min(len(options), self._draw.randint(low, high)))

    def clock(self) -> str:
        """Return a time of day."""
        return f"{self._draw.randint(6, 23):02}:{self._draw.randint(0, 59):02}"

    def ago(self) -> str:
        """Return how long ago something was written."""
        hours = self._draw.randint(2, 22)
        return f"{hours}小时前" if self.chinese else f"{hours} hours ago"

    def address(self, kind: str) -> str:
        """Return a path for a page of a kind."""
        words = _WORD.findall(self.article.title.lower()) or [self.hashed("slug")]
        return self.one_of(*ADDRESSES[kind]).format(slug="-".join(words[:6]), number=self.number(100, 99999))

    # ---- forms of texts

    def own(self, text: str) -> Markup:
        """Return a text of the body as HTML, its line breaks as <br>. What is printed in this way is the truth."""
        self.truth.append(text)
        return self.lines(text) + Markup(f"<!--own {len(self.truth) - 1}-->")

    def lines(self, text: str) -> Markup:
        """Return a text as HTML, its line breaks as <br>."""
        return Markup("<br>").join(escape(line.strip()) for line in text.split("\n") if line.strip())

    def joined(self, sentences: Sequence[str]) -> str:
        """Return sentences as one text."""
        return ("" if self.chinese else " ").join(sentences)

    def summary(self, article: StoredArticle, low: int = 1, high: int = 2) -> str:
        """Return the first sentences of an article, low to high of them."""
        found: list[str] = []
        for paragraph in article.paragraphs:
            found += [part.strip() for part in SENTENCE_END.split(paragraph) if part.strip()]
            if len(found) >= high:
                break
        return self.joined(found[: self._draw.randint(low, high)])

    def start(self, article: StoredArticle, characters: int = 120) -> str:
        """Return the beginning of an article, cut off with an ellipsis; in Chinese half as many characters."""
        text = " ".join(article.paragraphs)
        most = characters // 2 if self.chinese else characters
        return text if len(text) <= most else (text[:most] if self.chinese else text[:most].rpartition(" ")[0]) + "…"

    def date(self, day: str | None = None, form: int | None = None) -> str:
        """Return a day, the article's without one, in the site's form or form 0, 1 or 2."""
        year, month, number = (day or self.article.day).split("-")
        if self.chinese:
            forms = [f"{year}年{int(month)}月{int(number)}日", f"{year}-{month}-{number}", f"{year}/{month}/{number}"]
        else:
            name = _MONTHS[int(month) - 1]
            forms = [f"{int(number)} {name} {year}", f"{name[:3]} {int(number)}, {year}", f"{number}.{month}.{year}"]
        return forms[self.count("date", 0, 2) if form is None else form]

    def profile(self, name: str, number: int) -> str:
        """Return sentences about a writer."""
        return self.joined([text.replace("{n}", name) for text in self.texts("author", number)])

    def _of_kind(self, kind: str) -> list[str]:
        found: list[str] = self._texts["texts"][kind]
        return found

    def _next(self, name: str, stock: list[Any]) -> Any:
        if not self._stock.get(name):
            self._stock[name] = self._draw.sample(stock, len(stock))
        return self._stock[name].pop()


@cache
def _texts(language: str) -> dict[str, Any]:
    return tomllib.loads((TEXTS / f"{language}.toml").read_text(encoding="utf-8"))


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader([TEMPLATES, KINDS]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
