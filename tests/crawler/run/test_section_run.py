"""One run of a task, page by page. The clock of Redis is real; its keys are made to expire by hand."""

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from crawler.discovery.listings import ListPage
from crawler.run.admission import BEYOND_LIMIT
from crawler.run.run_report import RunBounds
from crawler.run.section_articles import PAGES_A_FLUSH, SECONDS_A_FLUSH
from crawler.run.spider_coordination import disband
from tests.crawler.run.sections import (
    EXAMPLE,
    HOST,
    LIST,
    STATE,
    Driver,
    links,
    list_of,
    page,
    place_of,
    states,
    task,
    url,
)
from tests.extractors.pages import BAKERY, news_page
from tests.extractors.threads import ENGINES, THREAD
from workers import keys
from workers.extraction_config import ExtractionConfig
from workers.redesign.off_template import OffTemplateNote, OffTemplatePages
from workers.url_states import Found, fingerprint


def dated_task(**more):
    return task(example=HOST + "/a/2026-03-01/1.html", pattern=HOST + "/a/{date:%Y-%m-%d}/{id}.html", **more)


def days_of(urls):
    return [one.removeprefix(LIST).removesuffix("/1.html") for one in urls]


# From list to inbox


def test_pages_go_to_redis_several_together(connection, ledger):
    driver = Driver(connection, bounds=RunBounds(monotonic=lambda: 0.0)).read(*range(PAGES_A_FLUSH))
    leased = driver.run.articles.lease(PAGES_A_FLUSH)
    for one in leased[:-1]:
        driver.run.articles.hand_in(one.fingerprint, page(one.url))
    assert ledger.counts().states["fetched"] == 0
    driver.run.articles.hand_in(leased[-1].fingerprint, page(leased[-1].url))
    assert ledger.counts().states["fetched"] == PAGES_A_FLUSH


def test_pages_that_redis_did_not_take_are_handed_in_by_the_next_flush(connection, ledger, monkeypatch):
    driver = Driver(connection).read(1)
    driver.fetch_all()
    with monkeypatch.context() as broken:
        broken.setattr(driver.run.inbox, "deliver", lambda *_: (_ for _ in ()).throw(ConnectionError))
        with pytest.raises(ConnectionError):
            driver.run.articles.flush()
    driver.run.articles.flush()
    assert states(ledger) == {"fetched": 1}


# The example


def test_pages_off_the_template_of_a_replaced_example_are_extracted_again(connection, ledger):
    driver = Driver(connection).read(4)
    driver.run.store_example(page(EXAMPLE))
    driver.complete()
    ledger.settle(fingerprint(url(4)), "written", "")
    connection.hset(keys.CONFIGS, "news", ExtractionConfig("news", url(7), ".*", (), "").to_json())
    note = OffTemplateNote(url(4), ledger.clock(), "written", 1, "00"), page(url(4))
    OffTemplatePages(connection, "news").note({fingerprint(url(4)): note})
    Driver(connection).run.store_example(page(EXAMPLE))
    assert ledger.state_of(url(4))[0] == "written"
    Driver(connection, task(example=url(7))).run.store_example(page(url(7)))
    assert ledger.state_of(url(4))[0] == "fetched"


def test_an_example_that_is_gone_is_a_problem_but_no_obstacle(connection):
    driver = Driver(connection)
    driver.run.report_example("http 404")
    driver.read(1).fetch_all()
    report = driver.end()
    assert report.fetched == 1
    assert not report.ok
    assert EXAMPLE in report.problems[0]
    assert "if that persists, choose another one" in report.problems[0]


# Bounds


def test_the_first_run_is_bounded_and_what_lies_beyond_is_settled(connection, ledger):
    driver = Driver(connection, task(limit=2)).read(9, 8, 7, 6)
    assert driver.run.next_list() is None
    assert driver.fetch_all() == [url(9), url(8)]
    driver.end()
    assert ledger.state_of(url(7)) == ("rejected", BEYOND_LIMIT)


def test_written_articles_are_known_when_their_site_moves_to_https(connection, ledger):
    Driver(connection).read(3, 2, 1).complete()
    for number, state in ((3, "written"), (2, "rejected"), (1, "written")):
        ledger.settle(fingerprint(url(number)), state, "")
    moved = {number: "https" + url(number).removeprefix("http") for number in (4, 3, 2, 1)}
    driver = Driver(connection).read_body("".join(f'<a href="{address}">x</a>' for address in moved.values()).encode())
    assert driver.fetch_all() == [moved[4], moved[2]]
    assert ledger.state_of(moved[3]) == ("duplicate", url(3))
    report = driver.end()
    assert (report.new, driver.run.lists.admission.known) == (2, 2)


def test_lists_that_have_no_links_to_articles_any_more_are_noted(connection):
    note = "no link of the lists matches the pattern any more; `exemplar try` shows why"
    assert note not in Driver(connection).read(3, 2, 1).complete().remarks
    moved = b"<a href=/elsewhere/4.html>x</a>"
    assert note in Driver(connection).read_body(moved).complete().remarks
    assert note not in Driver(connection).read(4).complete().remarks


def test_a_dead_link_that_is_new_on_the_lists_of_a_later_run_is_tried_once_more(connection, ledger):
    """Lists are often published before the pages to which they link."""

    def rejects(number, tries=1, **keys):
        run = Driver(connection, task(**keys)).read(number).run
        [leased] = run.articles.lease(1)
        run.articles.reject(replace(leased, tries=tries), "http 404")
        run.end("finished")
        return ledger.state_of(url(number))[0]

    assert rejects(1) == "rejected"  # the first run: lists have old dead links
    assert rejects(2) == "waiting"
    assert rejects(3, tries=2) == "rejected"
    assert rejects(4, retries=0) == "rejected"


def test_links_of_a_new_form_above_known_articles_are_noted_and_observed(connection):
    title = "The ferry to the island runs again"
    changed = "".join(f'<a href="/2026/12/03/a{number}.shtml">{title}</a>' for number in (6, 5, 4)).encode()
    Driver(connection).read(3, 2, 1).complete()
    driver = Driver(connection).read_body(changed + links(3, 2, 1))
    [note] = driver.complete().remarks
    assert note.startswith("no article was new, and 3 links above those of the lists do not match the pattern")
    assert driver.run.lists.observation(walked=True).unlike == f"{HOST}/2026/12/03/a6.shtml"
    assert not Driver(connection).read_body(changed + links(4, 3, 2)).complete().remarks


@pytest.mark.parametrize(("pattern", "new"), [("http://[www.]h.test/{id}.html", 1), ("http://www.h.test/{id}.html", 0)])
def test_written_articles_are_known_with_and_without_www(connection, ledger, pattern, new):
    chosen = task(example="http://www.h.test/1.html", pattern=pattern)
    ledger.add([Found("http://www.h.test/2.html")])
    ledger.settle(fingerprint("http://www.h.test/2.html"), "written", "")
    links = b"<a href=http://h.test/2.html>2</a><a href=https://h.test/3.html>3</a>"
    assert len(Driver(connection, chosen).read_body(links).fetch_all()) == new
    assert (ledger.state_of("http://h.test/2.html") is not None) == bool(new)


def test_all_lifts_the_first_runs_bound_also_afterwards(connection):
    Driver(connection, task(limit=2)).read(4, 3, 2, 1).complete()
    assert Driver(connection, task(limit=2), all=True).read(4, 3, 2, 1).fetch_all() == [url(2), url(1)]


def test_a_limit_for_one_run_leaves_the_rest_to_the_next(connection, ledger):
    first = Driver(connection, limit=2).read(4, 3, 2, 1)
    assert first.fetch_all() == [url(4), url(3)]
    first.end()
    assert ledger.state_of(url(2)) is None
    second = Driver(connection)
    assert second.run.lists.first
    assert second.read(4, 3, 2, 1).fetch_all() == [url(2), url(1)]


def test_a_limit_for_one_run_bounds_what_waits_from_before_as_well(connection, ledger):
    Driver(connection).read(9, 8, 7, 6).end("stopped")
    second = Driver(connection, limit=2).read(9, 8, 7, 6)
    assert second.fetch_all() == [url(9), url(8)]
    assert (second.fetch_all(), second.run.pause()) == ([], None)
    second.end()
    assert states(ledger) == {"fetched": 2, "waiting": 2}
    assert Driver(connection).fetch_all() == [url(7), url(6)]


def test_an_article_that_is_tried_again_counts_once_for_the_limit(connection):
    driver = Driver(connection, bounds=RunBounds(pauses=(0.0,)), limit=1).read(9, 8)
    [leased] = driver.run.articles.lease(5)
    driver.run.articles.fail(leased, "http 503", passing=True)
    assert driver.run.pause() is not None
    assert driver.fetch_all() == [url(9)]
    assert driver.fetch_all() == []


# Several spiders of one task


def die(connection):
    """A spider is killed on another machine, and has been silent for long enough."""
    disband(connection, "news")


def test_a_spider_that_does_not_walk_waits_for_what_the_walker_may_find(connection):
    one, two = Driver(connection), Driver(connection)
    two.run.beat()
    assert two.run.pause() is not None
    one.read(1).fetch_all()
    assert one.run.pause() is None
    one.end()
    two.run.beat()
    assert (two.run.pause(), two.run.next_list()) == (None, None)


def test_a_walk_that_broke_off_is_begun_again_by_another_spider(connection):
    one, two = Driver(connection), Driver(connection)
    one.end("stopped")
    two.run.beat()
    assert two.read(1).fetch_all() == [url(1)]


def test_the_pages_of_a_spider_that_dies_are_waited_for_by_the_one_that_is_left(connection, ledger):
    one, two = Driver(connection).read(1, 2), Driver(connection)
    held = two.run.articles.lease(1)
    one.fetch_all()
    connection.zremrangebyrank(keys.of_task("news", "crew"), 0, -1)
    one.run.beat()
    assert one.run.pause() is not None
    ledger.renew([each.fingerprint for each in held], seconds=-1)
    assert one.fetch_all() == [each.url for each in held]
    assert one.run.pause() is None


def test_a_spider_that_was_taken_for_dead_leaves_its_pages_to_others(connection, ledger):
    silent = Driver(connection).read(1, 2)
    silent.run.articles.lease(2)
    die(connection)
    other = Driver(connection)
    assert len(other.run.articles.lease(2)) == 2
    silent.run.beat()
    assert silent.run.next_list() is None
    silent.end("stopped")
    assert states(ledger) == {"leased": 2}, "the pages are in the other run's hands"


def test_a_beat_keeps_leases_and_hands_in_waiting_pages(connection, ledger):
    clock = [0.0]
    driver = Driver(connection, bounds=RunBounds(monotonic=lambda: clock[0])).read(1, 2)
    came, kept = driver.run.articles.lease(2)
    driver.run.articles.hand_in(came.fingerprint, page(came.url))
    ledger.renew([kept.fingerprint], seconds=-1)
    clock[0] += SECONDS_A_FLUSH
    driver.run.beat()
    assert states(ledger) == {"leased": 1, "fetched": 1}
    assert ledger.lease(1) == [], "the lease was renewed"


# Failures


def make_due(connection):
    name = keys.of_task("news", "delayed")
    connection.zadd(name, dict.fromkeys(connection.zrange(name, 0, -1), 0.0))


def test_a_passing_failure_is_tried_again_later_and_then_given_up(connection, ledger):
    driver = Driver(connection, task(retries=2)).read(1)
    for _ in range(2):
        [leased] = driver.run.articles.lease(1)
        driver.run.articles.fail(leased, "http 503", passing=True)
        assert driver.run.articles.lease(1) == [], "not before its pause is over"
        make_due(connection)
    [leased] = driver.run.articles.lease(1)
    driver.run.articles.fail(leased, "http 503", passing=True)
    assert ledger.state_of(url(1)) == ("failed", "http 503")
    report = driver.end()
    assert (report.later, report.failed) == (2, 1)


def test_all_derived_start_pages_that_fail_are_told(connection):
    report = Driver(connection, task(start="[]")).fail_list("robots.txt forbids it").fail_list("http 404").end()
    assert report.problems == [f"start page {LIST}: robots.txt forbids it", f"start page {HOST}/: http 404"]


def test_a_fallback_start_page_that_works_is_enough(connection):
    assert Driver(connection, task(start="[]")).fail_list().read(1, 2).end().ok


def test_a_list_that_is_the_only_page_of_its_task_is_no_block_page_and_no_problem(connection):
    only = task(example=LIST, pattern=LIST, method="list-rank")
    driver = Driver(connection, only)
    driver.run.store_example(page(LIST, links(1, 2)))
    assert driver.run.lists.read(ListPage(LIST, "start", 0, LIST), page(LIST, links(1, 2))) == ""
    assert driver.end().ok


def test_a_section_none_of_whose_links_is_of_the_pattern_is_a_problem(connection):
    report = Driver(connection).read().end()
    assert report.problems == ["no link matches the pattern (list pages read: 1); `exemplar try` shows why"]


# Enumerated patterns


def daily(connection):
    return Driver(connection, task(example=HOST + "/d/2020-01-02.html", pattern=HOST + "/d/{date:%Y-%m-%d}.html"))


def test_the_days_of_a_pause_are_generated_when_the_task_goes_on(connection):
    days = {"example": HOST + "/d/2020-01-02.html", "pattern": HOST + "/d/{date:%Y-%m-%d}.html"}

    def lists_and_articles(day, **options):
        bounds = RunBounds(now=lambda: datetime(2026, 12, day, 12, tzinfo=UTC))
        driver = Driver(connection, task(**days, start='"/{date:%Y-%m-%d}/"'), bounds, **options)
        read, fetched = driver.walk(lambda _: b""), driver.fetch_all()
        driver.end()
        return [re.findall(r"2026-12-(\d\d)", " ".join(urls)) for urls in (read, fetched)]

    lists_and_articles(1)
    lists_and_articles(11, backfill=True, until=date(2026, 10, 2))  # not of these days
    read, fetched = lists_and_articles(12)
    assert read == [f"{day:02}" for day in range(12, 0, -1)]
    assert fetched == [f"{day:02}" for day in range(12, 1, -1)]


def test_an_enumerated_page_that_is_not_there_yet_is_asked_for_again(connection, ledger):
    first = daily(connection)
    today, *_, oldest = first.run.articles.lease(8)
    assert first.run.articles.drop_if_expected(today)
    assert not first.run.articles.drop_if_expected(oldest), "what has not come in some days won't"
    first.end()
    assert ledger.counts().unaccounted == 0
    assert today.url in daily(connection).fetch_all()


def test_enumerated_pages_that_all_redirect_to_one_page_are_not_there(connection, ledger):
    driver = daily(connection)
    for leased in driver.run.articles.lease(8):
        driver.run.articles.settle_redirected(leased, HOST + "/")
    assert driver.end().failed == 0
    assert (states(ledger)["rejected"], ledger.counts().unaccounted) == (5, 0)
    assert len(daily(connection).fetch_all()) == 3, "they may still appear"


# Lists by their state


def complete(connection, *numbers, headers=STATE, **options):
    """A first run that read one list to its end."""
    Driver(connection, **options).read_body(links(*numbers), headers=headers).complete()


def conditions(connection, chosen=None, **options):
    """By which state a run asks for its first list."""
    driver = Driver(connection, chosen, **options)
    asked = driver.run.lists.conditions(driver.run.next_list())
    driver.end("stopped")
    return asked


def test_once_all_is_entered_a_list_is_asked_for_by_its_state_but_not_to_read_all_or_for_a_changed_task(connection):
    assert conditions(connection) == {}
    complete(connection, 1, 2)
    assert conditions(connection) == {"If-None-Match": '"1"'}
    assert conditions(connection, all=True) == {}
    assert conditions(connection, task(depth=4)) == {}


def test_an_unchanged_list_has_nothing_new_and_leads_on_to_its_lists(connection):
    follows = task(follow=HOST + "/t/*")
    first = Driver(connection, follows)
    first.read_body(links(1) + b'<a href="/t/x">x</a>')
    first.end()
    second = Driver(connection, follows)
    listed = second.run.next_list()
    assert second.run.lists.record_unchanged(listed, listed.url)
    assert second.run.next_list().url == HOST + "/t/x"
    report = second.end()
    assert (report.lists, report.unchanged, report.new) == (1, 1, 0)
    assert conditions(connection, follows) == {"If-None-Match": '"1"'}, "the state is kept"


def test_a_list_with_the_same_body_is_known_once_all_of_its_links_are_entered(connection):
    body = links(1, 2, 3)
    complete(connection, 1, 2, 3, headers={}, limit=1)
    partial = Driver(connection)
    assert not partial.run.lists.is_as_before(partial.run.next_list(), body)
    partial.end("stopped")
    complete(connection, 1, 2, 3, headers={})
    driver = Driver(connection)
    listed = driver.run.next_list()
    assert driver.run.lists.is_as_before(listed, body)
    assert not driver.run.lists.is_as_before(listed, links(1, 2))
    assert not driver.run.lists.is_as_before(replace(listed, resumed=True), body)
    driver.end()
    again = Driver(connection, all=True)
    assert not again.run.lists.is_as_before(again.run.next_list(), body)


def walk(connection, articles, *, lists=None, failing=None):
    """A run on a section with two articles on each of its lists, of which the newest is first.

    It dies after `lists`; list number `failing` is unavailable. Returns how many lists were read.
    """
    driver, read = Driver(connection), 0
    while listed := driver.run.next_list():
        if read == lists:
            die(connection)
            return read
        if place_of(listed.url) == failing:
            driver.run.lists.record_failure(listed, "http 503", passing=True)
            continue
        driver.read_body(list_of(listed.url, articles, 2), listed, headers={})
        read += 1
    driver.complete()
    return read


def test_walks_grow_no_longer_while_a_list_stays_unavailable(connection):
    walk(connection, 10)
    read = [walk(connection, 30, failing=4) for _ in range(4)]
    assert read == [3, 3, 3, 3]


# Feeds and sitemaps


def rss(*entries):
    items = "".join(f"<item><link>{url(n)}</link><pubDate>{day}</pubDate></item>" for n, day in entries)
    return f"<rss><channel>{items}</channel></rss>".encode()


def urlset(*entries):
    urls = "".join(f"<url><loc>{url(n)}</loc>{f'<lastmod>{day}</lastmod>' if day else ''}</url>" for n, day in entries)
    return f"<urlset>{urls}</urlset>".encode()


def sources(ledger):
    records = (json.loads(raw) for raw in ledger.redis.hvals(keys.of_task("news", "open")))
    return {record["url"].removeprefix(HOST): record["source"] for record in records}


def test_an_article_keeps_the_time_of_its_feed(connection, ledger):
    driver = Driver(connection)
    driver.read_body(rss((2, "Tue, 02 Jan 2024 08:00:00 +0800"), (1, ""), (3, "2999-01-01")))
    driver.read_body(b"Sitemap: /map.xml")
    driver.read_body(urlset((4, "2024-01-03")))
    listed = {one.url: one.info.get("listed") for one in ledger.lease(9)}
    assert listed == {url(2): "2024-01-02T00:00:00+00:00", url(1): None, url(3): None, url(4): None}


def test_the_ledger_knows_where_an_article_was_found(connection, ledger):
    driver = Driver(connection)
    driver.read_body(links(1) + b'<link rel="alternate" type="application/rss+xml" href="/rss">')
    driver.read_body(rss((2, "2024-01-02"), (1, "2024-01-01")))
    driver.read_body(b"Sitemap: /map.xml")
    driver.read_body(urlset((3, "2024-01-03"), (2, None)))
    assert sources(ledger) == {"/a/1.html": "list", "/a/2.html": "feed", "/a/3.html": "sitemap"}


def test_the_first_runs_bound_keeps_the_newest_of_a_sitemap(connection, ledger):
    driver = Driver(connection, task(limit=2))
    driver.read_body(urlset((1, None), (5, None), (3, "2024-01-03"), (2, "2024-01-02")))
    assert driver.fetch_all() == [url(3), url(2)]
    assert ledger.state_of(url(5)) == ("rejected", BEYOND_LIMIT)


def test_what_a_sitemap_holds_beyond_the_bound_is_not_new_to_later_walks(connection, ledger):
    bounds = RunBounds(entered_at_once=1)
    bounded, days = task(limit=1), ["2024-01-20", "2024-01-19", "2024-01-02"]
    body = urlset(*zip((3, 2, 1), days, strict=True))
    first = Driver(connection, bounded, bounds=bounds)
    first.walk(lambda address: body if address == HOST + "/sitemap.xml" else b"", headers={})
    assert first.fetch_all() == [url(3)]
    first.end()
    assert ledger.state_of(url(2)) == ("rejected", BEYOND_LIMIT)
    assert ledger.state_of(url(1)) is None, "too old to be taken for new"
    second = Driver(connection, bounded, bounds=bounds)
    later = urlset((4, "2024-01-21"), *zip((3, 2, 1), days, strict=True))
    second.walk(lambda address: later if address == HOST + "/sitemap.xml" else b"", headers={})
    assert second.fetch_all() == [url(4)]


def test_a_feed_with_articles_is_read_again_and_one_without_is_not(connection):
    driver = Driver(connection)
    feeds = (b'<link rel="alternate" type="application/rss+xml" href="/rss%d">' % n for n in (1, 2))
    driver.read_body(links(1) + b"".join(feeds))
    for _ in range(2):
        listed = driver.run.next_list()
        driver.read_body(rss((1, "2024-01-01")) if listed.url.endswith("1") else rss(), listed)
    driver.end()
    second = Driver(connection)
    assert [second.run.next_list().url for _ in range(2)] == [HOST + "/rss1", LIST]


# Reports


def test_a_walk_that_was_cut_off_is_a_problem(connection):
    driver = Driver(connection)
    for number in range(20):
        more = b'<a href="/day/%d">x</a><a rel="next" href="/a/?page=%d">next</a>' % (number, number)
        driver.read(*[1][number:], more=more)
    [problem] = driver.end().problems
    assert "pages in a row without an article; not followed further" in problem


# Back-fill


BACK = {"backfill": True, "since": date(2020, 1, 1), "until": date(2020, 12, 31)}


def test_a_backfill_takes_what_is_of_its_days(connection, ledger):
    driver = Driver(connection, dated_task(), **BACK).read_days("2019-12-31", "2020-05-05", "2021-01-01")
    assert days_of(driver.fetch_all()) == ["2020-05-05"]


def test_a_backfill_reads_on_only_when_little_of_it_waits(connection):
    chosen = dated_task(start=f"[{LIST}, {HOST}/b/]")
    driver = Driver(connection, chosen, bounds=RunBounds(backfill_waiting=2), **BACK)
    driver.read_days("2020-05-05", "2020-06-06")
    assert driver.run.next_list() is None
    driver.run.articles.lease(1)
    assert driver.run.next_list()


def test_a_pattern_that_can_be_counted_writes_a_backfills_urls_as_there_is_room(connection, ledger):
    chosen = task(example=HOST + "/a/2026-03-01.html", pattern=HOST + "/a/{date:%Y-%m-%d}.html")
    driver = Driver(connection, chosen, bounds=RunBounds(backfill_waiting=10), **BACK)
    driver.run.next_list()
    assert states(ledger) == {"waiting": 10}
    assert driver.run.articles.lease(1)[0].url == HOST + "/a/2020-12-31.html"
    driver.run.next_list()
    assert ledger.counts().seen == 11


INDEX = (
    b"<title>News</title><ul>"
    + b"".join(b'<li><a href="/a/%d.html">The ferry of day %d was late again</a></li>' % (n, n) for n in range(40))
    + b"</ul>"
)


@pytest.mark.parametrize("is_known", [False, True])
def test_the_text_of_an_example_that_is_a_list_is_not_written_and_the_report_warns(connection, ledger, is_known):
    if is_known:
        ledger.add([Found(EXAMPLE, 1.0)])
    driver = Driver(connection)
    driver.run.store_example(page(EXAMPLE, INDEX))
    driver.end()
    assert states(ledger) == {"rejected": 1}
    for report in (driver.run.report, ended_report(connection)):
        assert any("it is a list page, not an article" in remark for remark in report.remarks)


def test_the_text_of_an_example_that_looks_like_a_list_is_written_if_the_tasks_pages_are_articles(connection, ledger):
    driver = Driver(connection, task(articles="true"))
    driver.run.store_example(page(EXAMPLE, INDEX))
    driver.end()
    assert states(ledger) == {"fetched": 1}
    assert not any("list page" in remark for remark in driver.run.report.remarks)


COMMENTS = "".join(
    f"<li><b>{one.author}</b><i>·</i><i>{one.time:%d %b %Y, %H:%M}</i><p>{one.text}</p>" for one in THREAD
)


@pytest.mark.parametrize(
    ("thread", "remarks"),
    [
        (ENGINES["phpbb"](THREAD).encode(), 0),
        (ENGINES["phpbb"](THREAD[:1]).encode(), 1),
        (news_page("Bread", BAKERY).replace("</body>", f"<ul>{COMMENTS}</ul></body>").encode(), 0),
    ],
    ids=["thread", "one post", "comments"],
)
def test_the_example_of_a_task_for_posts_is_a_page_with_several(connection, ledger, thread, remarks):
    driver = Driver(connection, task(rows="posts"))
    driver.run.store_example(page(EXAMPLE, thread))
    driver.end()
    assert states(ledger) == {"fetched": 1}  # its posts are rows if it has any
    assert len([remark for remark in driver.run.report.remarks if "it has no posts" in remark]) == remarks
    assert not any("list page" in remark for remark in driver.run.report.remarks)


def ended_report(connection):
    later = Driver(connection)
    later.end()
    return later.run.report


def test_an_example_that_a_person_accepted_is_fetched_as_an_article(connection, ledger):
    driver = Driver(connection)
    driver.run.store_example(page(EXAMPLE, INDEX))
    assert ledger.accept(EXAMPLE)
    driver.run.store_example(page(EXAMPLE, INDEX))
    assert states(ledger) == {"waiting": 1}
