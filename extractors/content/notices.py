"""What a page has instead of an article: a soft 404, a block or captcha, a shell that needs JavaScript.

Most say so in a notice. Strategy for an empty shell, whose text appears only after its scripts have run: no scripts →
no; text to read → no; a notice that the page needs JavaScript → yes; almost no visible text, or an empty container for
scripts to fill → yes.

This check is cautious: if a page is classified as a shell, its whole section is rendered in a browser. If a page has a
frame of links and no article, it is unknown whether its scripts would add one.
"""

import re

from lxml import etree

from ..article import CHECK, GONE
from ..errors import UnusablePage
from ..expressions import expression
from ..html.dom import inner_text, parse
from ..html.lines import Lines, read_lines
from ..html.paths import PathTrie
from ..metadata.declared_metadata import read_head
from ..page import Page

NOTICE_PAGE = 3_000  # bytes of unlinked text; a page with more is not a notice
NOTICE_BODY = 1_000  # bytes of the body; a page with more has another content
NOTICE_LINE = 160  # characters of a line that may be a notice
MIN_TEXT = 40  # bytes of visible text; "Loading …" and "Enable JavaScript" are shorter, every article is longer

_GONE = expression(
    r"""^\W*(?:error\W*)?404\W*$ | \b404\W+(?:error|(?:page\ )?not\ found) | \berror\W+404\b | ^\W*not\ found\W*$
    | (?:page|article|story|content|file)\b.{0,20}\b(?:not|no\ longer|cannot\ be)\b.{0,12}\b(?:found|exists?|available)
    | (?:页面|文章|内容|网页|信息).{0,10}(?:不存在|已删除|被删除|已下线|找不到|无法找到)
    | (?:seite|page|página)\b.{0,12}(?:nicht\ gefunden|introuvable|no\ encontrada|não\ encontrada)""",
    re.IGNORECASE | re.VERBOSE,
)
_BLOCKED = expression(
    r"""captcha | (?:are\ you|you\ are|you.re)\ (?:a\ |not\ a\ )?(?:human|robot) | verify(?:ing)?\ (?:that\ )?you
    | just\ a\ moment | checking\ your\ browser | access\ (?:to\ this\ page\ )?(?:has\ been\ )?denied
    | unusual\ (?:traffic|activity) | request\ (?:was\ )?blocked | too\ many\ requests | security\ check
    | (?:安全|人机|滑动|访问)验证 | 请?(?:输入|完成)验证码? | 访问(?:过于|太)频繁 | (?:拒绝|禁止)访问
    | 访问被(?:拒绝|阻断|拦截)
    # Outages; whole lines only, since offices announce maintenance, too
    | ^\W*(?:系统|网站|本站|站点|服务器|平台)(?:正在|进行|系统)*(?:升级|维护){1,2}中?(?:\W?请?稍[后候].{0,10})?\W*$
    | ^(?=.{0,60}$)(?:.{0,30}\W)?(?:under|undergoing|down\ for)(?:\ (?:scheduled|planned|routine))?\ maintenance\W*$
    | ^\W*we.ll\ be\ (?:right\ )?back(?:\ (?:soon|shortly))?\W*$
    | ^\W*(?:50[0234]\W+)?(?:service\ (?:temporarily\ )?unavailable|bad\ gateway|gateway\ time-?out)\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_SHELL = expression(
    r"""(?:enable|activate|turn\ on|requires?|needs?|without)\ (?:your\ )?java\s?script
    | java\s?script\ (?:is\ )?(?:disabled|required|needed|aktivieren) | (?:启用|开启|打开)\s?java\s?script""",
    re.IGNORECASE | re.VERBOSE,
)
NEEDS_SCRIPTS = "the page requires JavaScript"
_NOTICES = ((_GONE, GONE), (_BLOCKED, CHECK), (_SHELL, NEEDS_SCRIPTS))
SHELL_TEXT = 200  # bytes of visible text; a shell's frame (a logo, "Loading …") has less, a page with an article more
LOADING_TEXT = 60  # bytes in a container that is empty otherwise, such as "Loading …"
DATA_TYPES = ("json", "template", "importmap", "speculationrules")  # parts of the types of scripts that are only data
CONTAINERS = frozenset({"div", "main", "section", "article"})


def notice(lines: Lines, title: str, headings: list[str], kept: list[int]) -> str | None:
    """Return the notice that a nearly empty page has instead of an article, or None.

    The notice is in its title, a heading or its body; a line in a footer ("protected by reCAPTCHA") does not count.
    """
    body_width = sum(map(lines.widths.__getitem__, kept))
    if body_width > NOTICE_BODY or sum(lines.widths) - sum(lines.linked_bytes) > NOTICE_PAGE:
        return None
    body = (lines.texts[line] for line in (kept or range(len(lines))))
    short = [text for text in (title, *headings, *body) if len(text) <= NOTICE_LINE]
    for text in short:
        for form, reason in _NOTICES:
            if form.search(text):
                return f"{reason}: “{text[:80]}”"
    return None


def is_shell(page: Page) -> bool:
    """Return whether the page has almost no visible text until its scripts have run. Never raises."""
    try:
        root = parse(page.encoded())
    except UnusablePage:
        return False
    if not has_scripts(root):
        return False
    lines = read_lines(root, PathTrie())
    if (notice(lines, read_head(root).title, [], []) or "").startswith(NEEDS_SCRIPTS):
        return True
    width = float(lines.width.sum())
    return width < MIN_TEXT or (width < SHELL_TEXT and any(map(_waits, root.iter(etree.Element))))


def has_scripts(root: etree._Element) -> bool:
    """Return whether a page has a script that runs."""
    return any(
        not any(kind in script.get("type", "").lower() for kind in DATA_TYPES)
        and (script.get("src") or (script.text or "").strip())
        for script in root.iter("script")
    )


def _waits(element: etree._Element) -> bool:
    """Return whether a container that scripts can find by name, or a custom element (<app-root>), is still empty."""
    if (element.get("id") is None or element.tag not in CONTAINERS) and "-" not in str(element.tag):
        return False
    return next(element.iter("a", "script", "img"), None) is None and len(inner_text(element).strip()) <= LOADING_TEXT
