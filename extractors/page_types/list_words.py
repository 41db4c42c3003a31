"""Words and signs that distinguish lists from articles, in English and Chinese; one table, kept short."""

import re
from functools import cache
from typing import Any, NamedTuple

import re2

from ..expressions import expression

DATE = expression(
    r"""(?=[\djfmasond昨\s])(?:  # every date begins with one of these, which is cheaper than to try all forms
    (?<!\d)(?:19|20)\d\d\s?[-/.年]\s?\d\d?(?:\s?[-/.月]\s?\d\d?)?(?!\d)
    | (?<!\d)\d\d?[-/.]\d\d?[-/.](?:19|20)\d\d(?!\d)
    | \b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s+\d\d?(?:st|nd|rd|th)?\b
    | (?<!\d)\d\d?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b
    | \d+\s?(?:小时|分钟|天|周|个月)前 | \b\d+\s?(?:min(?:ute)?|hour|hr|day|week|month)s?\ ago\b
    | 昨天 | \d\d?月\d\d?日 | (?:^|\s)\d\d-\d\d$)""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
MORE = expression(
    r"""\b(?:read|learn|see|view|show|load|find\ out)\ (?:the\ |full\ |it\ )?(?:more|all|article|story|post|details)\b
    | \b(?:continue|keep)\ reading\b | \b(?:add\ to\ (?:cart|basket)|quick\ view|apply\ now|view\ product)\b
    | 阅读(?:全文|更多|原文) | 查看(?:更多|全部|全文|详[情细]) | 加载更多 | 更多[>»]* $ | \[(?:…|\.{3}|&hellip;)\]""",
    re.IGNORECASE | re.VERBOSE,
)
PAGER = expression(
    r"""^\W*(?:next|prev(?:ious)?|older|newer|first|last)(?:\ (?:page|posts|entries|articles|stories))?\W*$
    | ^\W*(?:上|下|前|后)一?页\W*$ | ^\W*(?:首|末|尾)页\W*$ | ^page\ \d+\ of\ \d+ | 共\s?\d+\s?[页条]
    | \b\d+\s?[-–]\s?\d+\ of\ [\d,]+ | \b[\d,]+\ (?:results|products|items|courses|jobs|topics|threads)\b""",
    re.IGNORECASE | re.VERBOSE,
)
SORTING = expression(
    r"""^\W*(?:sort|filter|order|refine|narrow)(?:ed)?\b.{0,30}$ | \bsort\ by\b | \bfilters?\b.{0,3}$ | \bclear\ all\b
    | ^(?:排序|筛选|按.{1,6}排序)""",
    re.IGNORECASE | re.VERBOSE,
)
PRICE = expression(r"[$€£¥￥]\s?\d|\d\s?(?:€|元\b|USD\b|EUR\b)")
NEIGHBOUR = expression(  # links to one article before and after: articles have them
    r"^\W*(?:(?:上|下|前|后)一?[篇章]|(?:previous|next|older|newer) (?:article|post|story))\b", re.IGNORECASE
)
BYLINE = expression(
    r"""^\W*(?:[Bb]y|BY)\s+[A-Z][\w.'-]+ | \b(?:[Ww]ritten|[Pp]osted|[Pp]ublished|[Rr]eported|[Ee]dited)\ (?:by|on|at)\b
    | \bmin(?:ute)?s?\ read\b | ^\W*(?:来源|作者|编辑|责编|责任编辑|记者|文\s?[/／|｜])\s?[:：/／|｜]?
    | 发[布表]于 | (?:阅读|浏览|点击)(?:量|数|次数)?\s?[:：(（]""",
    re.VERBOSE,
)
ENDING = expression(  # lines below an article
    r"""责(?:任编辑|编) | \b(?:share\ this|filed\ under|about\ the\ author|leave\ a\ (?:reply|comment))
    | \brelated\ (?:posts|articles|stories)
    | 相关(?:阅读|文章|新闻|推荐) | 版权声明 | 本文(?:来自|作者|链接|地址) | 转载请""",
    re.IGNORECASE | re.VERBOSE,
)


class Sign(NamedTuple):
    """Words in short lines of lists or articles. `parts`: each match of `form` contains one of them, in lower case.

    The parts are searched for first, which takes a fraction of the time.
    """

    form: re.Pattern[str]
    parts: tuple[str, ...]


SIGNS = {
    "dates": Sign(DATE, (
        "19", "20", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", " ago", "-",
        "月", "前", "昨天",
    )),
    "more": Sign(MORE, (
        "read ", "learn ", "see ", "view ", "show ", "load ", "find out ", " reading", "add to ", "quick view",
        "apply now", "阅读", "查看", "更多", "[",
    )),
    "pagers": Sign(PAGER, (
        "next", "prev", "older", "newer", "first", "last", "页", "共", "page ", " of ", " results", " products",
        " items", " courses", " jobs", " topics", " threads",
    )),
    "sorting": Sign(SORTING, ("sort", "filter", "order", "refine", "narrow", "clear all", "排序", "筛选")),
    "prices": Sign(PRICE, (*"$€£¥￥元", "usd", "eur")),
    "neighbours": Sign(NEIGHBOUR, ("篇", "章", " article", " post", " story")),
    "bylines": Sign(BYLINE, (
        "by", "written", "posted", "published", "reported", "edited", " read", "来源", "作者", "编辑", "责编", "记者",
        "文", "发布于", "发表于", "阅读", "浏览", "点击",
    )),
    "endings": Sign(ENDING, (
        "责任编", "责编", "share this", "filed under", "about the author", "leave a ", "related ", "相关", "版权",
        "本文", "转载请",
    )),
}  # fmt: skip

_PARTS = tuple(dict.fromkeys(part for sign in SIGNS.values() for part in sign.parts))


def parts_in(text: str) -> set[str]:
    """Return which parts of the signs a text in lower case contains; all are searched for at once."""
    return {_PARTS[number] for number in _searched_parts().Match(text) or ()}


@cache
def _searched_parts() -> Any:
    found = re2.Set.SearchSet()
    for part in _PARTS:
        found.Add(re2.escape(part))
    found.Compile()
    return found


CUT_OFF = expression(r"(?:…|\.{3}|\.\.\.\]|…\])\s*(?:read more|more|»|>)?\W*$", re.IGNORECASE)
SENTENCE = expression(  # begins with one set of characters, which `re` looks for quickly
    r"[.!?。！？](?:(?<=[.!?])['\"”’)]?(?:\s+(?=[A-Z0-9\"“‘'])|$)|(?<=[。！？])[”’」』)）]?)"
)
LIST_TITLE = expression(
    r"""\b(?:archives?|categor(?:y|ies)|catalog(?:ue)?|tags?|topics?|blog|news|latest|browse|search|results|directory
    |listings?|collections?|shop|store|forums?|products?|jobs|events|courses|page\ \d+|home|index|all)\b
    | 列表|归档|标签|分类|频道|栏目|首页|大全|专题|搜索|第\d+页""",
    re.IGNORECASE | re.VERBOSE,
)
LIST_ADDRESS = expression(
    r"""^(?:categor(?:y|ies)|catalog|cat|c|tags?|topics?|archives?|blog|news|lists?|index|search|browse|collections?
    |products?|shop|store|forums?|subject|directory|events?|jobs|courses|latest|recent|all|posts|articles|stories
    |sections?|author|market|default|home|pages?)$""",
    re.IGNORECASE | re.VERBOSE,
)
ARTICLE_ADDRESS = expression(
    r"^(?:articles?|story|stories|posts?|news|show|detail|content|view|p|a|read|item|entry|archives?)$", re.IGNORECASE
)
PAGE_ADDRESS = expression(
    r"(?:^|[?&/])(?:page|paged|p|pg|pn|offset|start)[=/]\d+|(?:^|/)(?:list|index|page)[_-]\d+", re.IGNORECASE
)
LIST_CLASS = expression(
    r"(?:^|[\s_-])(?:archive|category|home|blog|tag|tax|list|listing|index|search|front|collection|catalog|shop|forum"
    r"|hub|landing|section|directory)(?=$|[\s_-])",
    re.IGNORECASE,
)
ARTICLE_CLASS = expression(
    r"(?:^|[\s_-])(?:single|article|post|story|postid|detail|entry|news-?item|content-?page)(?=$|[\s_-])", re.IGNORECASE
)
