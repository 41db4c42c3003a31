"""What counts as a page that only its scripts fill."""

import pytest

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
