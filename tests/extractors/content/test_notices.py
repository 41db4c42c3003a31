"""What counts as a page that only its scripts fill."""

import pytest

from extractors import NoArticle, extract
from extractors.article import CHECK
from extractors.content.notices import is_shell
from extractors.page import Page

PROSE = "<p>" + "The ferry leaves at nine and comes back at noon. " * 6
APP = "<script src=/app.js></script>"


@pytest.mark.parametrize(
    "html",
    [
        f"<title>News</title><div id=root></div>{APP}",
        f"<app-root></app-root>{APP}",
        f"<body>{APP}",
        f"<header>Harbour Gazette</header><main id=app><p>Loading …</p></main><footer>© 2026 the Gazette</footer>{APP}",
        f"<noscript>{PROSE}</noscript><div id=app></div>{APP}",
        f"<div id=app></div><script>{'let text = 1;' * 99}</script>",
        f"<p>You need to enable JavaScript to run this app.</p>{APP}",
        f"<p>请启用JavaScript后继续访问</p>{APP}",
    ],
)
def test_a_page_that_waits_for_its_scripts_is_a_shell(html):
    assert is_shell(Page(html))


@pytest.mark.parametrize(
    "html",
    [
        f"{PROSE}<div id=comments></div>{APP}",
        "<div id=app></div>",
        "<div id=app></div><script type=application/ld+json>{}</script>",
        f"<p>Ferries stay in port today; the wind blows at nine.</p>{APP}",
        f"<div id=app><a href=/>Home</a><a href=/news/>News of the harbour and the town around it</a></div>{APP}",
        "",
    ],
)
def test_a_page_with_text_or_without_scripts_is_none(html):
    assert not is_shell(Page(html))


def test_a_notice_that_the_page_is_gone_is_no_shell():
    assert not is_shell(Page(f"<h1>404</h1><p>The page you wanted was not found on this server.</p>{APP}"))


OUTAGE = "<p>为了给您提供更好的服务，本站预计于13:00恢复访问，敬请谅解。</p><p>We are sorry for any inconvenience.</p>"


@pytest.mark.parametrize(
    "words",
    [
        "系统维护中", "网站维护", "网站正在进行系统维护，请稍后访问", "Site under maintenance", "We’ll be back soon!",
        "We are down for scheduled maintenance.", "503 Service Temporarily Unavailable", "502 Bad Gateway",
    ],
)  # fmt: skip
def test_an_outage_is_no_article(words):
    found = extract(f"<title>{words}</title><body><div><h1>{words}</h1>{OUTAGE}</div>")
    assert isinstance(found, NoArticle)
    assert found.reason.startswith(CHECK)


@pytest.mark.parametrize(
    "title", ["关于系统维护的公告", "地铁三号线系统升级", "Bridge closes for maintenance", "Back soon"]
)
def test_a_notice_of_maintenance_is_an_article(title):
    assert extract(f"<title>{title}</title><body><div><h1>{title}</h1>{OUTAGE}</div>")
