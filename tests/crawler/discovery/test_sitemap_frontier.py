"""Which sitemaps are read, in which order, and which are left."""

from datetime import UTC, date, datetime

import pytest

from crawler.discovery.links import ListContent, PageLink
from crawler.discovery.listings import ListPage
from crawler.discovery.sitemap_frontier import LATER_SITEMAPS, SITEMAP_DEPTH, SitemapFrontier, last_day_in

ROOT = "http://site.example/sitemap.xml"


def day(number):
    return datetime(2024, 3, number, tzinfo=UTC)


def child(name, changed=None):
    return PageLink(f"http://site.example/{name}.xml", published=changed)


def index(*children):
    return ListContent("sitemap", sitemaps=list(children))


def sitemap(published=None):
    return ListContent("sitemap", [PageLink("http://site.example/a/1", "", published=published)])


ROOT_PAGE = ListPage(ROOT, "sitemap", start=ROOT)


class Reading:
    """A frontier whose topmost sitemap is an index of `children`. `names` are those that it has read."""

    def __init__(self, *children, found=1, past=None, **options):
        self.frontier = SitemapFrontier({ROOT: past} if past else {}, complete=bool(past), **options)
        self.names = []
        for page in self.frontier.record_read(ROOT_PAGE, index(*children), 0):
            self.frontier.push(page)
        while page := self.frontier.next_page():
            self.names.append(page.url.rpartition("/")[2].removesuffix(".xml"))
            self.frontier.record_read(page, sitemap(), found)


def test_an_address_that_names_a_month_says_how_new_it_is():
    assert Reading(child("2019-05"), child("2021-01"), child("2020")).names == ["2021-01", "2020", "2019-05"]


def test_a_walk_that_was_stopped_left_no_sitemap_unread_because_of_the_limit():
    reading = Reading()
    reading.frontier.push(ROOT_PAGE)
    assert reading.frontier.unread() == 0


def test_what_is_older_than_asked_for_is_left():
    kept = Reading(child("a", day(1)), child("b", day(9)), child("2019-05"), child("c"), since=date(2024, 3, 5))
    assert sorted(kept.names) == ["b", "c"]


def test_an_index_in_an_index_has_an_end():
    frontier = SitemapFrontier({})
    deep = ListPage(ROOT, "sitemap", depth=SITEMAP_DEPTH)
    assert frontier.record_read(deep, index(child("a")), 0) == []


# Later walks


def test_later_walks_read_what_changed():
    children = [child("a", day(1)), child("b", day(5)), child("c", day(6)), child("2019-05")]
    assert Reading(*children, past=day(5).replace(hour=1)).names == ["c", "b"], "a day may be any time of it"
    with_time = child("b", day(5).replace(hour=1))
    assert Reading(with_time, past=day(5).replace(hour=1)).names == []


def test_where_nothing_says_when_the_ends_are_read():
    assert sorted(Reading(*(child(f"s{n}") for n in range(9)), past=day(5)).names) == ["s0", "s8"]


def test_the_mark_is_the_newest_date_unless_something_is_left():
    assert Reading(child("a", day(6)), child("b", day(7)), past=day(5)).frontier.mark_of(ROOT) == day(7)
    many = [child(f"s{n}", day(7)) for n in range(LATER_SITEMAPS + 1)]
    assert Reading(*many, past=day(5)).frontier.mark_of(ROOT) == day(5)


def test_an_unchanged_sitemap_does_not_count():
    frontier = SitemapFrontier({ROOT: day(1)}, complete=True)
    for n in range(LATER_SITEMAPS + 1):
        frontier.push(ListPage(f"{ROOT}?{n}", "sitemap", start=ROOT))
    for _ in range(LATER_SITEMAPS + 1):
        assert frontier.next_page()
        frontier.record_unchanged()


def test_what_was_there_before_the_mark_is_past():
    frontier = SitemapFrontier({ROOT: day(20)}, complete=True)
    assert [frontier.is_past(ROOT_PAGE, moment, day(21)) for moment in (day(10), day(18), day(21), None)] == [
        True,
        False,
        False,
        False,
    ]
    assert not frontier.is_past(ROOT_PAGE, day(1), day(1)), "all of its pages have one old date"
    assert not SitemapFrontier({ROOT: day(20)}).is_past(ROOT_PAGE, day(10), day(21)), "a first walk takes all"


def test_an_index_with_dates_that_nobody_updates_is_read_again_each_time():
    frontier = SitemapFrontier({})
    (page,) = frontier.record_read(ROOT_PAGE, index(child("a", day(1))), 0)
    frontier.record_read(page, sitemap(day(20)), 1)
    assert frontier.mark_of(ROOT) is None
    later = SitemapFrontier({ROOT: None}, complete=True)
    assert later.record_read(ROOT_PAGE, index(child("a", day(1))), 0)
    later.record_unchanged()
    assert later.mark_of(ROOT) is None


@pytest.mark.parametrize(
    ("path", "over"),
    [
        ("sitemap-2024-02.xml", datetime(2024, 3, 1, tzinfo=UTC)),
        ("2023/12/map.xml", datetime(2024, 1, 1, tzinfo=UTC)),
        ("map.xml?yyyy=2023&from=20240301", datetime(2024, 3, 2, tzinfo=UTC)),
        ("sitemap-20231301234.xml", None),
    ],
)
def test_an_address_may_say_when_it_was_over(path, over):
    assert last_day_in("http://site.example/" + path) == over
