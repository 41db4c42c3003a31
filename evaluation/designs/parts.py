"""Page designs around the bodies of stored articles: what surrounds a body, and where, drawn by a seed.

Stored pages show a few hundred designs; a redesign shows one that none of them has. Here the text of a stored article
gets a new page: its title, byline and body, and around them what a design adds, such as teasers, comments, the next
article in full or an author's note. All of that is made of other articles of the same site, so that two pages of a
design share headings and names but not the texts of their boxes. Each design exists with class names and elements that
say what a box is, with hashed names, and without any. In `boxes/` are the designs, the templates of their boxes, and
their words.

The same seed gives the same pages. `python -m evaluation.judgement` measures the pages.
"""

import hashlib
import html
import random
import tomllib
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .stored import DesignedPage, DesignedSite, StoredArticle, first_sentences, host_of

HERE = Path(__file__).parent / "boxes"
NAMINGS = ("semantic", "hashed", "none")
SUMMARY = (50, 240)  # bytes of a teaser's summary
PLACES = ("above", "top", "inside", "below", "beside")
ARTICLES = ("next", "next_plain", "next_linked", "next_bare", "infinite")  # boxes that stand between no paragraphs
SECTIONS = ("article", "section", "aside", "footer", "header", "main", "nav")  # elements that say what they are
PLAIN = ("p", "h1", "h2", "h3", "h4", "li", "span", "td", "tr", "dt", "dd", "ul", "b")  # … that may have no name

PageDesign = dict[str, Any]  # boxes by place, as in `boxes/designs.toml`
DESIGNS: dict[str, PageDesign] = tomllib.loads((HERE / "designs.toml").read_text("utf-8"))


def fold_of_design(design: str, folds: int) -> int:
    """Return the fold of a design, 0 to `folds` − 1."""
    return list(DESIGNS).index(design) * 7 % len(DESIGNS) % folds


class _Sheet:
    """One page that is being made: the words of a language, the names of a naming, and the site's habits."""

    def __init__(self, site: DesignedSite, naming: str, design: str, article: StoredArticle) -> None:
        self.naming, self.article, self.chinese = naming, article, site.chinese
        self.habits = random.Random(f"{site.name} {naming} {design}")  # the same on all pages of a site
        self.draw = random.Random(f"{site.name} {naming} {design} {article.id}")
        self.brand = host_of(site).partition(".")[0].title()
        self.flags = {
            name: self.habits.random() for name in ("cut", "linked", "absolute", "picture", "date", "style", "bare")
        }
        self.words: dict[str, list[str]] = _language("zh" if site.chinese else "en")["words"]
        self._site = site
        others = [one for one in site.articles if one.id != article.id]
        self.others = self.draw.sample(others, len(others))

    def offers(self) -> dict[str, Any]:
        """Return all public names by which a template uses the sheet."""
        own = {name: getattr(self, name) for name in dir(self) if not name.startswith("_")}
        return {**own, "first_sentences": first_sentences}

    def say(self, kind: str) -> str:
        """Return the site's words for something, the same on all its pages."""
        return random.Random(f"{self._site.name} {kind}").choice(self.words[kind])

    def texts(self, kind: str) -> list[str]:
        """Return all sentences of a kind."""
        found = _language("zh" if self.chinese else "en")["texts"][kind]
        return [text.format(self.article.author) for text in found]

    def box(self, tag: str, role: str, *content: str) -> str:
        """Return an element; what it is called depends on the naming."""
        name = ""
        if self.naming == "semantic":
            name = f' class="{role}"'
        else:
            tag = "div" if tag in SECTIONS else tag
            if self.naming == "hashed":
                digest = hashlib.sha256(f"{self._site.name}{role}".encode()).hexdigest()
                name = f' class="c{"".join(chr(97 + int(sign, 16)) for sign in digest[:6])}"'
        return f"<{tag}{'' if tag in PLAIN and role == '' else name}>{''.join(content)}</{tag}>"

    def link(self, to: StoredArticle, content: str = "") -> str:
        """Return a link to another article."""
        start = f"https://{host_of(self._site)}" if self.flags["absolute"] < 0.4 else ""
        return f'<a href="{start}{to.url}">{content or html.escape(to.title)}</a>'

    def summary(self, of: StoredArticle) -> str:
        """Return a teaser's text: first sentences, or a beginning that is cut off."""
        text = " ".join(of.paragraphs[:3])
        most = self.habits.choice((120, 180, SUMMARY[1]))
        if self.flags["cut"] < 0.4:
            cut = text.encode()[: self.draw.randint(SUMMARY[0], most)].decode("utf-8", "ignore")
            return html.escape(cut.rstrip() + "…")
        whole = first_sentences(text, most)
        return html.escape(whole.encode()[:400].decode("utf-8", "ignore"))

    def picture(self) -> str:
        """Return a picture, or nothing if the site has none."""
        return f'<img src="/i/{self.draw.randint(1, 999)}.jpg">' if self.flags["picture"] < 0.5 else ""

    def some(self, low: int, high: int, rounds: int = 1) -> list[StoredArticle]:
        """Return other articles of the site, each time others as far as possible; `rounds`: how often low to high."""
        found: list[StoredArticle] = []
        for _ in range(rounds):
            count = self.draw.randint(low, high)
            found += self.others[:count]
            self.others = self.others[count:] + self.others[:count]
        return found

    def heading(self, kind: str, level: str = "h3") -> str:
        """Return a heading of a box, in an element of the site's choice."""
        return self.box(self.habits.choice((level, level, "div", "p")), f"{kind}-heading", self.say(kind))

    def paragraphs(self, of: StoredArticle) -> list[str]:
        """Return the paragraphs of an article as elements; a short one without a full stop is a heading."""
        tag = "div" if self.flags["style"] > 0.88 else "p"
        found: list[str] = []
        for text in of.paragraphs:
            lines = "<br>".join(map(html.escape, text.split("\n")))
            short = len(text) < 60 and text[-1:] not in '。！？.!?:：…”"' and len(of.paragraphs) > 3
            found.append(f"<h2>{lines}</h2>" if short and found else f"<{tag}>{lines}</{tag}>")
        return found


@cache
def _language(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))


@cache
def _environment() -> Environment:
    environment = Environment(loader=FileSystemLoader(HERE), undefined=StrictUndefined)
    environment.filters["e"] = html.escape
    return environment


Elements = tuple[list[str], list[str]]  # the elements of a body, and its text: a paragraph each


def _rounded_up(sheet: _Sheet, main: list[str], truth: list[str]) -> Elements:
    """Give paragraphs linked headings, and the body a list of sources: links that belong to it."""
    elements, texts = [], []
    for number, (element, text) in enumerate(zip(main, truth, strict=True)):
        if number and number % 2 == 0 and sheet.others:
            title = sheet.others[number % len(sheet.others)].title
            elements.append(
                f'<h3><a href="https://shop{number}.example.org/">{number // 2}. {html.escape(title)}</a></h3>'
            )
            texts.append(f"{number // 2}. {title}")
        elements.append(element)
        texts.append(text)
    return elements, texts


def _shortened(sheet: _Sheet, main: list[str], truth: list[str]) -> Elements:
    """Leave the first one to three paragraphs."""
    count = sheet.draw.choice((1, 2, 3))
    return main[:count], truth[:count]


def _structured(sheet: _Sheet, main: list[str], truth: list[str]) -> Elements:
    """Give the body definitions, tables, lists and hidden details of few words, after every third paragraph."""
    elements, texts = [], []
    for number, (element, text) in enumerate(zip(main, truth, strict=True)):
        if number and number % 3 == 0 and sheet.others:
            words = [of.title[:28].strip() for of in sheet.some(2, 2)] + [sheet.article.author, sheet.article.day]
            form = sheet.draw.choice(_STRUCTURES)
            used = sheet.draw.sample(words, min(form.count("{}"), len(words)))
            elements.append(form.format(*map(html.escape, used)))
            texts.extend(used)
        elements.append(element)
        texts.append(text)
    return elements, texts


_STRUCTURES = (
    "<dl><dt>{}</dt><dd>{}</dd></dl>", "<details><summary>{}</summary><p>{}</p></details>", "<ul><li>{}</li><li>{}</li></ul>",
    "<table><caption>{}</caption><tr><th>{}</th></tr><tr><td>{}</td></tr></table>",
    "<table><tr><th>{}</th><th>{}</th></tr><tr><td>{}</td><td>{}</td></tr></table>",
    "<table><tr><td>{}</td><td>{}</td></tr><tr><td>{}</td><td>{}</td></tr></table>",
)  # fmt: skip


_BODIES = {"rounded_up": _rounded_up, "shortened": _shortened, "structured": _structured}


def mixed(names: Sequence[str], seed: str) -> PageDesign:
    """Return a design that has boxes of two or three others, each in a place of its own or of any other design.

    At most one box stands between the paragraphs.
    """
    draw = random.Random(seed)
    sources = [DESIGNS[name] for name in draw.sample(list(names), draw.choice((2, 2, 3)))]
    found: PageDesign = {}
    between = [source["between"] for source in sources if "between" in source]
    for source in sources:
        for place in PLACES:
            for one in source.get(place, ()):
                other = draw.choice((place, place, "inside", "below", "below", "beside", "above", "top", "between"))
                if other != "between":
                    found[other] = [*found.get(other, ()), one]
                elif one[0] not in ARTICLES:
                    between.append(one)
    found["between"] = between[0] if between else None
    found["layout"] = draw.choice(sources).get("layout", "")
    found["body"] = sources[0].get("body")
    return found


def page_of(
    site: DesignedSite, article: StoredArticle, design: str, naming: str, own: PageDesign | None = None
) -> DesignedPage:
    """Return the page of an article in a design; `own`: one that is not in `DESIGNS`."""
    chosen, sheet = own or DESIGNS[design], _Sheet(site, naming, design, article)
    elements, truth = sheet.paragraphs(article), list(article.paragraphs)
    if chosen.get("body"):
        elements, truth = _BODIES[chosen["body"]](sheet, elements, truth)
    boxes = _environment().get_template("boxes.html").make_module(sheet.offers())

    def drawn(several: Sequence[Sequence[Any]]) -> str:
        return "".join(getattr(boxes, name)(*arguments) for name, *arguments in several)

    places = {place: partial(drawn, chosen.get(place, ())) for place in PLACES}
    between = partial(drawn, [chosen["between"]]) if chosen.get("between") else None
    page = (
        _environment()
        .get_template("page.html")
        .render(sheet.offers(), elements=elements, between=between, layout=chosen.get("layout", ""), **places)
    )
    return DesignedPage(site, design, naming, article, page, "\n\n".join(truth))
