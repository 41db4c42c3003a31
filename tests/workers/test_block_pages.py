"""Block pages: what a site sends instead of its articles (captcha, login) costs tries, and no article."""

import pytest

from workers.inbox import Inbox
from workers.page_store import StoredPage

from .helpers import FETCHED_AT, TASK, deliver, news, publish, rows, states

CAPTCHA = """<html><head><meta charset="{charset}"><title>{title}</title></head><body><h1>{title}</h1>
<p>{text}</p><p>Ray: 7f{ray}c9e{ray}</p><form action="/check"><input name="answer"><button>OK</button></form></body>
</html>"""
WORDLESS = "Your request could not be handled at this moment. Wait for a little while, please, and then come back."


def captcha(number=0, *, title="One moment", text="Please complete the captcha below.", charset="utf-8"):
    """A block page; it shows a number of the request."""
    page = CAPTCHA.format(title=title, text=text, charset=charset, ray=number)
    return page.encode(charset)


def wordless(number=0):
    return captcha(number, text=WORDLESS)


def come_again(connection, ledger, body_of):
    """A spider leases all URLs that wait, as if their time had come, and hands in pages: number → body."""
    connection.zunionstore(ledger.keys["waiting"], [ledger.keys["waiting"], ledger.keys["delayed"]])
    connection.delete(ledger.keys["delayed"])
    leased = ledger.lease(100)
    pages = {
        one.fingerprint: StoredPage(
            one.url, body_of(int(one.url.rsplit("/", 1)[1].split(".")[0])), "text/html; charset=utf-8", FETCHED_AT
        )
        for one in leased
    }
    Inbox(connection).deliver(ledger, pages)
    return list(pages)


def until_settled(connection, ledger, worker, body_of):
    """Let spiders and workers go on until no URL waits; return how often pages were fetched."""
    fetches = 0
    while names := come_again(connection, ledger, body_of):
        worker.extract_pages(TASK, names)
        fetches += len(names)
        assert fetches < 500, "pages are fetched without end"
    assert ledger.counts().unaccounted == 0
    return fetches


@pytest.mark.parametrize(
    "body",
    [
        captcha,
        wordless,
        lambda n: captcha(n, title="安全验证", text="请完成安全验证后继续访问本站", charset="gbk"),
        lambda n: captcha(n, title="会员", text="请先登录，然后查看全文"),
    ],
    ids=["captcha", "without words", "gbk", "login"],
)
@pytest.mark.parametrize("together", [1, 10])
def test_articles_behind_block_pages_are_written_once_afterwards(body, together, connection, worker, ledger, tmp_path):
    publish(connection, tmp_path)
    numbers = range(1, 11)
    worker.extract_pages(TASK, deliver(connection, {number: news(number) for number in numbers}))
    blocked = [*range(11, 21)]
    for at in range(0, len(blocked), together):
        worker.extract_pages(TASK, deliver(connection, {number: body(number) for number in blocked[at:][:together]}))
    assert set(states(connection, *blocked)) <= {"waiting", "leased"}  # those that wait again come first
    ledger.reclaim()
    until_settled(connection, ledger, worker, news)
    assert states(connection, *blocked) == ["written"] * 10
    newest = {row["url"]: row for row in rows(tmp_path)}
    assert {row["title"] for row in newest.values()} == {f"Story {number}" for number in (*numbers, *blocked)}
    corrected = [row for row in newest.values() if row["version"] > 1]  # written before the third URL gave the page
    assert len(rows(tmp_path)) == 20 + len(corrected)
    assert len(corrected) <= (2 if together == 1 else 0)
