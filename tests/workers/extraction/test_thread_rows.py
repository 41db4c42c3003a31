"""Threads as rows: one row a post, once, as long as the thread grows."""

import re

from tests.extractors.threads import ENGINES, THREAD, TITLE, Said
from tests.samples import sample
from tests.workers.helpers import FETCHED_AT, TASK, come_again, deliver, publish, rows, url
from workers.extraction_config import keep_example
from workers.health.store import open_alarms, update_health
from workers.page_store import StoredPage

DAY = 86400.0
VISITS = sample(8, 20)


def grown(count):
    """Return a thread of so many posts."""
    return [
        Said(one.author, one.time, f"{one.text} Post {number}, as it was written.")
        for number, one in ((number, THREAD[number % len(THREAD)]) for number in range(count))
    ]


def test_each_post_is_a_row(connection, worker, ledger, tmp_path):
    publish(connection, tmp_path, rows="posts")
    worker.extract_pages(TASK, deliver(connection, {1: ENGINES["discuz"](THREAD).encode()}))
    assert ledger.state_of(url(1)) == ("written", "list: 6 posts, 6 new")
    written = rows(tmp_path)
    assert [(row["author"], row["text"]) for row in written] == [(one.author, one.text) for one in THREAD]
    assert {row["listed_on"] for row in written} == {url(1)}
    assert all(re.fullmatch(rf"{re.escape(url(1))}#[\w-]*\d+", row["canonical_url"]) for row in written)
    assert len({row["canonical_url"] for row in written}) == len(THREAD)
    assert TITLE in written[0]["title"]
    assert written[0]["published"].startswith("2025-11-14T08:05")
    assert ledger.counts().unaccounted == 0


def test_a_thread_that_grows_gives_each_post_once(connection, worker, ledger, clock, tmp_path):
    publish(connection, tmp_path, rows="posts", revisit=(DAY, 3 * DAY))
    names = deliver(connection, {1: ENGINES["phpbb"](grown(2)).encode()})
    for visit in range(1, VISITS + 1):
        worker.extract_pages(TASK, names)
        names = come_again(ledger, clock, ENGINES["phpbb"](grown(2 + visit)).encode(), visit * DAY)
        assert len(names) == 1
    texts = [row["text"] for row in rows(tmp_path)]
    assert texts == [one.text for one in grown(VISITS + 1)]
    counts = ledger.counts()
    assert (counts.rows, counts.states["written"] + counts.open) == (VISITS + 1, 1)


def test_one_post_alone_has_the_form_of_those_of_the_example(connection, worker, tmp_path):
    publish(connection, tmp_path, rows="posts")
    keep_example(
        connection, TASK, StoredPage(url(0), ENGINES["phpbb"](THREAD).encode(), "text/html", FETCHED_AT), url(0)
    )
    worker.extract_pages(TASK, deliver(connection, {1: ENGINES["phpbb"](grown(1)).encode()}))
    assert [(row["author"], row["text"]) for row in rows(tmp_path)] == [(one.author, one.text) for one in grown(1)]


def test_an_article_without_comments_is_read_again(connection, worker, ledger, clock, tmp_path):
    publish(connection, tmp_path, rows="posts", revisit=(DAY, 3 * DAY))
    page = b"<html><title>Tide</title><p>The tide table of the harbour, with all times of the month.</p></html>"
    worker.extract_pages(TASK, deliver(connection, {1: page}))
    assert ledger.state_of(url(1)) == ("written", "list: 0 posts, 0 new")
    worker.extract_pages(TASK, come_again(ledger, clock, page, DAY))  # still without
    worker.extract_pages(TASK, come_again(ledger, clock, ENGINES["phpbb"](THREAD).encode(), 2 * DAY))
    assert [row["text"] for row in rows(tmp_path)] == [one.text for one in THREAD]


def newest_first(posts):
    """Return a page of comments without ids and numbers, as some hand-made sites have it."""
    comments = "".join(
        f'<div class="comment"><b class="author">{one.author}</b> <i class="time">2025-11-14 08:{10 + number}</i>'
        f'<p class="said">{one.text}</p><span>赞 {number * len(posts)}</span></div>'
        for number, one in reversed([*enumerate(posts)])
    )
    return f"<html><title>Tide</title><h1>Tide</h1><div id='comments'>{comments}</div></html>".encode()


def test_posts_without_ids_are_rows_once_also_where_the_newest_is_first(connection, worker, ledger, clock, tmp_path):
    publish(connection, tmp_path, rows="posts", revisit=(DAY, 30 * DAY))
    short = Said(THREAD[0].author, "", "顶")
    posts = [*grown(3), short, *grown(9)[3:], short]
    names = deliver(connection, {1: newest_first(posts[:5])})
    worker.extract_pages(TASK, names)
    for visit, page in enumerate([posts[:7], [*posts[:2], *posts[3:9]], posts], start=1):  # one is away for a while
        worker.extract_pages(TASK, come_again(ledger, clock, newest_first(page), visit * DAY))
    written = [(row["author"], row["text"]) for row in rows(tmp_path)]
    assert sorted(written) == sorted((one.author, one.text) for one in posts)


def test_a_forum_of_another_form_raises_the_alarm_of_a_changed_template(connection, worker, ledger, tmp_path):
    publish(connection, tmp_path, rows="posts", revisit=(DAY, 3 * DAY))
    keep_example(
        connection, TASK, StoredPage(url(0), ENGINES["phpbb"](THREAD).encode(), "text/html", FETCHED_AT), url(0)
    )

    def visit(numbers, engine):
        pages = {n: ENGINES[engine](grown(3 + n)).replace(TITLE, f"Question {n}").encode() for n in numbers}
        worker.extract_pages(TASK, deliver(connection, pages))
        update_health(connection, TASK)
        return {alarm.kind for alarm in open_alarms(connection, [TASK])}

    assert visit(range(1, 9), "phpbb") == set()
    assert visit(range(10, 25), "discuz") == {"template changed"}
