"""Reports of hostile pages in a real browser: nothing runs, and no request leaves."""

from itertools import product
from pathlib import Path

from playwright.sync_api import sync_playwright

from console.report.document import ReportedLink, ReportedList, ReportHead, render_report
from console.report.gathering import Explainer, PageToExplain, ReportedPage
from extractors import Section
from tests.extractors.pages import BAKERY, news_page

RUN = "window.ran=1;fetch('http://127.0.0.1:9/x')"
ENDINGS = (
    "", '"', "'", "`", '">', "'>", "-->", "]]>", "</title>", "</style>", "</textarea>", "</script>", "</svg>",
    "</summary></details>", "</bdi>", "{{7*7}}", "{% raw %}", "\\", "\x00", "\u2028", "&quot;>", "&#x22;>", "<!--",
)  # fmt: skip
PAYLOADS = (
    f"<script>{RUN}</script>",
    f'<img src=x onerror="{RUN}">',
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f'<iframe srcdoc="<script>parent.ran=1</script>" onload="{RUN}">',
    f"<a href='javascript:{RUN}'>x</a>",
    f"<details open ontoggle={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    "<style>@import url(http://127.0.0.1:9/s.css);*{background:url(http://127.0.0.1:9/b)}</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/l.css>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/r'>",
    "<base href=http://127.0.0.1:9/>",
    f'" onmouseover="{RUN}" autofocus onfocus="{RUN}" x="',
    f"' onclick='{RUN}' x='",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>",
    f"<object data='data:text/html,<script>{RUN}</script>'></object>",
    f"<form action=javascript:{RUN}><button autofocus>x</button></form>",
    f"{{{{cycler.__init__.__globals__}}}}<script>{RUN}</script>",
)
STRINGS = [ending + payload for ending, payload in product(ENDINGS, PAYLOADS)]


def escaped(text: str) -> str:
    """Text as a page writes it, so that its own parser reads the string as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\x00", "")


def hostile_page() -> str:
    """An article that has every string in a line, and one in each field."""
    attributes = [escaped(text) for text in STRINGS]
    lines = "".join(f'<p class="{text}">{text} {BAKERY[0]}</p>' for text in attributes)
    links = "".join(f'<li id="{text}"><a href="{text}">{text}</a></li>' for text in attributes[:80])
    fields = (
        "og:title", "description", "author", "keywords", "og:site_name", "og:image", "og:url", "source", "og:locale",
        "article:published_time",
    )  # fmt: skip
    metas = "".join(
        f'<meta name="{name}" content="{text}">' for name, text in zip(fields, attributes[3:], strict=False)
    )
    name = attributes[1]
    return news_page(name, (), body=f"{lines}<ul>{links}</ul>", head=f'{metas}<link rel="canonical" href="{name}">')


def test_nothing_of_a_hostile_page_runs_or_is_requested(browser: str, tmp_path: Path) -> None:
    page, example = hostile_page().encode(), news_page("Tides", BAKERY).encode()
    explainer = Explainer(Section(example), PageToExplain("example", example, role="example"))
    pages = [explainer.page(PageToExplain(STRINGS[0], page, "https://g.example/" + STRINGS[2]))]
    pages += [ReportedPage(text, error=text) for text in STRINGS]
    links = tuple(ReportedLink(text, text, text) for text in STRINGS[:90])
    lists = (ReportedList(STRINGS[5], STRINGS[6], links, links, STRINGS[7]),)
    facts = tuple((text, text) for text in STRINGS[:40])
    report = tmp_path / "why.html"
    head = ReportHead(STRINGS[0], STRINGS[1], facts, tuple(STRINGS), tuple(STRINGS), lists)
    report.write_text(render_report(head, pages), "utf-8")
    assert len(STRINGS) > 400
    requested, complaints, dialogs = list[str](), list[str](), list[str]()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        try:
            tab = chromium.new_page()
            tab.on("request", lambda request: requested.append(request.url))
            tab.on("console", lambda message: complaints.append(message.text))
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            tab.on("dialog", lambda dialog: dialogs.append(dialog.message))
            tab.goto(report.as_uri())
            tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            tab.hover("h1")
            for _ in range(5):
                tab.keyboard.press("Tab")
            found = tab.evaluate(
                """() => ({
                    ran: window.ran,
                    elements: document.querySelectorAll(
                        'script, img, iframe, object, embed, link, base, form, input, foreignObject, image').length,
                    styles: document.querySelectorAll('style').length,
                    handlers: [...document.querySelectorAll('*')].filter(
                        e => [...e.attributes].some(a => a.name.startsWith('on') || a.name === 'style')).length,
                    links: [...document.links].filter(a => !/^https?:$/.test(a.protocol)).length,
                })"""
            )
        finally:
            chromium.close()
    assert found == {"ran": None, "elements": 0, "styles": 1, "handlers": 0, "links": 0}
    assert requested == [report.as_uri()]
    assert (complaints, dialogs) == ([], [])
