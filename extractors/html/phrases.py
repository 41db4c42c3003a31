"""Texts that templates add around bodies, in one table: short lines that begin, end or interrupt an article.

Each entry is the text of a whole line, without signs at its ends, unless its comment states otherwise. Only words that
many sites use; none names a site. Chinese words are in simplified characters, to which lines are converted first.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress

from ..expressions import expression

_TABLE = {
    # Headings after which other articles are offered.
    "related": r"""
        related(?: (?:articles?|stories|posts?|content|news|topics|(?:internet )?links|coverage|reading))?
        | more(?: (?:from|on|in|stories|news)\b.*)? | read (?:more|next|also)(?: .{1,20})?
        | recommended(?: (?:for you|stories|reading))? | see also | keep reading
        | you (?:may|might) also (?:like|enjoy|be interested in).*
        | (?:most|more) (?:read|popular|viewed|commented) | popular(?: (?:posts?|stories|now))?
        | trending(?: now)? | latest (?:news|stories|posts) | up next | what to read next | don.t miss
        | (?:editor.?s.?|our|staff|top) (?:picks?|choice|stories)
        | (?:you.ll|you may|might) (?:also )?(?:like|love).* | next (?:article|story|post)
        | (?:picked|selected|suggested) for you | around the web | from (?:our|the) (?:blog|archives?|web)
        | in other news
        | about the authors? | tags | filed under.* | share this(?: .{1,20})?
        | 相关(?:阅读|文章|新闻|推荐|链接|报道|内容) | (?:延伸|推荐|扩展|继续)阅读 | 猜你喜欢
        | (?:热门|最新|热点)(?:文章|推荐|新闻) | 更多(?:文章|新闻|精彩|推荐).*
        | (?:精彩|热门|编辑|为[您你]|今日|文章|好文)?(?:推荐|精选)(?:阅读|文章|内容)?
        | (?:大家|他们|网友)(?:都|也)?(?:在看|爱看|喜欢)
        | (?:阅读|点击|热度)?排行榜? | [上下]一篇.*
        | 分享到.* | 作者简介 | 关于作者 | mehr zum thema | lesen sie (?:auch|mehr).* | (?:à )?lire aussi
        | sur le même (?:sujet|thème) | (?:leia|veja) (?:também|mais) | lea también | te puede interesar
        | artículos relacionados | más información | leggi anche | sobre (?:la firma|el autor|la autora)""",
    # Headings of the readers' comments.
    "comments": r"""
        (?:\d+|no)\s+(?:comments?|responses?|replies|thoughts?|kommentare?|commentaires?|comentarios|comentários|条评论)\b.{0,50}
        | comments?\W*\d* | (?:leave|add|post|write) an?(?: new)? (?:comment|reply|response).{0,20} | responses
        | discussion | join the (?:conversation|discussion) | feedback | post (?:a )?comments?
        | (?:网友|最新|热门|全部|精彩|读者|相关|所有)?(?:评论|留言|跟[帖贴]|回[帖贴复])\W*\d*\W*条?
        | 发表(?:评论|回复).{0,6} | 我要评论
        | 共?\s*\d+\s*条(?:评论|留言)
        | (?:kommentare?|commentaires?|comentarios?|comentários?|комментарии)\W*\d*""",
    # Words of the page's own controls, within the body.
    "interface": r"""
        share(?: this)?(?: (?:article|story|post))?(?: on .{2,15})? | newsletter | sign up.{0,60}
        | subscribe.{0,60} | follow us.{0,40} | advert(?:isement|ising)?(?:\W+scroll to continue)?
        | story continues(?: below(?: this ad(?:vertisement)?)?)? | article continues (?:below|after).{0,30}
        | continue reading(?: below)? | (?:scroll (?:down )?|tap |click )to .{4,20} | loading | tweet | pin it
        | print | e-?mail | copy link | save | play(?: video)? | back to top | image \d+ of \d+ | sponsored
        | promoted | copied | 打印(?:本页|此页)?(?:\W*关闭(?:窗口)?)? | 关闭窗口 | 分享(?:到|至)? | 收藏 | 举报
        | (?:本[章页文节])?未完\W*(?:请)?(?:点击|翻)\W*下一页.{0,10}
        | 返回(?:顶部|列表|首页) | 点击(?:查看|.{0,20}关注).{0,20} | 扫(?:一扫|码).{0,20}
        | (?:字[体号]\W*)?大\W*中\W*小 | 广告 | anzeige | werbung | publicité | publicidad
        | реклама | إعلان | sus?cr[ií]bete.{0,40} | abonne[zn].{0,40}""",
}  # fmt: skip


def _compile(words: str) -> re.Pattern[str]:
    return expression(r"\W*(?:" + re.sub(r"\s+\|\s+", "|", words.strip()) + r")\W*$", re.IGNORECASE)


_LINE = {name: _compile(words) for name, words in _TABLE.items()}

SHORT, HEADING = 60, 40  # characters; a longer line is no control, no heading of related articles
MAX_BYLINE = 100  # characters of a line of date, author and source
MAX_LEAD = 250  # characters of a line that leads to another article
MAX_CREDIT = 300

_SENTENCE_END = tuple("。！？!?；;…”.")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DATE = expression(
    rf"""\b(?:19|20)\d\d\s?[-/.年]\s?\d{{1,2}}\s?[-/.月]\s?\d{{1,2}} | \b\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:19|20)\d\d
    | \b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d
    | \b\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:de\s+)?[^\W\d]{{3,10}}\.?,?\s+(?:de\s+)?(?:19|20)\d\d
    | \b\d{{1,2}}:\d{{2}}(?::\d{{2}})?\b.{{0,20}}$""",
    re.IGNORECASE | re.VERBOSE,
)
_TIME_OF_DAY = expression(r"\d{1,2}[:.]\d{2}(?::\d{2})?(?: ?(?:[ap]\.?m\.?|Uhr))?", re.IGNORECASE)
_BYLINE = expression(
    r"""(?:by|von|par|por|di|door)\s+(?-i:[A-Z])[\w.'’-]+(?:\s+[\w.'’-]+){0,5}$
    | \W*(?:reading\ time|\d+\ min(?:ute)?s?\ read|(?:last\ )?(?:updated|modified)(?:\ on)?
      |(?:posted|published|written)(?:\ (?:on|by))?\s?:?\b.{0,60}$)
    | [（(【\[]?原标题
    | .*(?:来源|作者|编辑|记者|浏览|阅读|点击|字号|字体|发布|更新|时间|日期|人气|撰文|出处|稿源)
      (?:次数|量|数|时间|日期|单位|人)?\s*[:：(（]""",
    re.IGNORECASE | re.VERBOSE,
)
_LEAD = expression(
    r"""\W*(?:see\ (?:also|more)|(?:also\ )?read\ (?:more|also|next)|related|more|watch(?:\ now)?|also\ read|recommended
    |don.t\ miss|learn\ more|up\ next|click\ here|相关(?:阅读|文章|新闻|推荐)?|(?:延伸|推荐)阅读|更多)\s*[:：|»>]""",
    re.IGNORECASE | re.VERBOSE,
)
_LEAD_SIGN = expression("[:：|»>]")  # every lead contains one; cheaper than the whole expression
_END = expression(
    r"\s*[（(【\[]?\s*(?:责任编辑|责编|本文编辑|编辑|校对|审核|终审|初审|监制)\s*[:：/／丨|]"
    r"|\s*[（(【\[](?:编辑|责编)\s"
)
_TAIL = expression(
    r"""\W*(?:责任编辑|责编|编辑|转载请|版权|(?:特别|郑重|平台|广告)?声明|原标题|免责|本文来源|来源\s*[:：]|更多精彩|关注|扫描
    |(?:标签|关键[词字]|热词(?:搜索)?)\s*[:：]
    |.*(?:信息存储(?:空间)?服务|information\ storage\ service|不构成投资建议|(?:禁止|严禁)(?:擅自)?转载
      |未经.{0,20}(?:授权|许可|同意|允许)\W*(?:不得|禁止|严禁|请勿))
    |filed\ under|tags?\s*:|categories\s*:
    |posted\ (?:in|by|on)|share\ this
    |follow\ (?:us\b|him\b|her\b|them\b|me\b|.{2,40}\ on\ (?:facebook|twitter|x|instagram|linkedin)\b)
    |subscribe|sign\ up|copyright|©|\(c\)
    |all\ rights\ reserved
    |click\ here\ to|contact\ (?:reporter|us|the)|read\ more|related|comments?$|\d+\ comments?|advertisement
    |this\ (?:story|article)\ (?:was\ )?originally|like\ this|loading)""",
    re.IGNORECASE | re.VERBOSE,
)
_CREDIT = expression(
    r"""^image\ (?:copyright|caption)\b
    | \((?:ap|afp|reuters|getty|photo|image|file\ photo|courtesy|credit(?!/))\b(?!,)[^()]{0,80}\)\W*$
    | ^[(\[]\W*(?:image|photo|picture)s?\s?(?:via|by|from|credit|courtesy|source)\b[^()\[\]]{0,80}[)\]]\W*$
    | ^(?:photo(?:graph)?s?|image|picture|credit)\s?(?:by|credit|courtesy)?\s?[:：].{0,80}$
    | \bsign\ up(?:\ (?:for|to)\b.{2,60})?\ here\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_NOTICE = expression(
    r"""ICP\s?[备证] | 版权(?:所有|声明|归) | 转载请 | 转载时 | 免责声明 | 不代表本[站网]
    | all\ rights\ reserved | \bcopyright\s*(?:©|\(c\)|\d{4}) | ©\s*\d{4} | \bsubject\ to\ copyright""",
    re.IGNORECASE | re.VERBOSE,
)
_CREDIT_INITIALS = frozenset("iIpPcC[")
_SIMPLIFIED = str.maketrans(
    "關閱讀聞薦報導內續歡廣擴熱門點擊評論貼復責編輯審聲權轉載來時間發佈記瀏覽數號體標題備證簡掃碼頁頂舉鏈專嚴絕對終監製",
    "关阅读闻荐报导内续欢广扩热门点击评论贴复责编辑审声权转载来时间发布记浏览数号体标题备证简扫码页顶举链专严绝对终监制",
)


def is_heading_of(kind: str, text: str) -> bool:
    """Whether the whole line is one of the table's lines of that kind."""
    return len(text) <= (HEADING if kind == "related" else SHORT) and _is_line_of(kind, text)


@lru_cache(8_192)  # the pages of a section have the same short lines
def _is_line_of(kind: str, text: str) -> bool:
    return _LINE[kind].match(simplified(text)) is not None


def simplified(text: str) -> str:
    """Return a text with simplified characters where the words of this module have them."""
    return text if text.isascii() else text.translate(_SIMPLIFIED)


def lines_of(kind: str, texts: list[str], lines: Sequence[int]) -> list[int]:
    """Return those of some lines that, as a whole, are one of the table's lines of that kind."""
    return [line for line in lines if is_heading_of(kind, texts[line])]


def ends_among(texts: list[str], lines: Sequence[int]) -> list[int]:
    """Return those of some lines that name the editor, as Chinese articles do at their end."""
    return [line for line in short_lines(texts, lines, SHORT) if _END.match(simplified(texts[line]))]


def short_lines(texts: list[str], lines: Sequence[int], longest: int) -> list[int]:
    """Return those of some lines that have at most `longest` characters."""
    return [line for line in lines if len(texts[line]) <= longest]


def is_byline(text: str) -> bool:
    """Whether a line near the title gives date, author or source."""
    return may_be_byline(text) and (_DATE.search(text) is not None or _BYLINE.match(simplified(text)) is not None)


def may_be_byline(text: str) -> bool:
    """Whether a line is short and not a sentence."""
    return len(text) <= MAX_BYLINE and text.rstrip()[-1:] not in _SENTENCE_END


def is_time_of_day(text: str) -> bool:
    """Whether a line is a time of day and nothing else."""
    return _TIME_OF_DAY.fullmatch(text) is not None


def is_lead(text: str) -> bool:
    """Whether a line announces another article ("Read also: …")."""
    return len(text) <= MAX_LEAD and _LEAD_SIGN.search(text) is not None and _LEAD.match(simplified(text)) is not None


def is_tail(text: str) -> bool:
    """Whether a line at the end belongs to the template: copyright, tags, invitations."""
    return len(text) <= MAX_CREDIT and any(form.match(simplified(text)) for form in (_TAIL, _END))


def is_notice(text: str) -> bool:
    """Whether a line contains a legal notice or a notice of the publisher, which are common below articles."""
    return len(text) <= MAX_CREDIT and _NOTICE.search(simplified(text)) is not None


def credits_among(texts: list[str], lines: Sequence[int]) -> list[int]:
    """Return those of some lines that are the credit of a picture, or end with "Sign up here"."""
    short = short_lines(texts, lines, MAX_CREDIT)
    signs = ("(" in texts[line] or texts[line][0] in _CREDIT_INITIALS or "here" in texts[line][-6:] for line in short)
    possible = list(compress(short, signs))
    return [line for line in possible if _CREDIT.search(texts[line])]
