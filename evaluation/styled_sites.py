"""`python -m evaluation.styled_sites DIR`: small generated news sites, each with a design of its own.

Most stored pages have lost their styles, so their screenshots differ from the pages that readers saw. These sites have
styles: columns, header, palette, type, kinds of list and other elements are drawn by a seed, every other site in
Chinese. Their text is generated from everyday words and has no meaning; the pictures are gradients. Each site has
articles and lists in one template, so the template does not show the type.

DIR gets `sites/styled_NN/` in the form for `evaluation.data`: pages, and truth.jsonl with each page's kind.
"""

import argparse
import html
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SITES, PAGES = 16, 25  # sites, as many as in the source; articles of a site, and lists
SEED = 1

EN = """
the a of to in and for with on at by from over under near after before river market school council water bridge
garden winter summer harbour train street child teacher doctor farmer window report season price plan field road
house history number question answer morning evening small large early late public open quiet new old says finds
keeps builds moves brings shows opens closes turns asks grows meets waits returns about between through without
"""
ZH = """
我们 他们 今天 明天 城市 河流 学校 市场 老师 医生 孩子 工作 生活 时间 问题 计划 报告 公园 道路 桥梁 春天 冬天 早晨
晚上 开始 结束 发现 建设 提高 需要 可以 已经 正在 因为 所以 但是 以及 和 的 在 了 是 有 不 这 那 新 大 小 高 低
多 少 人 水 山 风 光 历史 文化 经济 社会 研究 技术 服务 发展 记者 介绍 表示 认为
"""
FONTS = (
    "Arial,'WenQuanYi Micro Hei',sans-serif",
    "Georgia,'WenQuanYi Micro Hei',serif",
    "Verdana,'WenQuanYi Micro Hei',sans-serif",
    "'Courier New','WenQuanYi Micro Hei',monospace",
)
PALETTES = (  # background, card, text, accent, line
    ("#ffffff", "#ffffff", "#222222", "#b3001b", "#dddddd"),
    ("#f2f2f2", "#ffffff", "#333333", "#00539c", "#cccccc"),
    ("#fbf7ee", "#fffdf7", "#3a3226", "#7a4b12", "#e2d8c3"),
    ("#15171c", "#20242c", "#d8dbe0", "#e0a030", "#3a3f49"),
    ("#eaf1f7", "#ffffff", "#1d2b3a", "#1f7a4d", "#c5d3df"),
    ("#ffffff", "#f5f5fa", "#111111", "#5b2a86", "#e4e4ef"),
)
LIST_KINDS = ("headlines", "summaries", "cards", "table", "thumbnails", "stream")
SIDES = ("none", "left", "right", "both")
WIDTHS = (760, 960, 1100, 1240, 1366)
HEADERS = ("bar", "masthead", "plain", "tall")


@dataclass(frozen=True, slots=True)
class Design:
    """The design of a site. Widths and sizes in CSS pixels; `density` is the space around entries."""

    chinese: bool
    palette: tuple[str, str, str, str, str]
    font: str
    size: int
    width: int
    side: str
    header: str
    lists: tuple[str, ...]
    density: int
    hero: bool
    related: str  # headlines or cards below an article, or none
    comments: bool
    pictures: float  # probability of a picture between two paragraphs
    boxed: bool
    footer: int  # lines


def design(seed: int, number: int) -> Design:
    """Return the design of one site."""
    draw = random.Random(f"{seed}:design:{number}")
    width = draw.choice(WIDTHS)
    return Design(
        chinese=number % 2 == 1,
        palette=draw.choice(PALETTES),
        font=draw.choice(FONTS),
        size=draw.choice((13, 14, 16, 18, 20)),
        width=width,
        side=draw.choice(SIDES if width > WIDTHS[0] else SIDES[:3]),
        header=draw.choice(HEADERS),
        lists=tuple(draw.sample(LIST_KINDS, 2)),
        density=draw.choice((2, 6, 12, 20)),
        hero=draw.random() < 0.4,
        related=draw.choice(("none", "headlines", "cards")),
        comments=draw.random() < 0.35,
        pictures=draw.choice((0.0, 0.05, 0.15)),
        boxed=draw.random() < 0.5,
        footer=draw.choice((1, 3, 8)),
    )


class Words:
    """Generator of meaningless text, in English or Chinese."""

    def __init__(self, draw: random.Random, chinese: bool):
        self.draw, self.chinese = draw, chinese
        self.known = (ZH if chinese else EN).split()

    def words(self, low: int, high: int) -> str:
        """Return between `low` and `high` words."""
        chosen = self.draw.choices(self.known, k=self.draw.randint(low, high))
        return "".join(chosen) if self.chinese else " ".join(chosen).capitalize()

    def title(self) -> str:
        """Return a headline."""
        return self.words(5, 13)

    def sentence(self) -> str:
        """Return a sentence."""
        return self.words(8, 22) + ("。" if self.chinese else ". ")

    def paragraph(self, low: int = 2, high: int = 7) -> str:
        """Return a paragraph of between `low` and `high` sentences."""
        return "".join(self.sentence() for _ in range(self.draw.randint(low, high)))

    def date(self) -> str:
        """Return a day of 2026."""
        return f"2026-{self.draw.randint(1, 12):02}-{self.draw.randint(1, 28):02}"


class Painter:
    """Writes pages of one site: `article` and `listing` return HTML."""

    def __init__(self, look: Design, draw: random.Random):
        self.look, self.draw, self.text = look, draw, Words(draw, look.chinese)

    def article(self) -> str:
        """Return an article: headline, byline, prose, perhaps pictures, quotations, a table, comments, related ones."""
        title = self.text.title()
        parts = [f"<h1>{title}</h1><p class=by>{self.text.date()} {self.text.words(2, 3)}</p>"]
        if self.look.hero and self.draw.random() < 0.8:
            parts.append(self._picture("hero"))
        for _ in range(self.draw.choice((3, 5, 8, 12, 18, 30))):
            parts.append(self._block())
        if self.look.comments:
            parts += [self._comment() for _ in range(self.draw.randint(0, 12))]
        if self.look.related != "none":
            kind = self.look.related
            parts.append(f"<h3>{self.text.words(1, 2)}</h3>" + self._entries(kind, self.draw.randint(3, 9)))
        return self._page(title, "".join(parts))

    def listing(self) -> str:
        """Return a list of articles in one of the site's layouts, with a pager, perhaps in sections or after a lead."""
        title = self.text.words(1, 3)
        parts = [f"<h1>{title}</h1>" if self.draw.random() < 0.7 else ""]
        if self.draw.random() < 0.3:
            parts.append(f"<p>{self.text.paragraph(1, 4)}</p>")
        if self.look.hero and self.draw.random() < 0.5:
            parts.append(self._picture("hero") + f"<h2>{self._link()}</h2><p>{self.text.sentence()}</p>")
        kind = self.draw.choice(self.look.lists)
        for section in range(self.draw.choice((1, 1, 1, 2, 4))):
            parts.append(f"<h2>{self.text.words(1, 2)}</h2>" if section else "")
            parts.append(self._entries(kind, self.draw.choice((6, 10, 15, 20, 30))))
        pager = " ".join(f"<a href='?{n}'>{n}</a>" for n in range(1, self.draw.randint(3, 12)))
        return self._page(title, "".join(parts) + f"<p class=pager>{pager}</p>")

    def _block(self) -> str:
        chance = self.draw.random()
        if chance < self.look.pictures:
            return self._picture("wide") + f"<p class=by>{self.text.words(4, 9)}</p>"
        if chance > 0.97:
            return f"<blockquote>{self.text.sentence()}</blockquote>"
        if chance > 0.93:
            return f"<h2>{self.text.words(2, 6)}</h2>"
        if chance > 0.91:
            return "<ul>" + "".join(f"<li>{self.text.words(4, 12)}</li>" for _ in range(5)) + "</ul>"
        return f"<p>{self.text.paragraph()}</p>"

    def _comment(self) -> str:
        who, when = self.text.words(1, 2), self.text.date()
        return f"<div class=comment><b>{who}</b> {when}<p>{self.text.paragraph(1, 3)}</p></div>"

    def _entries(self, kind: str, count: int) -> str:
        one: dict[str, Callable[[], str]] = {
            "headlines": lambda: f"<li>{self._link()} <small>{self.text.date()}</small></li>",
            "summaries": lambda: f"<li><h3>{self._link()}</h3><p>{self.text.paragraph(1, 3)}</p></li>",
            "cards": lambda: f"<li>{self._picture('card')}<h4>{self._link()}</h4><p>{self.text.words(6, 14)}</p></li>",
            "table": lambda: (
                f"<li><span>{self._link()}</span><small>{self.text.words(1, 2)}</small>"
                f"<small>{self.draw.randint(0, 999)}</small><small>{self.text.date()}</small></li>"
            ),
            "thumbnails": lambda: (
                f"<li>{self._picture('thumb')}<h3>{self._link()}</h3><p>{self.text.sentence()}</p></li>"
            ),
            "stream": lambda: (
                f"<li><h2>{self._link()}</h2><p class=by>{self.text.date()}</p><p>{self.text.paragraph(2, 6)}</p></li>"
            ),
        }
        return f"<ul class={kind}>" + "".join(one[kind]() for _ in range(count)) + "</ul>"

    def _link(self) -> str:
        return f"<a href='#{self.draw.randint(1, 9999)}'>{self.text.title()}</a>"

    def _picture(self, kind: str) -> str:
        one, two = (f"hsl({self.draw.randint(0, 359)} 40% {self.draw.randint(25, 75)}%)" for _ in range(2))
        colours = f"linear-gradient({self.draw.randint(0, 180)}deg,{one},{two})"
        return f"<div class='picture {kind}' style='background:{colours}'></div>"

    def _page(self, title: str, main: str) -> str:
        side = f"<aside><h3>{self.text.words(1, 2)}</h3>{self._entries('headlines', self.draw.randint(5, 14))}</aside>"
        left = side if self.look.side in ("left", "both") else ""
        right = side if self.look.side in ("right", "both") else ""
        menu = " ".join(f"<a href='/'>{self.text.words(1, 1)}</a>" for _ in range(8))
        footer = "".join(f"<p>{self.text.words(6, 14)}</p>" for _ in range(self.look.footer))
        head = f"<meta charset=utf-8><title>{html.escape(title)}</title><style>{style(self.look)}</style>"
        top = f"<header><b>{self.text.words(1, 2)}</b><nav>{menu}</nav></header>"
        return (
            f"<!doctype html><html lang={'zh' if self.look.chinese else 'en'}>{head}<body>{top}"
            f"<div class=columns>{left}<main>{main}</main>{right}</div><footer>{footer}</footer>"
        )


def style(look: Design) -> str:
    """Return the style sheet of a design."""
    ground, card, text, accent, line = look.palette
    tall = {"bar": 12, "masthead": 40, "plain": 6, "tall": 110}[look.header]
    band = f"background:{accent};color:#fff" if look.header in ("bar", "tall") else f"border-bottom:2px solid {accent}"
    centred = "text-align:center;" if look.header == "masthead" else ""
    box = f"background:{card};border:1px solid {line};padding:{look.density + 6}px;" if look.boxed else ""
    return (
        f"body{{margin:0;background:{ground};color:{text};font:{look.size}px/1.6 {look.font}}}a{{color:{accent}}}"
        f"header{{{band};{centred}padding:{tall}px 20px}}header b{{font-size:2em}}nav a{{margin:0 10px;color:inherit}}"
        f".columns{{display:flex;gap:24px;max-width:{look.width}px;margin:20px auto}}main{{flex:1;min-width:0;{box}}}"
        f"aside{{width:220px;font-size:.85em}}footer{{border-top:1px solid {line};padding:20px;font-size:.8em}}"
        f"ul[class]{{list-style:none;padding:0}}"
        f"ul[class]>li{{padding:{look.density}px 0;border-bottom:1px solid {line}}}"
        "small{opacity:.7;margin-left:12px}.by{opacity:.7;font-size:.85em}.pager a{padding:4px 9px;border:1px solid}"
        ".cards{display:grid;grid-template-columns:repeat(3,1fr);gap:16px}.table li{display:flex}.table span{flex:1}"
        ".thumbnails li{overflow:hidden}.thumb{float:left;width:150px;height:95px;margin-right:14px}"
        ".card{height:130px}.wide{height:300px}.hero{height:380px}"
        f"blockquote{{border-left:4px solid {accent};margin:0 0 0 20px;padding-left:16px}}"
        f".comment{{border-top:1px solid {line};padding:8px 0;font-size:.9em}}"
    )


def pages(seed: int, number: int, count: int = PAGES) -> Iterator[tuple[str, str]]:
    """Yield (kind, HTML) of `count` articles and as many lists of one site."""
    look = design(seed, number)
    for index in range(count):
        draw = random.Random(f"{seed}:{number}:{index}")
        yield "article", Painter(look, draw).article()
        yield "list", Painter(look, draw).listing()


def write_site(folder: Path, seed: int, number: int, count: int = PAGES) -> None:
    """Write one site and its truth."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for index, (kind, text) in enumerate(pages(seed, number, count)):
        name = f"{kind}-{index:03}.html"
        (folder / name).write_text(text, "utf-8")
        row = {"id": name.removesuffix(".html"), "file": name, "site": folder.name, "section": "", "kind": kind}
        rows.append(json.dumps(row | {"body": None}, ensure_ascii=False))
    (folder / "truth.jsonl").write_text("\n".join(rows) + "\n", "utf-8")


def main(words: Sequence[str] | None = None) -> int:
    """Write the sites."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.styled_sites", description=__doc__)
    parser.add_argument("out", type=Path, metavar="DIR")
    parser.add_argument("--sites", type=int, default=SITES)
    parser.add_argument("--pages", type=int, default=PAGES, help="articles a site, and as many lists")
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args(words)
    for number in range(arguments.sites):
        write_site(arguments.out / "sites" / f"styled_{number:02}", arguments.seed, number, arguments.pages)
    print(f"{arguments.sites} sites of {2 * arguments.pages} pages in {arguments.out / 'sites'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
