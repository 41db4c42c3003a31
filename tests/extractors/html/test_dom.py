import pytest

from extractors import UnusablePage
from extractors.html.dom import MAX_DEPTH, inner_text, parse, to_html

FAR_TOO_DEEP = 5_000  # levels; lxml gives up at some 2,000


def depth(root):
    return max(len(list(element.iterancestors())) for element in root.iter())


@pytest.mark.parametrize("tag", ["div", "span", "b"])
def test_text_below_the_parser_s_limit_is_not_lost(tag):
    root = parse(f"<p>before</p>{f'<{tag}>' * FAR_TOO_DEEP}the deep text")
    assert inner_text(root) == "beforethe deep text"


def test_tree_of_a_deep_page_is_shallow():
    root = parse(f"{'<div>' * FAR_TOO_DEEP}text")
    assert depth(root) <= MAX_DEPTH + 2  # below html and body


@pytest.mark.parametrize("mark", ["\u00ad", "&shy;", "&#173;", "&#xAD;"])
def test_soft_hyphens_are_no_part_of_words(mark):
    assert inner_text(parse(f"<p>Hafen{mark}kapi{mark}tän</p>")) == "Hafenkapitän"


def test_what_follows_a_deep_part_keeps_its_place():
    deep = f"{'<b>' * FAR_TOO_DEEP}deep{'</b>' * FAR_TOO_DEEP}"
    root = parse(f"<div><p>before</p>{deep}<i>unclosed<p>one<p>two</p></div><p>after</p>")
    assert [inner_text(element) for element in root.iter("p")] == ["before", "one", "two", "after"]
    assert root.find(".//p[last()]").getparent().tag == "div"
    assert [inner_text(element) for element in root.findall("body/p")] == ["after"]


@pytest.mark.parametrize(
    "tag",
    ["o:p", "p\x01x", "div x:y=1 1a=2 @b=3", "div a\x02='\x03'", "x xmlns:o='u' xmlns='k'", "a:"],
    ids=["prefix", "control", "attributes", "values", "namespaces", "end"],
)
def test_deep_page_with_names_that_a_tree_refuses_keeps_its_text(tag):
    root = parse(f"<p>before{f'<{tag}>' * FAR_TOO_DEEP}the deep\x04 <o:p><i>text</i></o:p>")
    assert inner_text(root)[:6] == "before"
    assert inner_text(root).endswith("the deep text")


def test_nul_characters_are_dropped():
    assert inner_text(parse("<p>he\0llo</p>")) == "hello"


def test_lone_surrogates_do_not_stop_the_parser():
    assert inner_text(parse("<p>a\ud800b</p>")) == "a?b"


@pytest.mark.parametrize("nothing", ["", "   ", "<!-- only a comment -->", "\0\0"])
def test_page_without_any_element_is_unusable(nothing):
    with pytest.raises(UnusablePage):
        parse(nothing)


def test_page_with_too_many_tags_is_read_up_to_a_cap(monkeypatch):
    monkeypatch.setattr("extractors.html.dom.MAX_TAGS", 10)
    monkeypatch.setattr("extractors.html.dom.TAGS_STEP", 30)
    root = parse("<p>a</p>" * 100)
    assert 4 <= len(root.findall(".//p")) < 20


def test_fewer_tags_are_read_of_a_page_that_is_nested_too_deep(monkeypatch):
    monkeypatch.setattr("extractors.html.dom.MAX_DEEP_TAGS", 2 * FAR_TOO_DEEP + 10)
    monkeypatch.setattr("extractors.html.dom.TAGS_STEP", 30)
    root = parse(f"{'<b>' * FAR_TOO_DEEP}x{'</b>' * FAR_TOO_DEEP}{'<p>a</p>' * 100}")
    assert 4 <= len(root.findall(".//p")) < 20


@pytest.mark.parametrize("end", ["</body></html>", "</BODY></HTML >", "</html>", "</body></html><!-- served -->"])
def test_what_follows_the_end_of_the_document_is_read(end):
    root = parse(f"<html><body><p>a</p>{end}<p>b</p></body></html>")
    assert [p.text for p in root.iter("p")] == ["a", "b"]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a\x1b[2Jb", "a[2Jb"),
        ("a&#27;b", "a b"),
        ("a\x0bb\x0cc\x85d", "a b c d"),
        ("a\x9b\x81\x7fb", "a b"),
        ("a&#129;b&#x9d;", "a b "),
        ("a&#13;\nb&#xd;c", "a\nb\nc"),
        ("a\tb\nc&#9;&#10;&#101;&#x65;&#155;&#12354;", "a\tb\nc\t\nee›あ"),
    ],
)
def test_control_characters_are_no_text(written, text):
    assert inner_text(parse(f"<pre>{written}</pre>")) == text


def test_attributes_with_the_start_of_a_comment_stay_whole():
    source = (
        '<p title="a<!--b">&lt;i&gt; <a href="/<!--?x=1&amp;y=%20">é</a><img src="/é<!--.png" alt="<!-- ü -->"></p>end'
    )
    element = parse(source).find(".//p")
    again = parse(to_html(element)).find(".//p")
    assert [each.get(name) for each, name in ((again, "title"), (again[1], "alt"))] == ["a<!--b", "<!-- ü -->"]
    assert [again[0].get("href"), again[1].get("src")] == ["/%3C!--?x=1&y=%20", "/%C3%A9%3C!--.png"]
    assert inner_text(again) == inner_text(element) == "<i> é"
    assert to_html(element, with_tail=True) == f"{to_html(element)}end"
    assert element.get("title") == "a<!--b"
