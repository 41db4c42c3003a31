"""Page designs around the bodies of stored articles: what surrounds a body, and where, drawn by a seed.

Stored pages show a few hundred designs; a redesign shows one that none of them has. Here the text of a stored article
gets a new page: its title, byline and body, and around them what a design adds, such as teasers, comments, the next
article in full or an author's note. All of that is made of other articles of the same site, so that two pages of a
design share headings and names but not the texts of their boxes. Each design exists with class names and elements that
say what a box is, with hashed names, and without any.

The same seed gives the same pages. `python -m evaluation.judgement` measures the pages.
"""

import hashlib
import html
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .stored import DesignedPage, DesignedSite, StoredArticle, first_sentences, host_of

NAMINGS = ("semantic", "hashed", "none")
SUMMARY = (50, 240)  # bytes of a teaser's summary


def fold_of_design(design: str, folds: int) -> int:
    """Return the fold of a design, 0 to `folds` − 1."""
    return list(DESIGNS).index(design) * 7 % len(DESIGNS) % folds


class _Sheet:
    """One page that is being made: the words of a language, the names of a naming, and the site's habits."""

    def __init__(self, site: DesignedSite, naming: str, design: str, article: StoredArticle) -> None:
        self.site, self.naming, self.article = site, naming, article
        self.habits = random.Random(f"{site.name} {naming} {design}")  # the same on all pages of a site
        self.draw = random.Random(f"{site.name} {naming} {design} {article.id}")
        self.host = host_of(site)
        others = [one for one in site.articles if one.id != article.id]
        self.others = self.draw.sample(others, len(others))
        self.flags = {
            name: self.habits.random() for name in ("cut", "linked", "absolute", "picture", "date", "style", "bare")
        }

    def say(self, kind: str) -> str:
        """Return the site's words for something, the same on all its pages."""
        return random.Random(f"{self.site.name} {kind}").choice(_WORDS[kind][0 if self.site.chinese else 1])

    def box(self, tag: str, role: str, *content: str, extra: str = "") -> str:
        """Return an element; what it is called depends on the naming."""
        name = ""
        if self.naming == "semantic":
            name = f' class="{role}"'
        else:
            tag = tag if tag not in ("article", "section", "aside", "footer", "header", "main", "nav") else "div"
            if self.naming == "hashed":
                digest = hashlib.sha256(f"{self.site.name}{role}".encode()).hexdigest()
                name = f' class="c{"".join(chr(97 + int(sign, 16)) for sign in digest[:6])}"'
        plain = tag in ("p", "h1", "h2", "h3", "h4", "li", "span", "td", "tr", "dt", "dd", "ul", "b")
        return f"<{tag}{'' if plain and role == '' else name}{extra}>{''.join(content)}</{tag}>"

    def link(self, to: StoredArticle, text: str = "") -> str:
        """Return a link to another article."""
        start = f"https://{self.host}" if self.flags["absolute"] < 0.4 else ""
        return f'<a href="{start}{to.url}">{html.escape(text or to.title)}</a>'

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

    def some(self, low: int, high: int) -> list[StoredArticle]:
        """Return other articles of the site, each time others as far as possible."""
        count = self.draw.randint(low, high)
        taken, self.others = self.others[:count], self.others[count:] + self.others[:count]
        return taken

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


_WORDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "more": (
        ("为你推荐", "猜你喜欢", "大家都在看", "编辑精选", "看了又看", "今日热读", "相关阅读", "精彩内容", "更多好文"),
        ("More for you", "Editors' picks", "Others are reading", "From the archive", "Around the site", "Read next",
         "In case you missed it", "Related stories", "Worth your time"),
    ),
    "comments": (("最新评论", "网友热议", "读者来信", "全部留言"), ("Latest comments", "Readers say", "Your letters", "Comments")),
    "next": (("下一篇", "接着读", "继续阅读", "本站另一篇"), ("Read next", "The next story", "Continue with", "Up next")),
    "about": (("关于本站", "我们是谁", "编辑部的话"), ("About this site", "Who we are", "A word from the editors")),
    "subscribe": (("订阅我们", "每日邮件", "关注公众号"), ("Get our letter", "Stay informed", "Subscribe")),
    "quiz": (("小测验", "今日一题", "你知道吗"), ("Test yourself", "Quiz of the day", "Did you know?")),
    "ticker": (("滚动快讯", "实时动态", "即时消息"), ("Live updates", "As it happens", "News in brief")),
    "author": (("作者简介", "撰稿人", "关于作者"), ("About the author", "The writer", "Who wrote this")),
    "product": (("好物推荐", "店铺精选", "本文提到的商品"), ("From our shop", "Our pick", "Things we like")),
    "events": (("近期活动", "活动预告"), ("Coming up", "Events near you")),
    "faq": (("常见问题", "读者问答"), ("Frequently asked", "Questions and answers")),
}  # fmt: skip
_TEXTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "about": (
        ("本站创办于二〇〇三年，一直为读者提供原创的文章和可靠的消息，欢迎来信交流。", "我们的编辑部由十二名记者和三名摄影师组成，分布在四个城市。",
         "如果您发现文章中的错误，请写信告诉我们，我们会在两天之内更正并向您致谢。"),
        ("This site was founded in 2003 and has brought its readers original stories and reliable news ever since.",
         "Our newsroom consists of twelve reporters and three photographers who work in four cities.",
         "If you find a mistake in one of our stories, please write to us and we will correct it within two days."),
    ),
    "subscribe": (
        ("留下您的邮箱地址，每天早上六点我们把最重要的消息发送给您，随时可以退订。", "超过三万名读者已经订阅，本服务完全免费。"),
        ("Leave your address and we send you the most important stories every morning at six. You can leave at any time.",
         "More than thirty thousand readers already get our letter, and it is free of charge."),
    ),
    "paywall": (
        ("您正在阅读会员专享内容，登录后可以继续阅读全文，首月仅需一元，随时可以取消。", "已经是会员？请在此登录。"),
        ("You are reading a story for subscribers. Sign in to read on; the first month costs one dollar, cancel any time.",
         "Already a subscriber? Sign in here."),
    ),
    "rights": (
        ("本文版权归本站所有，未经书面许可，任何单位和个人不得转载、摘编或以其他方式使用上述作品。", "凡注明来源为其他媒体的作品，均转载自其他媒体，目的在于传递更多信息，并不代表本站赞同其观点。"),
        ("All rights reserved. No part of this story may be reproduced or transmitted in any form without written consent.",
         "The opinions expressed here are those of the writer and do not necessarily reflect those of the publisher."),
    ),
    "author": (
        ("{0}，记者，长期关注城市与文化，曾在多家报社工作，现居南方。业余时间喜欢摄影和长跑。",),
        ("{0} has reported on cities and culture for many years and worked for several papers before. "
         "In the spare time there is photography and long runs.",),
    ),
    "quiz": (
        ("下面哪一种说法是正确的？", "哪座城市最早通了铁路？", "这条河流经过几个省份？"),
        ("Which of these statements is true?", "Which city had the first railway?", "How many countries does the river cross?"),
    ),
    "product": (
        ("轻便耐用的日常背包，防水面料，有三个隔层，适合通勤和短途旅行。", "手工制作的陶瓷茶杯，釉色温润，一套四只，可放入洗碗机。", "可以折叠的阅读灯，三档亮度，一次充电使用二十小时。"),
        ("A light and sturdy pack for every day, made of waterproof cloth, with three compartments.",
         "Hand-made cups in a warm glaze, a set of four, safe in the dishwasher.",
         "A reading lamp that folds, with three levels of light and twenty hours on one charge."),
    ),
    "faq": (
        ("怎样投稿？请把稿件发送到编辑部邮箱，我们会在一周之内回复。", "可以转载吗？请先与我们联系并注明出处和作者。"),
        ("How can I send a story? Write to the newsroom, and we reply within a week.",
         "May I reprint a story? Please ask us first, and name the source and the writer."),
    ),
}  # fmt: skip

Part = Callable[[_Sheet], str]


def _texts(sheet: _Sheet, kind: str) -> list[str]:
    return list(_TEXTS[kind][0 if sheet.site.chinese else 1])


def _teaser(sheet: _Sheet, of: StoredArticle, form: str) -> str:
    headline, text, date = sheet.link(of), sheet.summary(of), sheet.flags["date"] < 0.3
    day = sheet.box("span", "date", of.day) if date else ""
    if form == "paragraphs":
        return f"<p>{headline}</p><p>{text}</p>"
    if form == "linked":
        return sheet.link(of).replace(f">{html.escape(of.title)}<", f"><h4>{html.escape(of.title)}</h4><p>{text}</p><")
    if form == "inline":
        return sheet.box("li", "item", headline, " ", sheet.box("span", "text", text))
    if form == "more":
        words = "查看全文" if sheet.site.chinese else "Full story"
        return sheet.box("div", "item", f"<h4>{html.escape(of.title)}</h4><p>{text} {sheet.link(of, words)}</p>")
    if form == "line":
        return sheet.box("span", "more", headline, "：" if sheet.site.chinese else " — ", text) + "<br>"
    if form == "terms":
        return f"<dt>{headline}</dt><dd>{text}</dd>"
    if form == "broken":
        return sheet.box("div", "item", sheet.picture(), headline, "<br>", text)
    if form == "card":
        kind = "专题" if sheet.site.chinese else "Feature"
        return sheet.box("div", "card", sheet.picture(), sheet.box("div", "kind", kind), f"<h3>{headline}</h3>", day,
                         f"<p>{text}</p>")  # fmt: skip
    return sheet.box("div", "item", sheet.picture(), sheet.box("h4", "", headline), day, f"<p>{text}</p>")


def _teasers(form: str = "", low: int = 3, high: int = 6, tag: str = "div", role: str = "related") -> Part:
    def part(sheet: _Sheet) -> str:
        items = [_teaser(sheet, one, form) for one in sheet.some(low, high)]
        if form == "paragraphs":
            return sheet.heading("more") + "".join(items)
        return sheet.box(tag, role, sheet.heading("more"), sheet.box(_LISTS.get(form, "div"), "items", *items))

    return part


_LISTS = {"inline": "ul", "terms": "dl"}


def _links(dated: bool) -> Part:
    def part(sheet: _Sheet) -> str:
        items = [sheet.box("li", "", sheet.link(one), f" {one.day}" if dated else "") for one in sheet.some(4, 8)]
        return sheet.box("div", "related", sheet.heading("more"), "<ul>", *items, "</ul>")

    return part


def _comments(form: str, rounds: int = 1) -> Part:
    """Comments of readers; `rounds`: how often three to seven of them."""

    def part(sheet: _Sheet) -> str:
        items = []
        for one in [one for _ in range(rounds) for one in sheet.some(3, 7)]:
            text = html.escape(first_sentences(sheet.draw.choice(one.paragraphs), sheet.draw.choice((90, 200, 500))))
            answer = "回复" if sheet.site.chinese else "Reply"
            name = sheet.box("b" if form == "plain" else "div", "name", one.author)
            day = sheet.box("span", "time", f"{one.day} 12:{sheet.draw.randint(10, 59)}")
            if form == "broken":
                items.append(sheet.box("div", "post", sheet.box("b", "name", one.author), "<br>", text))
                continue
            foot = f'<a href="#">{answer}</a>' if form == "threaded" else ""
            inner = sheet.box("div", "reply", name, f"<p>{text[:80]}</p>") if form == "threaded" else ""
            items.append(sheet.box("div", "comment", name, " ", day, f"<p>{text}</p>", foot, inner))
        heading = "" if form == "broken" else sheet.heading("comments")
        return sheet.box("div", "comments", heading, *items)

    return part


def _gallery(sheet: _Sheet) -> str:
    """Pictures with captions; as elements that say so, unless names do."""
    tags = ("div", sheet.habits.choice(("p", "div"))) if sheet.naming == "semantic" else ("figure", "figcaption")
    caption = sheet.summary(sheet.some(1, 1)[0])
    slides = [
        f'<{tags[0]}><img src="/{number}.jpg"><{tags[1]}>{caption} {number}</{tags[1]}></{tags[0]}>'
        for number in range(1, sheet.draw.choice((5, 12, 30)))
    ]
    return sheet.box("div", "gallery", *slides)


def _article(sheet: _Sheet, of: StoredArticle, heading: str = "h1") -> str:
    by = sheet.box("div", "byline", f"{of.author} {of.day}")
    linked = sheet.link(of) if heading != "h1" else html.escape(of.title)
    body = sheet.box("div", "article-body", *sheet.paragraphs(of))
    return sheet.box("article", "article", sheet.box(heading, "", linked), by, body)


def _next(sheet: _Sheet) -> str:
    return sheet.heading("next") + _article(sheet, sheet.some(1, 1)[0], sheet.habits.choice(("h2", "h2", "h1")))


def _next_plain(sheet: _Sheet) -> str:
    """The next article in full, without a byline, in a box of another name."""
    of = sheet.some(1, 1)[0]
    body = sheet.box("div", "next-body", f"<h3>{html.escape(of.title)}</h3>", *sheet.paragraphs(of))
    return sheet.box("section", "next", sheet.heading("next", "h4"), body)


def _next_linked(sheet: _Sheet) -> str:
    """The next article in full below its linked title; no heading announces it."""
    return _article(sheet, sheet.some(1, 1)[0], "h2")


def _next_bare(sheet: _Sheet) -> str:
    """The next article in full as paragraphs, its title in bold type."""
    of = sheet.some(1, 1)[0]
    return f"<p>{sheet.say('next')}</p><p><b>{html.escape(of.title)}</b></p>" + "".join(sheet.paragraphs(of))


def _infinite(sheet: _Sheet) -> str:
    return "".join(_article(sheet, one) for one in sheet.some(2, 3))


def _prose(kind: str, tag: str = "div", role: str = "") -> Part:
    def part(sheet: _Sheet) -> str:
        texts = [text.format(sheet.article.author) for text in _texts(sheet, kind)]
        if sheet.flags["bare"] < 0.3:
            return sheet.box(tag, role or kind, " ".join(texts))
        head = sheet.heading(kind) if kind in _WORDS else ""
        return sheet.box(tag, role or kind, head, *(f"<p>{text}</p>" for text in texts))

    return part


def _advert(sheet: _Sheet) -> str:
    """A paragraph of prose in a box of its own, on each page another one."""
    text = html.escape(first_sentences(sheet.draw.choice(sheet.some(1, 1)[0].paragraphs), 400))
    form = sheet.habits.choice(("", "", "p", "table"))
    if form == "table":
        return f"<table><tr><td>{text}</td></tr></table>"
    return sheet.box("div", "promo", f"<p>{text}</p>" if form else text)


def _plain_prose(kind: str) -> Part:
    """Paragraphs among those of the body, without a box or heading."""
    return lambda sheet: "".join(f"<p>{text.format(sheet.article.author)}</p>" for text in _texts(sheet, kind))


def _side_essay(sheet: _Sheet) -> str:
    of = sheet.some(1, 1)[0]
    texts = [f"<p>{html.escape(text)}</p>" for text in of.paragraphs[: sheet.draw.randint(2, 4)]]
    return sheet.box("aside", "side", sheet.heading("about"), *texts)


def _quiz(sheet: _Sheet) -> str:
    items = []
    for question in _texts(sheet, "quiz"):
        answers = "".join(f"<li>{html.escape(one.title[:30])}</li>" for one in sheet.some(3, 3))
        items.append(f"<p>{question}</p><ul>{answers}</ul>")
    return sheet.box("div", "quiz", sheet.heading("quiz"), *items)


def _ticker(sheet: _Sheet) -> str:
    items = [
        sheet.box("div", "tick", sheet.box("span", "time", f"{9 + n}:{10 + n * 7 % 50}"),
                  f"<p>{html.escape(first_sentences(one.paragraphs[0], 140))}</p>")
        for n, one in enumerate(sheet.some(4, 6))
    ]  # fmt: skip
    return sheet.box("div", "ticker", sheet.heading("ticker"), *items)


def _products(sheet: _Sheet) -> str:
    items = [
        sheet.box("div", "product", f'<a href="/shop/{n}"><img src="/i/p{n}.jpg"></a>', f"<h4>{text[:12]}</h4>",
                  f"<p>{text}</p>", sheet.box("span", "price", f"¥{sheet.draw.randint(20, 400)}.00"))
        for n, text in enumerate(_texts(sheet, "product"))
    ]  # fmt: skip
    return sheet.box("div", "shop", sheet.heading("product"), *items)


def _events(sheet: _Sheet) -> str:
    items = [
        sheet.box("li", "event", f"<b>{one.day}</b> ", f"<h5>{html.escape(one.title)}</h5>", f"<p>{sheet.summary(one)}</p>")
        for one in sheet.some(3, 5)
    ]  # fmt: skip
    return sheet.box("div", "events", sheet.heading("events"), "<ul>", *items, "</ul>")


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


@dataclass(frozen=True, slots=True)
class PageDesign:
    """What surrounds a body: before the title, between title and body, in the body's box at its end, below, beside.

    `between`: part that stands after every third paragraph. `layout`: boxes, table or columns. `body`: what changes the
    body itself.
    """

    above: tuple[Part, ...] = ()
    top: tuple[Part, ...] = ()
    inside: tuple[Part, ...] = ()
    below: tuple[Part, ...] = ()
    beside: tuple[Part, ...] = ()
    between: Part | None = None
    layout: str = "boxes"
    body: Callable[[_Sheet, list[str], list[str]], Elements] | None = None


def _one(form: str) -> Part:
    return lambda sheet: _teaser(sheet, sheet.some(1, 1)[0], form)


DESIGNS: dict[str, PageDesign] = {
    "teasers-below": PageDesign(below=(_teasers(),)),
    "teasers-inside": PageDesign(inside=(_teasers(),)),
    "teasers-paragraphs": PageDesign(inside=(_teasers("paragraphs"),)),
    "teasers-between": PageDesign(between=_one("paragraphs")),
    "teasers-between-boxed": PageDesign(between=_one("")),
    "teasers-between-lines": PageDesign(between=_teasers("line", 2, 2)),
    "teasers-lines": PageDesign(inside=(_teasers("line"), _prose("subscribe"))),
    "teasers-linked": PageDesign(inside=(_teasers("linked"),)),
    "teasers-inline": PageDesign(below=(_teasers("inline"),)),
    "teasers-full-story": PageDesign(below=(_teasers("more"),)),
    "teasers-terms": PageDesign(inside=(_teasers("terms"),)),
    "teasers-broken": PageDesign(below=(_teasers("broken"),)),
    "teasers-cards": PageDesign(below=(_teasers("card", 6, 7),), beside=(_teasers("card", 2, 3),)),
    "teasers-above": PageDesign(above=(_teasers(),)),
    "teasers-top": PageDesign(top=(_teasers("", 2, 3),)),
    "teasers-many": PageDesign(below=(_teasers("", 5, 7), _teasers("more", 4, 6))),
    "links-dated": PageDesign(inside=(_links(dated=True),), below=(_links(dated=False),)),
    "next-in-full": PageDesign(below=(_next,)),
    "next-plain": PageDesign(inside=(_next_plain,)),
    "next-linked": PageDesign(below=(_next_linked,)),
    "next-bare": PageDesign(inside=(_next_bare,)),
    "next-teasers": PageDesign(below=(_teasers("", 2, 3), _next)),
    "infinite": PageDesign(below=(_infinite,)),
    "comments": PageDesign(below=(_comments("boxed"),)),
    "comments-threaded": PageDesign(below=(_comments("threaded"),)),
    "comments-inside": PageDesign(inside=(_comments("plain"),)),
    "side-prose": PageDesign(beside=(_side_essay,), layout="columns"),
    "side-left": PageDesign(beside=(_prose("about"), _teasers("", 3, 4)), layout="left"),
    "subscribe": PageDesign(between=_prose("subscribe"), below=(_prose("subscribe"),)),
    "quiz": PageDesign(inside=(_quiz,), below=(_teasers("card"),)),
    "ticker": PageDesign(beside=(_ticker,), below=(_ticker,), layout="left"),
    "paywall": PageDesign(inside=(_prose("paywall"),), below=(_teasers("", 3, 4),)),
    "author-note": PageDesign(inside=(_prose("author"),), below=(_teasers("", 3, 3),)),
    "rights-note": PageDesign(inside=(_prose("rights"),), below=(_prose("about"),)),
    "table-layout": PageDesign(below=(_teasers("broken"),), beside=(_links(dated=True),), layout="table"),
    "products": PageDesign(between=_products, below=(_products,)),
    "events": PageDesign(below=(_events,), beside=(_prose("about"),), layout="columns"),
    "author-plain": PageDesign(inside=(_plain_prose("author"),), below=(_next_plain,)),
    "boxes-between": PageDesign(between=_one("card"), inside=(_comments("plain"),)),
    "faq": PageDesign(inside=(_prose("faq"),), below=(_comments("boxed"),)),
    "everything": PageDesign(top=(_prose("subscribe"),), inside=(_prose("author"), _teasers()), below=(_comments("boxed"),),
                         beside=(_ticker,)),
    "plain": PageDesign(below=(_prose("about", "footer", "footer"),)),
    "round-up": PageDesign(body=_rounded_up),
    "round-up-teasers": PageDesign(body=_rounded_up, below=(_teasers(),)),
    "advert-top": PageDesign(top=(_advert,), below=(_teasers("line"),)),
    "advert-between": PageDesign(between=_advert, below=(_teasers("", 2, 3),)),
    "advert-inside": PageDesign(inside=(_advert, _prose("author"))),
    "adverts": PageDesign(top=(_advert,), inside=(_advert,), below=(_advert, _links(dated=True))),
    "structures": PageDesign(body=_structured, below=(_teasers("", 2, 3),)),
    "structures-plain": PageDesign(body=_structured, between=_prose("subscribe")),
    "gallery": PageDesign(between=_gallery, below=(_teasers("", 2, 3),)),
    "gallery-top": PageDesign(top=(_gallery,)),
    "comments-long": PageDesign(below=(_comments("broken", 3),), body=_shortened),
}  # fmt: skip


_ARTICLES = (_next, _next_plain, _next_linked, _next_bare, _infinite)  # parts that stand between no paragraphs


def mixed(names: Sequence[str], seed: str) -> PageDesign:
    """Return a design that has parts of two or three others, each in a place of its own or of any other design.

    At most one part stands between the paragraphs.
    """
    draw = random.Random(seed)
    sources = [DESIGNS[name] for name in draw.sample(list(names), draw.choice((2, 2, 3)))]
    places: dict[str, tuple[Part, ...]] = {}
    between = [source.between for source in sources if source.between]
    for source in sources:
        for place in ("above", "top", "inside", "below", "beside"):
            for part in getattr(source, place):
                other = draw.choice((place, place, "inside", "below", "below", "beside", "above", "top", "between"))
                if other != "between":
                    places[other] = (*places.get(other, ()), part)
                elif part not in _ARTICLES:
                    between.append(part)
    return PageDesign(
        **places,
        between=between[0] if between else None,
        layout=draw.choice(sources).layout,
        body=sources[0].body,
    )


def page_of(
    site: DesignedSite, article: StoredArticle, design: str, naming: str, own: PageDesign | None = None
) -> DesignedPage:
    """Return the page of an article in a design; `own`: one that is not in `DESIGNS`."""
    chosen, sheet = own or DESIGNS[design], _Sheet(site, naming, design, article)
    main = sheet.paragraphs(article)
    truth = list(article.paragraphs)
    if chosen.body:
        main, truth = chosen.body(sheet, main, truth)
    pieces = []
    for number, element in enumerate(main):
        if chosen.between and number and number % 3 == 0:
            pieces.append(chosen.between(sheet))
        pieces.append(element)
    parts = {
        name: "".join(part(sheet) for part in getattr(chosen, name))
        for name in ("above", "top", "inside", "below", "beside")
    }
    by = f"{article.author} {article.day}"
    head = sheet.box("h1", "", html.escape(article.title)) + sheet.box("div", "byline", by)
    body = sheet.box("div", "article-body", *pieces, parts["inside"])
    whole = sheet.box("article", "article", head, parts["top"], body)
    content = _laid_out(sheet, chosen.layout, parts["above"], whole, parts["below"], parts["beside"])
    return DesignedPage(site, design, naming, article, _document(sheet, content), "\n\n".join(truth))


def _laid_out(sheet: _Sheet, layout: str, above: str, whole: str, below: str, beside: str) -> str:
    side = sheet.box("aside", "sidebar", beside) if beside else ""
    main = sheet.box("main", "main", above, whole, below)
    if layout == "table":
        return f'<table width="960"><tr><td width="200">{beside}</td><td>{above}{whole}{below}</td></tr></table>'
    if layout == "left":
        return sheet.box("div", "page", side, main)
    return sheet.box("div", "page", main, side)


def _document(sheet: _Sheet, content: str) -> str:
    article, name = sheet.article, sheet.host.partition(".")[0].title()
    menu = (
        ("新闻", "文化", "体育", "财经", "联系我们")
        if sheet.site.chinese
        else ("News", "Culture", "Sport", "Money", "Contact")
    )
    items = "".join(f'<li><a href="/{number}/">{word}</a></li>' for number, word in enumerate(menu))
    crumbs = sheet.box("div", "crumbs", f'<a href="/">{name}</a> &gt; <a href="/1/">{menu[0]}</a>')
    declared = ""
    if sheet.habits.random() < 0.6:
        start = html.escape(first_sentences(article.paragraphs[0], 200), quote=True)
        declared += f'<meta name="description" content="{start}">'
    if sheet.habits.random() < 0.6:
        declared += f'<meta property="og:type" content="article"><meta property="og:title" content="{html.escape(article.title, quote=True)}">'
        declared += f'<meta property="article:published_time" content="{article.day}T08:00:00+00:00">'
    words = "保留所有权利" if sheet.site.chinese else "All rights reserved"
    return (
        f'<!DOCTYPE html><html lang="{"zh" if sheet.site.chinese else "en"}"><head><meta charset="utf-8">'
        f"<title>{html.escape(article.title)} - {name}</title>{declared}</head><body>"
        + sheet.box("header", "header", sheet.box("nav", "menu", f"<ul>{items}</ul>"), crumbs)
        + content
        + sheet.box("footer", "footer", f"<p>© 2024 {name}. {words}</p>")
        + "</body></html>"
    )
