"""Whether a page holds an article at all, in words for a person if it doesn't.

Three kinds of pages say so themselves, in a few words on a nearly empty page: soft 404s, blocks and captchas, shells
that need JavaScript. Lists show it by their links: entries whose texts each follow a link, texts among links, scraps.
A page that declares itself an article, or repeats its title just above its body, gets the benefit of the doubt; the
latter not where its text merely introduces what else is there.

Measured on the development sets, cut alone: of 1,273 articles none is refused, of 350 lists 316 (65 of 90 where the
others are mostly long prose about the entries).
"""

import re

import numpy as np

from .assembly import ParsedPage
from .lines import Lines
from .urls import split_web

NOTICE_PAGE = 3_000  # bytes of unlinked text; pages with more are no notices
NOTICE_LINE = 160  # characters of a line that gives notice
ENTRIES, ENTRY_SHARE = 5, 0.2  # texts that follow a link, and their share of the body's lines, which make a list
AMONG_LINKS, AMONG_SHARE = 5, 0.25  # linked lines among the body's, and the share of links there, which make a list
LINKED_HEADINGS = 5  # headings of the body that are links, which make a list
APART, APART_LINES = 0.4, 4  # share of the body's lines among those from its first to its last, which makes a list
LOST, LOST_SHARE = 500, 0.12  # bytes and share of the page's text below which a titled text introduces a list
LOST_LINKS = 0.85  # share of links on the page above which a titled text of fewer lines introduces them
SCATTERED_SHARE, SCATTERED = 0.45, 1_500  # share of the page's text below which a body of fewer bytes is an accident
LINK_PAGE_SHARE, LINK_PAGE = 0.6, 600  # share of links above which the page of a body of fewer bytes is links
SCRAP, SCRAPS, SCRAPS_SHARE = 60, 600, 0.7  # bytes of the longest line and of a body that is scraps; share of the text
SCRAPS_LINKS = 0.4  # share of links on the page of a body that is scraps
PROSE_LINE, PROSE_LINES = 150, 3  # bytes and number of lines that are no accident
AFTER_TITLE, TITLED = 6, 50  # lines from the title to a body that is surely the titled one, and bytes that it has

_GONE = re.compile(
    r"""^\W*(?:error\W*)?404\W*$ | \b404\W+(?:error|(?:page\ )?not\ found) | \berror\W+404\b | ^\W*not\ found\W*$
    | (?:page|article|story|content|file)\b.{0,20}\b(?:not|no\ longer|cannot\ be)\b.{0,12}\b(?:found|exists?|available)
    | (?:页面|文章|内容|网页|信息).{0,10}(?:不存在|已删除|被删除|已下线|找不到|无法找到)
    | (?:seite|page|página)\b.{0,12}(?:nicht\ gefunden|introuvable|no\ encontrada|não\ encontrada)""",
    re.IGNORECASE | re.VERBOSE,
)
_BLOCKED = re.compile(
    r"""captcha | (?:are\ you|you\ are|you.re)\ (?:a\ |not\ a\ )?(?:human|robot) | verify(?:ing)?\ (?:that\ )?you
    | just\ a\ moment | checking\ your\ browser | access\ (?:to\ this\ page\ )?(?:has\ been\ )?denied
    | unusual\ (?:traffic|activity) | request\ (?:was\ )?blocked | too\ many\ requests | security\ check
    | (?:安全|人机|滑动|访问)验证 | 请?(?:输入|完成)验证码? | 访问(?:过于|太)频繁 | (?:拒绝|禁止)访问
    | 访问被(?:拒绝|阻断|拦截)""",
    re.IGNORECASE | re.VERBOSE,
)
_SHELL = re.compile(
    r"""(?:enable|activate|turn\ on|requires?|needs?|without)\ (?:your\ )?java\s?script
    | java\s?script\ (?:is\ )?(?:disabled|required|needed|aktivieren) | (?:启用|开启|打开)\s?java\s?script""",
    re.IGNORECASE | re.VERBOSE,
)
NEEDS_SCRIPTS = "the page says that it needs JavaScript"
_HINTS = (
    "404", "found", "exist", "available", "不存在", "删除", "下线", "找不到", "无法", "gefunden", "introuvable",
    "encontrada",
    "captcha", "human", "robot", "verify", "moment", "checking", "denied", "unusual", "blocked", "too many", "security",
    "验证", "频繁", "拒绝", "禁止", "访问", "javascript", "java script",
)  # fmt: skip
_NOTICES = (
    (_GONE, "the page says that it is not there"),
    (_BLOCKED, "the site asks for a check or refuses access"),
    (_SHELL, NEEDS_SCRIPTS),
)


def refusal(parsed: ParsedPage, kept: list[int], expected: bool = False) -> str | None:
    """Return why the page with the body `kept` is no article, or None; `expected`: an example has its body there."""
    if parsed.page.refuse == "never":
        return None
    found = notice(parsed.lines, parsed.head.title)
    if found or not kept:
        return found
    types = {value.lower() for value in parsed.head.meta.get("og:type", ())}
    called = "article" in types or "article:published_time" in parsed.head.meta or bool(parsed.head.article)
    return _list_reason(parsed, kept, called, expected)


def notice(lines: Lines, title: str) -> str | None:
    """Return what a nearly empty page says instead of an article, or None."""
    if float((lines.width - lines.linked).sum()) > NOTICE_PAGE:
        return None
    short = [text for text in (title, *lines.texts) if len(text) <= NOTICE_LINE]
    said = "\n".join(short).lower()
    hints = [hint for hint in _HINTS if hint in said]  # cheaper than the expressions below
    for text in (text for text in short if hints and any(hint in text.lower() for hint in hints)):
        for form, reason in _NOTICES:
            if form.search(text):
                return f"{reason}: “{text[:80]}”"
    return None


def needs_scripts(lines: Lines, title: str) -> bool:
    """Return whether a nearly empty page says that it shows something only with JavaScript."""
    return (notice(lines, title) or "").startswith(NEEDS_SCRIPTS)


def _list_reason(parsed: ParsedPage, kept: list[int], called: bool, expected: bool) -> str | None:
    """Return why a page is a list, or None; `called`: it says that it is an article."""
    lines, url = parsed.lines, parsed.page.url
    within = slice(kept[0], kept[-1] + 1)
    linked = lines.are_links
    among = linked.copy()
    among[kept] = False
    strictness = 2 if called else 1
    entries = int(among[np.maximum(np.array(kept) - 1, 0)].sum())
    if entries >= ENTRIES and entries >= strictness * ENTRY_SHARE * len(kept):
        return f"a list: {entries} of {len(kept)} texts each follow a link"
    links = int(among[within].sum())
    share = float(lines.linked[within].sum() / lines.width[within].sum())
    if links >= AMONG_LINKS and share > strictness * AMONG_SHARE:
        return f"a list: its text stands among {links} lines of links"
    if called or expected:
        return None
    headings = int((lines.headings & linked)[within].sum())
    if headings >= LINKED_HEADINGS:
        return f"a list: {headings} headings are links"
    if url and _is_front(url):
        return "the site's front page"
    apart = len(kept) / (kept[-1] + 1 - kept[0])
    if len(kept) >= APART_LINES and apart < APART:
        return f"a list: its {len(kept)} texts stand apart, {apart:.0%} of the lines there"
    reason = _lost_reason(lines, kept)
    if reason:
        return reason
    near = parsed.prior.title >= 0 and 0 <= kept[0] - parsed.prior.title <= AFTER_TITLE
    if near and lines.width[kept].sum() >= TITLED:
        return None
    return _scraps_reason(lines, kept)


def _is_front(url: str) -> bool:
    parts = split_web(url)
    return parts is not None and parts.path in ("", "/") and not parts.query


def _weigh(lines: Lines, kept: list[int]) -> tuple[float, float, float]:
    """Return the bytes of a body, its share of the page's unlinked text, and the share of links on the page."""
    width = float(lines.width[kept].sum())
    share = width / max(1.0, float((lines.width - lines.linked).sum()))
    return width, share, float(lines.linked.sum() / lines.width.sum())


def _lost_reason(lines: Lines, kept: list[int]) -> str | None:
    """Return why a body is none even below its title: an introduction to what else is on the page."""
    width, share, links = _weigh(lines, kept)
    if width < LOST and share < LOST_SHARE:
        return f"a list: its only running text has {width:.0f} bytes, {share:.0%} of the page's text"
    if width < LINK_PAGE and links > LOST_LINKS and len(kept) < APART_LINES:
        return f"mostly links, and only {width:.0f} bytes of other text in one place"
    return None


def _scraps_reason(lines: Lines, kept: list[int]) -> str | None:
    """Return why a body without a title is none: too little of the page's text, or scraps."""
    width, share, links = _weigh(lines, kept)
    prose = int((lines.width[kept] >= PROSE_LINE).sum())
    if width < SCATTERED and share < SCATTERED_SHARE and prose < PROSE_LINES:
        return f"text in scraps: the largest piece has {width:.0f} bytes, {share:.0%} of the page's text"
    if width < LINK_PAGE and links > LINK_PAGE_SHARE:
        return f"mostly links, and only {width:.0f} bytes of other text in one place"
    if width < SCRAPS and share < SCRAPS_SHARE and links > SCRAPS_LINKS and np.max(lines.width[kept]) < SCRAP:
        return f"text in scraps: no line of it has {SCRAP} bytes"
    return None
