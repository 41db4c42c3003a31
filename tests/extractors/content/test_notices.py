"""What counts as a page that only its scripts fill."""

from pathlib import Path

import pytest

from extractors import NoArticle, extract
from extractors.article import CHECK
from extractors.content.notices import is_shell
from extractors.page import Page
from tests.tables import rows


@pytest.mark.parametrize(("html", "is_so"), [*rows(Path(__file__).with_name("shells.txt")), ("", "no")])
def test_a_page_that_waits_for_its_scripts_is_a_shell(html, is_so):
    assert is_shell(Page(html)) is (is_so == "yes")


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
