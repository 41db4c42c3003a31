"""Title, date, author and the rest: from JSON-LD, then meta elements, then the visible text around the body.

Declarations are read in `declared_metadata`; visible forms (bylines, dates) are looked for in the text lines just
before and at the beginning of the body.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from ..expressions import expression
from ..html.decoding import without_controls
from ..html.lines import Lines
from ..html.phrases import may_be_byline
from ..html.urls import split_web, web_url
from ..page import Page
from . import json_ld
from .dates import day_of, find_date, is_day_with_weekday, may_hold_date
from .declared_metadata import (
    AUTHOR,
    DESCRIPTION,
    IMAGE,
    KEYWORDS,
    LANGUAGE,
    SITE,
    SOURCE,
    TAGS,
    TDM,
    TITLE,
    URL,
    Head,
    clean,
)
from .language import find_language
from .times import Nearby, declared_times, find_modified, find_published, in_zone_of
from .titles import LIKE, PageTitles, begins_title, find_title, page_titles, shared_names, title_likeness

LINES_BEFORE, LINES_WITHIN, LINES_AFTER = 15, 5, 8  # lines before the body, its first ones, and those that follow it
LINES_ABOVE = 3  # lines above a title that stands farther from the body: contents or pictures are between them
MAX_BYLINE = 200  # characters; longer lines are prose
LANGUAGE_LINES = 10  # lines of the body by which its language is determined

NOBODY = frozenset({"未知", "本站", "网络", "互联网", "不详", "佚名"})  # entries that mean an unknown author
NO_NAMES = NOBODY | {  # placeholders of templates for a name, in lower case
    "undefined", "null", "none", "nan", "n/a", "unknown", "author", "author name", "your name", "作者",
    "discuz! team and comsenz ui team",
}  # fmt: skip
ACCOUNTS = frozenset({  # accounts that, as the site's own names, count as authors only if the page names no other
    "admin", "administrator", "superadmin", "webmaster", "root", "user", "test", "管理员", "超级管理员", "站长",
})  # fmt: skip
_LIST_SEPARATOR = expression(r"[,，;；、|]")
# The forms of bylines are searched in several lines at once, so none may extend into the next line.
# A Chinese name or a Latin one, the latter with spaces: names end where another script, a sign or a digit begins.
_NAME = r"(?:[^\W\d_A-Za-z][^\s|｜/；;，,。（(\])）】》\[]{0,29}|[A-Za-z][\w.'’-]*(?: [A-Za-z][\w.'’-]*){0,5})"
# After a name or a role, so that labels are none: names with a common surname, those of two characters also spaced out
_ROLE = r"(?:[\u4e00-\u9fff]{0,12}(?:[记記]者|通讯员|撰稿人|专栏作者))"
_PERSON = (
    "(?:(?!马上|高清)[王李张刘陈杨黄赵周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏"
    "钟汪田任姜范姚谭廖邹熊陆郝孔崔康毛邱秦顾侯邵孟龙段雷钱汤尹黎易武乔贺赖龚張劉陳楊黃趙吳孫馬羅鄭謝韓馮蕭許蘇盧蔣賈葉閻鍾譚鄒陸顧錢湯賴]"
    r"(?:[\u4e00-\u9fff]{1,2}|[ \u3000]{1,2}[\u4e00-\u9fff])(?![\u4e00-\u9fff]| ?[:：]))"
)
_ANYONE = r"(?!报道|摄影|综合|整理)[\u4e00-\u9fff]{2,3}(?![\u4e00-\u9fff:：])"
_PEOPLE = rf"(?:[ \u3000]{{0,3}}(?:[、，,/／ \u3000]|{_ROLE})[ \u3000]{{0,3}}{_ROLE}?[ \u3000]{{0,3}}{_PERSON})*"
_BETWEEN_PEOPLE = expression(r"[、，,/／ \u3000]+|(?<![报刊网台社站约习])通讯员")
_BEFORE_PERSON = expression("^.*(?:[记記]者|通讯员|撰稿人|专栏作者)|等$|^.+(?:网|日报|晚报)$")
_SPACED_OUT = expression(r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff])[ \u3000]+([\u4e00-\u9fff])(?![\u4e00-\u9fff])")
_COLON = r"[ \u3000]*[:：][ \u3000]*"
_SOURCE = expression(rf"(?:来源|稿源|来自){_COLON}[《【]?(?!作者|时间)({_NAME})")
_AUTHOR = expression(
    rf"(?:(?:作者|撰[文稿]|[记記]者|文字|(?<![\u4e00-\u9fff])文){_COLON}"
    rf"|(?:作者|撰文|记者|文(?:[/、]?图)?) ?[|｜/丨] ?(?!图))"
    rf"((?:{_ROLE}?[ \u3000]{{0,3}}{_PERSON}|{_ROLE}[ \u3000]{{1,3}}{_ANYONE}|{_NAME}){_PEOPLE})"
)
# “（记者 王小明 通讯员 李四）” at the beginning of a text or at its end
_WRITER = r"(?:[记記]者|通讯员|文[/／](?:[^\s（()）]{2,10}[ \u3000])?)"
_REPORTERS = rf"[（(〔][^（()）\n]{{0,12}}{_WRITER}[ \u3000]{{0,2}}{_PERSON}[^（()）\n]{{0,50}}[)）〕]"
_LED, _SIGNED = expression(rf"^.{{0,40}}?({_REPORTERS})"), expression(rf"({_REPORTERS})\W*$")
_WORD = r"(?!(?:Writing|Editing|Additional)\b)[A-Z][\w.'’-]*"
_FULL_NAME = rf"{_WORD} {_WORD}(?: {_WORD})?"
# A comma is followed by a name only in an enumeration: “By Ada Miller, Boston Globe”
_BY_NAME = (
    rf"(?:[Bb][Yy]:?|\b[Aa]uthors?:) +({_FULL_NAME}(?:, {_FULL_NAME}){{0,3}}"
    rf"(?:,? (?:and|&) {_FULL_NAME}|(?=, Staff (?:Writer|Reporter)s))|{_WORD}(?: +(?:and +)?{_WORD}){{0,5}})"
)
_BYLINE = expression(rf"^(?:(?:[Ww]ritten|[Pp]osted|[Ss]tory|WRITTEN|Words|Reporting) +)?{_BY_NAME}", re.MULTILINE)
_WITH_ROLE = expression(
    rf"^({_FULL_NAME}), +(?:[A-Z]\w+ ){{0,3}}(?:Writer|Reporter|Correspondent|Editor)$|(?:^|[\s□■])({_PERSON})[/／]文",
    re.MULTILINE,
)
# “March 5, 2024 | by Ada Miller”; of 2,438 stored pages it adds four names, each of them as declared
_DATED_BYLINE = expression(
    rf"^(?=[^|｜·•\n]*\b(?:19|20)\d\d\b)(?:[^|｜·•\n]{{4,60}}[|｜·•] *"
    r"|(?:[\w:]+ ){0,4}(?:[A-Z][a-z]{2,8}\.? \d\d?,? \d{4}|\d\d? [A-Z][a-z]{2,8} \d{4}|[12]\d{3}-\d\d-\d\d)"
    rf"(?:,? (?:at )?\d\d?:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?)? ){_BY_NAME}",
    re.MULTILINE,
)
# “Ada Miller · March 5, 2024”, unless a line after it in `Nearby.before`, such as one above the title, has the same
# words: a section's name. Of 2,438 stored pages it adds two names; after a date, sections are as frequent as names
_NO_NAME = r"[^|｜·•—–\n]*\b(?:Blog|Minutes|News|Notes|Posts?|Press|Releases?|Reports?|Stud(?:y|ies)|Updates?)\b"
_DAY = (
    r"(?:(?:[MTWFS][a-z]{2,8},? )?(?:[A-Z]\w+\.? \d\d?(?:st|nd|rd|th)?,? |\d\d?\.? [A-Z]\w+\.?,? )(?:19|20)\d\d"
    r"|(?:19|20)\d\d(?:[-/.]\d\d?){2}|\d\d?([-/.])\d\d?\2(?:19|20)\d\d)\b"
)
CITED = "citation_author"  # one name each, as bibliographies write it
_SURNAME_FIRST = expression(r"^([^,]+), ([^,]+)$")
_NAME_AND_DAY = expression(
    rf"^(?!{_NO_NAME})({_WORD}(?: {_WORD}){{1,3}}) *[|｜·•—–] *{_DAY}(?!(?s:.*)\1)", re.MULTILINE
)
_REPORTER = expression(
    rf"{_WRITER}[ \u3000]{{0,2}}((?:{_PERSON}|[\u4e00-\u9fff]{{2,4}}?(?<![摄攝])){_PEOPLE})"
    r"(?=[\s）)]|[/／](?![摄攝])|(?:摄影|综合)?报道|$)|^([가-힣]{2,4}) ?기자(?=\s|$)",
    re.MULTILINE,
)
_SOURCE_FORMS = (_SOURCE,)
_AUTHOR_FORMS = (_AUTHOR, _BYLINE, _DATED_BYLINE, _REPORTER, _WITH_ROLE, _NAME_AND_DAY)
_EDITOR = expression(r"(?:责编|编辑) ?[:：] ?([\u4e00-\u9fff]{2,4})(?![\u4e00-\u9fff])")
_OF_TODAY = expression(r"^(?:.{0,15}(?:今天|今日)是|(?:现在|当前)时间|\W*[Tt]oday(?:\s*[:：]|\s+is\b))")
_NEXT_LABEL = expression(
    r"(?:作者|编辑|记者|责编|时间|日期|来源|字号|(?:浏览|阅读|点击)[量数]?)\s*[:：].*|(?:阅读|浏览|点击|评论|人气)[\d\s(（)）]*$"
    r"|【.*|(?:19|20)\d\d[-/.年].*",
    re.DOTALL,
)
_LEADING_SOURCE = expression(r"^\s*来源\s*[:：]\s*")
_LEADING_BY = expression(
    r"^\W*(?:(?:(?:written|posted|authored) )?by\b|author\s*[:：]|(?:作者|撰文|记者|文)\s*[:：/])?\W*", re.IGNORECASE
)
# … and in other languages, where two words follow, since Von and Di are names, too
_LEADING_LABEL = expression(
    r"^(?:(?:von|par|por|di|door|av|af)\s(?=\S+\s\S)|(?:aut[eo]u?r[ae]?|автор|текст|του|της)\b\s*[:：]?|(?:بقلم|מאת|โดย)[\s:]*)\s*",
    re.IGNORECASE,
)
_NAME_END = expression(r"[\s\-–—|·,/]+$")
_PLACEHOLDER = expression(  # {{author}} · ${author} · %author% · <author> · [author] · page.meta.author
    r"[{}<>]|^%.*%$|^\[.*\]$|^[a-z_]{2,}(?:\.[a-z_]{2,}){2,}$", re.ASCII
)
_ADDRESS = expression(
    r"https?:|www\.|@|facebook\.com|^#"
)  # addresses that some sites have in place of the author's name


def read_metadata(
    head: Head, lines: Lines, kept: list[int], title_line: int, page: Page, others: Sequence[PageTitles] = ()
) -> dict[str, Any]:
    """Return the fields of `Article` about a page whose body is the `kept` lines.

    `title_line` repeats its title, or is -1; `others`: titles of other pages of its section.
    """
    base = head.base_url(page)
    nearby = lines_around(lines, kept, title_line, page)
    sample = " ".join(lines.texts[index] for index in kept[:LANGUAGE_LINES])
    language = find_language(head.language or head.first(LANGUAGE), sample)
    dated = dated_lines(nearby, head, language)
    canonical = web_url(base, head.canonical) or web_url(base, head.first(URL))
    site_name = _first(text_places(head, SITE, "publisher"))
    declared = _declared_titles(head)
    repeated = [lines.texts[title_line]] if title_line >= 0 else []
    if not (head.headings or repeated):
        repeated = sorted((line for line in nearby.before if begins_title(line, head.title)), key=len)[-1:]
    whole = "" if not any(declared) and _is_above_headline(lines, kept, title_line, head) else head.title
    published = find_published(head, dated, page, [other.times for other in others])
    host = _host(page.url or canonical or "")
    return {
        "canonical_url": canonical,
        "title": find_title(
            declared, whole, head.headings, site_name, host, repeated, shared_names(head.title, others)
        ),
        "published": published,
        "modified": in_zone_of(published, find_modified(head, dated, page)),
        "author": find_author(head, nearby, page),
        "source": find_source(head, nearby),
        "keywords": next((words for _, words in keyword_places(head)), ()),
        "language": language,
        "description": _first(text_places(head, DESCRIPTION, "description")),
        "site_name": site_name,
        "image": next(filter(None, (web_url(base, url) for _, url in image_places(head))), None),
        "robots_meta": tuple(head.robots),
        "tdm_meta": head.first(TDM).strip() or None,
    }


def titles_of(head: Head) -> PageTitles:
    """Return the titles of a page, as other pages of its section need them."""
    return page_titles([head.title, *head.titles(), *_declared_titles(head)], head.headings, declared_times(head))


def _declared_titles(head: Head) -> list[str]:
    headlines = map(html.unescape, json_ld.texts(head.article.get("headline")))
    return [head.first(TITLE), *map(without_controls, headlines)]


def _is_above_headline(lines: Lines, kept: list[int], title_line: int, head: Head) -> bool:
    """Whether another <h1> in other words stands between the line that repeats the page's <title> and the body.

    Then the <title> is the site's name, and so it is if no line repeats it.
    """
    end = kept[0] + 1 if kept else 0
    tags, places, blocks = lines.outline.tags, lines.outline.places, lines.blocks
    other = (line for line in range(title_line + 1, end) if title_line < 0 or blocks[line] is not blocks[title_line])
    above = [lines.texts[line] for line in other if tags[places[line]] == "h1"]
    return bool(above) and title_likeness(above[-1], head.title) < LIKE


def lines_around(lines: Lines, kept: list[int], title_line: int, page: Page) -> Nearby:
    """Return the short lines where date, author and source are printed.

    First the lines after the title, then those before the body and above the title, but not the day that many sites
    show above all pages, in words for today or, higher than directly above the title, as the day of the fetch; from the
    body's first lines, and those left out between them, only lines in the form of a byline, and its last line and the
    one after it if they name an author. The lines that follow the body are returned separately.
    """
    texts, tags, places = lines.texts, lines.outline.tags, lines.outline.places
    start, end = (kept[0], kept[-1] + 1) if kept else (0, 0)
    top = title_line if 0 <= title_line < start else start
    title = min(top + 1, start)
    below = range(title, min(start, title + LINES_BEFORE))
    above = (*range(max(0, start - LINES_BEFORE), start), *range(max(0, title - LINES_ABOVE), title))
    order = dict.fromkeys((*below, *above))
    before = [texts[index] for index in order if index >= top - 1 or not _is_day_of_fetch(texts[index], page)]
    within = range(start, kept[:LINES_WITHIN][-1] + 1)[:LINES_BEFORE] if kept else range(0)
    own, foot = (  # without quoted texts, which have bylines of their own
        [texts[index] for index in part if tags[places[index]] != "blockquote" and may_be_byline(texts[index])]
        for part in (within, range(end - 1, min(end + 1, len(texts))) if kept else ())
    )
    before += own + (foot if _first_match(_AUTHOR_FORMS, foot) else [])
    signed = (*(_LED.match(texts[index]) for index in kept[:2]), *(_SIGNED.search(texts[index]) for index in kept[-1:]))
    before += [found[1] for found in signed if found]
    after = texts[end : end + LINES_AFTER]
    before = [text for text in before if len(text) <= MAX_BYLINE and not _OF_TODAY.search(text)]
    return Nearby(before, [text for text in after if len(text) <= MAX_BYLINE])


def _is_day_of_fetch(line: str, page: Page) -> bool:
    """Whether a line consists of the day on which the page was fetched, in any time zone, and its weekday."""
    if not page.fetched_at or not is_day_with_weekday(line):
        return False
    found = find_date(line, page.fetched_at)
    return found is not None and abs(day_of(found) - page.fetched_at.date()) <= timedelta(days=1)


def dated_lines(nearby: Nearby, head: Head, language: str | None) -> Nearby:
    """Return the lines that may hold a date, with the page's `language`, as its tag if that declares the same one."""
    before, after = (list(filter(may_hold_date, lines)) for lines in (nearby.before, nearby.after))
    tag = (head.language or head.first(LANGUAGE)).strip()
    return Nearby(before, after, tag if find_language(tag, "") == language else language or "")


def find_author(head: Head, nearby: Nearby, page: Page) -> str | None:
    """Return the author or authors, joined by ", ", not the editor that a meta element names; the name of an account or
    of the site only if there is no other.
    """
    account, sites = None, {text.lower() for _, text in text_places(head, SITE, "publisher") if text}
    editors = _EDITOR.findall("\n".join((*nearby.before, *nearby.after)))
    for place, author in author_places(head, nearby, page):
        if author in editors and place.startswith("meta"):
            continue
        if author and not ({author.lower()} & (ACCOUNTS | sites) or head.title.endswith(author)):
            return author
        account = account or author
    return account


def find_source(head: Head, nearby: Nearby) -> str | None:
    """Return the source that the page names for its article (来源)."""
    found = next((source for _, source in source_places(head, nearby) if source), None)
    return None if found in NOBODY else found


def author_places(head: Head, nearby: Nearby, page: Page) -> Iterator[tuple[str, str | None]]:
    """Yield each place of the page that may name its authors, and the authors there; most reliable first."""
    yield "JSON-LD author", _names(json_ld.texts(head.article.get("author")))
    for name in AUTHOR:
        if name in head.meta:
            found = head.meta[name]
            yield (
                f"meta {name}",
                _names(found if name != CITED else [_SURNAME_FIRST.sub(r"\2 \1", one) for one in found]),
            )
    yield "byline", _first_match(_AUTHOR_FORMS, nearby.before)
    yield "microdata author", _names(head.items(page).get("author", []))
    yield "element named author", _named_author(head.author_elements(page), "\n".join(nearby.before))


def _named_author(texts: Iterable[str], near: str) -> str | None:
    """Return the names in the first of some elements named after the author whose text is in the lines `near`.

    Elements within it have the names alone.
    """
    beside = [text for text in texts if text in near and not any(map(str.isdigit, text))]
    inner = [_NAME_END.sub("", _LEADING_LABEL.sub("", text)) for text in beside if text in beside[0]]
    known = [name for name in inner if _names([name])]
    return _names([name for name in known if not any(other in name for other in known if other != name)])


def source_places(head: Head, nearby: Nearby) -> Iterator[tuple[str, str | None]]:
    """Yield each place of the page that may name the article's source, and the source there; most reliable first."""
    yield "line before the body", _first_match(_SOURCE_FORMS, nearby.before)
    yield "meta source", clean(_LEADING_SOURCE.sub("", head.first(SOURCE)))
    yield "line after the body", _first_match(_SOURCE_FORMS, nearby.after)


def keyword_places(head: Head) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each place of the page that has keywords, and those there, each once; most reliable first."""
    if values := head.values(KEYWORDS):
        yield f"meta {head.first_name(KEYWORDS)}", _keywords(values)
    if values := json_ld.texts(head.article.get("keywords")):
        yield "JSON-LD keywords", _keywords(values)
    if values := head.values(TAGS):
        yield f"meta {head.first_name(TAGS)}", _keywords(values)


def text_places(head: Head, names: tuple[str, ...], key: str) -> Iterator[tuple[str, str | None]]:
    """Yield the meta elements and the property of JSON-LD that may have a text of the page, and the text there."""
    yield f"meta {head.first_name(names)}", clean(head.first(names))
    yield f"JSON-LD {key}", _first_text(head.article.get(key))


def image_places(head: Head) -> Iterator[tuple[str, str]]:
    """Yield each place of the head that may name the article's picture, and the address there."""
    yield f"meta {head.first_name(IMAGE)}", head.first(IMAGE)
    image = head.article.get("image")
    for entry in image if isinstance(image, list) else [image]:
        for url in json_ld.texts(entry.get("url") if isinstance(entry, dict) else entry):
            yield "JSON-LD image", url


def _names(values: list[str]) -> str | None:
    """Return names, each once, joined by ", "; None if the values have none; accounts only if no other is named."""
    known = filter(None, map(clean, values))
    cleaned = [_LEADING_BY.sub("", name) for name in known if not (_ADDRESS.search(name) or _PLACEHOLDER.search(name))]
    named = [name for name in cleaned if name and not name.isdigit() and name.lower() not in NO_NAMES]
    people = [name for name in named if name.lower() not in ACCOUNTS]
    return ", ".join(dict.fromkeys(people or named)) or None


def _first_text(value: Any) -> str | None:
    return next(map(clean, json_ld.texts(value)), None)


def _host(url: str) -> str:
    parts = split_web(url)
    return (parts.hostname or "").removeprefix("www.") if parts else ""


def _first(places: Iterable[tuple[str, str | None]]) -> str | None:
    return next((text for _, text in places if text), None)


def _keywords(values: list[str]) -> tuple[str, ...]:
    words = (clean(word) for value in values for word in _split_keywords(value))
    return tuple(dict.fromkeys(word for word in words if word))


def _split_keywords(value: str) -> list[str]:
    parts = _LIST_SEPARATOR.split(value)
    # Chinese pages often put spaces between keywords; English keywords may be phrases.
    return value.split() if len(parts) == 1 and not value.isascii() else parts


def _first_match(forms: Sequence[re.Pattern[str]], lines: list[str]) -> str | None:
    """Return the name in a line that has one of the forms."""
    text = "\n".join(lines)
    names = (_NEXT_LABEL.sub("", match[match.lastindex or 1]) for form in forms for match in form.finditer(text))
    name = next((name for name in names if name and name.lower() not in NO_NAMES), None)
    return name and _people(name)


def _people(names: str) -> str:
    """Return Chinese names in a row without the roles before them, joined by ", "; other names as they are."""
    parts = [] if names[0].isascii() else _BETWEEN_PEOPLE.split(_SPACED_OUT.sub(r"\1\2", names))
    return ", ".join(filter(None, (_BEFORE_PERSON.sub("", part) for part in parts))) or names
