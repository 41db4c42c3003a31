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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

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


@cache
def _template() -> Template:
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined)
    environment.filters["e"] = html.escape
    return environment.get_template("styled_page.html")


def pages(seed: int, number: int, count: int = PAGES) -> Iterator[tuple[str, str]]:
    """Yield (kind, HTML) of `count` articles and as many lists of one site."""
    look = design(seed, number)
    for index in range(count):
        draw = random.Random(f"{seed}:{number}:{index}")
        page: Any = _template().make_module({"look": look, "draw": draw, "text": Words(draw, look.chinese)})
        yield "article", page.article()
        yield "list", page.listing()


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
