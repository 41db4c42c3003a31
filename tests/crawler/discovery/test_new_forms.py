"""Which links of a start page have a new form: those of a site that has changed its URLs."""

from crawler.discovery.links import PageLink
from crawler.discovery.new_forms import NewForms
from crawler.patterns.pattern import Pattern

HOME = "http://site.example/"
TITLE = "The ferry to the island runs again"
OLD = [PageLink(f"{HOME}article/{number}.html", TITLE) for number in range(9)]
NEW = [PageLink(f"{HOME}2026/12/03/a{number}.shtml", TITLE) for number in range(3)]
BANNER = [PageLink(f"{HOME}special/{number}", TITLE) for number in range(4)]
MENU = [PageLink(f"{HOME}menu/{number}", "Sport") for number in range(9)]
AWAY = [PageLink(f"http://other.example/{number}", TITLE) for number in range(9)]
FILES = [PageLink(f"{HOME}files/{number}.pdf", TITLE) for number in range(9)]


def walks(*seen: tuple[list[PageLink], int]) -> list[str]:
    """Return the links of a new form in the last of some walks, each with its links and its new articles."""
    memory, unknown = None, []
    for links, new in seen:
        forms = NewForms(memory)
        forms.record_read(HOME, links, Pattern.parse(HOME + "article/{id}.html").match)
        memory, unknown = forms.to_memory(new), forms.unknown()
    return unknown


def test_links_above_the_articles_that_the_first_walk_did_not_see():
    assert walks((MENU + OLD, 9), (MENU + NEW + OLD, 2), (MENU + NEW + OLD, 0)) == [link.url for link in NEW]
    assert walks((OLD, 9), (NEW[:2] + OLD, 0)) == []
    assert walks((OLD, 9), (OLD + NEW, 0)) == []
    assert walks((OLD, 9), (MENU + AWAY + FILES + OLD, 0)) == []


def test_other_links_that_were_always_there_or_stay_while_articles_come_are_known():
    assert walks((BANNER + OLD, 9), (BANNER + OLD, 0)) == []
    assert walks((OLD, 9), (BANNER + OLD, 1), (BANNER + OLD, 0)) != []
    assert walks((OLD, 9), (BANNER + OLD, 1), (BANNER + OLD, 1), (BANNER + OLD, 0)) == []
