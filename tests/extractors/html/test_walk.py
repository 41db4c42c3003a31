"""The compiled walk gives what the Python walk gives, and without it nothing is different."""

import os
import random
import sys

import pytest
from lxml import etree

from evaluation.same_walk import OWN, WalkComparison, compare_folder, compare_own, mutated
from evaluation.sample_site import truth
from extractors import html
from extractors.html import walk as walking
from extractors.html.elements import KINDS, MAX_DEPTH, hides, is_for_screen_readers
from extractors.html.paths import TEXTUAL, PathTrie
from extractors.html.python_walk import fold
from tests.extractors.pages import BAKERY, HARBOUR, blog_page, news_page
from tests.hostile.forms import PIECES
from tests.samples import sample
from tests.site.server import SiteServer

compiled = pytest.mark.usefixtures("compiled_walk")
MUTATIONS = sample(2, 12)  # of each page


@pytest.fixture
def compiled_walk() -> None:
    """The compiled walk. Where it cannot be built its tests are skipped, in CI they fail."""
    if walking.walk_in_use() != "compiled":
        missing = pytest.fail if "CI" in os.environ else pytest.skip
        missing("the walk is not compiled here")


def same(comparison: WalkComparison) -> bool:
    assert comparison.differences == []
    return comparison.counts["pages"] > 0


@compiled
def test_both_forms_agree_on_pages_of_our_own_and_on_mutations_of_them():
    comparison = WalkComparison()
    compare_own(comparison, MUTATIONS, 0, "tests")
    assert same(comparison)


@compiled
def test_both_forms_agree_on_the_sample_site(tmp_path):
    with SiteServer() as site:
        for section in ("zh", "en"):
            (tmp_path / section).mkdir()
            for number, article in enumerate(truth(section)[:: sample(3, 1)]):
                body = site.answer("GET", article.path, "").body
                (tmp_path / section / f"{number}.html").write_bytes(body)
    comparison = WalkComparison()
    compare_folder(comparison, tmp_path, sample(0, 1))
    assert same(comparison)
    assert comparison.counts["auto"] >= len(truth("zh")) // 3


@compiled
def test_both_forms_agree_on_hostile_forms():
    comparison = WalkComparison()
    pages = [news_page("Tides", HARBOUR), blog_page(BAKERY)]
    for piece in sample(PIECES[::20], PIECES):
        chance = random.Random(piece)
        page = chance.choice(pages).encode()
        place = chance.randrange(len(page))
        comparison.add(repr(piece), page[:place] + (piece * 100).encode() + mutated(page[place:], chance))
    assert same(comparison)


@compiled
@pytest.mark.parametrize("levels", range(MAX_DEPTH - 1, MAX_DEPTH + 2))
@pytest.mark.parametrize("form", ["<div>{}", "<span>{}", "<pre>{}", "<a href=/x>{}", "<li>{}<p>", "<b>x{}"])
def test_both_forms_agree_around_the_depth_limit(levels, form):
    opening, _, closing = form.partition("{}")
    comparison = WalkComparison()
    comparison.add(form, (opening * levels + "text <i>deep</i> tail<br>below" + closing).encode())
    assert same(comparison)


@compiled
@pytest.mark.parametrize(
    "page",
    [
        "<body xmlns:a='http://a'><a:b>one</a:b><p>two</p></body>",
        "<body><p>one<!-- two -->three</p></body>",
        "<body><p>one<?two?>three</p></body>",
        "<body><p a:class='x' xmlns:a='http://a'>one</p></body>",
        "<!DOCTYPE body [<!ENTITY e 'two'>]><body><p>one&e;three</p></body>",
        "<body>" + "".join(f"<t{number}>x</t{number}>" for number in range(2_000)) + "</body>",
        "<body>" + "<p>x<![CDATA[<y> ]]>z</p>" * 3 + "</body>",
    ],
)
def test_what_only_other_parsers_make_is_walked_alike(page):
    parser = etree.XMLParser(resolve_entities=False, strip_cdata=False)
    root = etree.fromstring(page, parser)
    found = walking.walk(root, PathTrie(), True, 100)
    with walking.in_python():
        expected = walking.walk(root, PathTrie(), True, 100)
    assert walking.as_lists(found) == walking.as_lists(expected)


@compiled
def test_values_of_links_are_those_of_their_elements():
    parser = etree.XMLParser(resolve_entities=False, attribute_defaults=False)
    html = "<a href='/x?a=1&amp;b=\u4e2d'>a</a><a>b</a><a href=''>c</a>"
    mixed = "<!DOCTYPE body [<!ENTITY e 'y'>]><body><a href='/x'>a</a><a href='/&e;'>b</a></body>"
    for root in (etree.fromstring(html, etree.HTMLParser()), etree.fromstring(mixed, parser)):
        links = walking.walk(root, PathTrie(), True, 100).link_elements
        assert links.values("href") == [link.get("href") or "" for link in links] != []


@compiled
def test_a_walk_that_finds_something_else_is_not_used():
    from extractors.html.compiled_walk import Walker

    root = etree.fromstring(OWN[0], etree.HTMLParser())
    rules = TEXTUAL, hides, is_for_screen_readers, fold, MAX_DEPTH
    assert walking.agrees(Walker(KINDS, *rules), root)
    assert not walking.agrees(Walker(KINDS | {"b": KINDS["p"]}, *rules), root)


@compiled
@pytest.mark.parametrize(("value", "is_compiled"), [("1", False), ("yes", False), ("0", True), ("", True)])
def test_the_environment_chooses_the_python_form(value, is_compiled, monkeypatch):
    monkeypatch.setenv(walking.PURE, value)
    assert (walking._load() is not None) == is_compiled


def test_without_the_compiled_module_the_python_form_is_used(monkeypatch):
    monkeypatch.setitem(sys.modules, "extractors.html.compiled_walk", None)
    monkeypatch.delattr(html, "compiled_walk", raising=False)  # else it is taken from the package
    assert walking._load() is None
