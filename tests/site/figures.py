"""Draw the figures of docs/ from pages of our own: `python -m tests.site.figures [FOLDER]`, or `make figures`.

Some are of the sample site's pages. Others are of plain pages as they were written when the methods' sources appeared,
a paragraph a line, with the sample site's texts: on these the verbatim forms do what their sources say.
"""

import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from evaluation.sample_site import Story, render_site, truth
from extractors.figures import draw, figure_data

SITE = "https://news.example"
FOLDER = Path(__file__).parents[2] / "docs" / "figures"


class Drawn(NamedTuple):
    """A page to draw. `example`: None for methods that need none."""

    method: str
    page: bytes | str
    url: str
    example: bytes | str | None = None


class Paper(NamedTuple):
    """What the plain pages of a section have around their articles."""

    name: str
    menu: Sequence[str]
    notice: str
    more: str
    foot: str


PAPERS = {
    "en": Paper(
        "The Alder Quay Messenger",
        ("Front page", "Harbour", "Town", "Schools", "Weather", "Tides"),
        "Printed on Tuesdays and Fridays at 3 Rope Walk, and read aloud at the library on Saturdays at ten.",
        "More stories",
        "The Alder Quay Messenger, 3 Rope Walk. Letters to the editor are welcome, signed ones even more so.",
    ),
    "zh": Paper(
        "澜浦日报",
        ("首页", "新闻", "社会", "文化", "体育", "天气"),
        "本报每周一至周六出版，零售每份一元，全年订阅请到南门街邮政所办理。",
        "更多新闻",
        "澜浦日报社主办，编辑部设在南门街十二号二楼，欢迎来信来稿，署名者优先刊登。",
    ),
}


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for one in drawn():
        target = folder / f"{one.method}.svg"
        print(draw(figure_data(one.page, one.url, method=one.method, example=one.example), target))


def drawn() -> list[Drawn]:
    """Every figure of docs/."""
    classic, new = render_site(SITE), render_site(SITE, "new")
    english, chinese = truth("en"), truth("zh")
    story, market = english[5].path, chinese[3].path
    return [
        Drawn("example", new[market].body, SITE + market, new[chinese[4].path].body),
        Drawn("example-verbatim", plain_page("en", 3), SITE, plain_page("en", 2)),
        Drawn("density", classic[story].body, SITE + story),
        Drawn("line-blocks", plain_page("zh", 3), SITE),
        Drawn("line-blocks-verbatim", plain_page("zh", 6), SITE),
        Drawn("tag-paths", classic[story].body, SITE + story),
        Drawn("article-deviation", classic[story].body, SITE + story),
        Drawn("list-rank", plain_list("zh"), SITE + "/zh/"),
        Drawn("bp-network", classic[story].body, SITE + story),
        Drawn("bp-network-verbatim", plain_page("zh", 6), SITE),
    ]


def plain_page(section: str, place: int) -> str:
    """An article of the sample site as a page of 2009: menu, title, a paragraph a line, more articles, foot."""
    article = truth(section)[place]
    paragraphs = [f"<p>{escape(paragraph)}</p>" for paragraph in article.text.split("\n\n")]
    return _framed(
        section, article.title, [f"<h1>{escape(article.title)}</h1>", '<div id="text">', *paragraphs, "</div>"]
    )


def plain_list(section: str) -> str:
    """The articles of the sample site as a list of 2009: title, date and first sentence of each."""
    entries = [
        f'<dd class="entry">{_link(article)} <i>{article.published:%Y-%m-%d}</i><br>{escape(article.text[:90])}</dd>'
        for article in truth(section)[:10]
    ]
    return _framed(section, PAPERS[section].name, ["<dl>", *entries, "</dl>"])


def _framed(section: str, title: str, content: Sequence[str]) -> str:
    paper = PAPERS[section]
    menu = [f'<td><a href="/{number}/">{name}</a></td>' for number, name in enumerate(paper.menu)]
    more = [f"<li>{_link(article)}</li>" for article in truth(section)[-6:]]
    parts = [
        [f"<html><head><title>{escape(title)}_{paper.name}</title></head><body>"],
        [f"<h2>{paper.name}</h2>", "<table><tr>", *menu, "</tr></table>", f"<p>{paper.notice}</p>"],
        ['<div id="main">', *content, "</div>"],
        [f'<div id="more"><h3>{paper.more}</h3>', "<ul>", *more, "</ul></div>"],
        [f'<div id="foot">{paper.foot}</div>', "</body></html>"],
    ]
    return "\n\n\n\n".join("\n".join(lines) for lines in parts)


def _link(article: Story) -> str:
    return f'<a href="{article.path}">{escape(article.title)}</a>'


if __name__ == "__main__":
    main(sys.argv[1:])
