import gc

import pytest

from extractors import Section, UnusablePage, extract
from extractors.methods.example import extractor as example_module
from extractors.page import Page
from tests.extractors.pages import BAKERY, HARBOUR, LIBRARY, blog_page, news_page

EXAMPLE = news_page("Tide station opens", HARBOUR)


def body(article, title):
    return [text for text in article.text.split("\n\n") if text != title]


def test_body_is_cut_from_what_both_pages_share():
    page = news_page("Bread from old stones", BAKERY, related=("Lost dog", "Choir looks for tenors"))
    article = extract(page, example=EXAMPLE)
    assert body(article, "Bread from old stones") == list(BAKERY)
    assert article.method == "example"
    assert "surrounding lines match" in article.reason


def test_short_body_is_found_where_the_densest_text_is_another():
    page = news_page("Closed", ["The pier is closed."])
    assert body(extract(page, example=EXAMPLE), "Closed") == ["The pier is closed."]


def test_example_from_another_site_is_not_used_and_the_reason_says_so():
    page = news_page("Bread from old stones", BAKERY)
    article = extract(page, example=blog_page(HARBOUR))
    alone = extract(page)
    assert article.method == "density"
    assert article.reason.startswith("example differs: ")
    assert article.text == alone.text


def test_example_itself_is_cut_by_its_own_paths():
    article = extract(EXAMPLE, example=EXAMPLE)
    assert body(article, "Tide station opens") == list(HARBOUR)
    assert article.method == "example"
    assert "nearly the same text" in article.reason


def test_page_whose_surroundings_are_long_and_the_same_is_no_twin():
    notices = "".join(f"<p>Notice {word}: the pier is closed to carts when the lamp is lit." for word in "abcdefghijkl")

    def page(title, text):
        footer = f"<nav>{notices}</nav>"
        return f"<title>{title}</title><div class=story><h1>{title}</h1><p>{text}</p></div>{footer}"

    example = page("Pier opens", "The pier opens at nine, and the ferry leaves soon after.")
    article = extract(page("Bread", "Bread is sold in the mill, and it is still warm at noon."), example=example)
    assert body(article, "Bread") == ["Bread is sold in the mill, and it is still warm at noon."]
    assert "surrounding lines match" in article.reason


def flash_page(title, text):
    """Return a page whose one sentence stands above notices of its site, prose in elements of the same form."""
    notices = "".join(
        f"<p>Notice {number}: {words}, unless the harbour office has agreed in writing before.</p>"
        for number, words in enumerate(NOTICES, 1)
    )
    return (
        f"<title>{title} - Harbour Ticker</title><ul><li><a href=/>Home</a></ul>"
        f"<h1>{title}</h1><div class=time>2026-11-03 10:24</div><div class=news><p>{text}</p></div><div>{notices}</div>"
    )


NOTICES = (
    "no text of this ticker may be printed by anybody", "prices of fish are shown without warranty",
    "letters to the editors are printed in a shorter form", "times of ferries are those of the day before",
    "readers may not use the names of our reporters", "pictures of the harbour are not for sale in any shop",
)  # fmt: skip


def test_notices_longer_than_one_sentence_of_news_are_the_sites_even_if_the_example_is_read_as_them():
    example = flash_page("Pier opens", "The pier opens at nine, and the ferry leaves soon after.")
    assert "Notice 1" in extract(example).text  # alone they are the likelier body
    section = Section(example)
    for title, text in [
        ("Bread", "Bread is sold in the mill, and it is still warm at noon."),
        ("Storm", "A storm warning holds until the evening."),
        ("Lamp", "The lamp of the lighthouse has been repaired."),
    ]:
        page = flash_page(title, text)
        assert body(section.extract(page), title) == [text]
        section.learn(page)


def test_short_bodies_are_less_certain():
    long = extract(news_page("Bread", BAKERY), example=EXAMPLE)
    short = extract(news_page("Closed", ["The pier is closed."]), example=EXAMPLE)
    assert 0 <= short.confidence < long.confidence <= 1


def test_learned_pages_outvote_an_example_with_a_quirk():
    notice = "<p>From now on this paper carries a puzzle on its last page, bring your own pencil.</p>"
    page = news_page("Bread", BAKERY, body="".join(f"<p>{t}</p>" for t in BAKERY) + f"<div>{notice}</div>")
    others = [news_page("Books", LIBRARY, body="".join(f"<p>{t}</p>" for t in LIBRARY) + f"<div>{notice}</div>")] * 2
    section = Section(EXAMPLE)
    before = section.extract(page)
    for other in others:
        section.learn(other)
    after = section.extract(page)
    assert "puzzle" in before.text
    assert "puzzle" not in after.text
    assert after.reason.startswith("vote of 3 pages")


def test_pages_of_another_site_abstain():
    section = Section(EXAMPLE)
    section.learn(blog_page(LIBRARY))
    article = section.extract(news_page("Bread", BAKERY))
    assert body(article, "Bread") == list(BAKERY)
    assert "vote" not in article.reason


def test_memory_keeps_the_example_and_the_latest_pages():
    section = Section(EXAMPLE)
    for number in range(20):
        section.learn(news_page(f"Story {number}", [f"{text} ({number})" for text in LIBRARY]))
    article = section.extract(news_page("Bread", BAKERY))
    assert article.reason.startswith(f"vote of {example_module.MEMORY} pages")


def test_extraction_leaves_the_section_as_it_was():
    section = Section(EXAMPLE)
    page = news_page("Bread", BAKERY)
    first = section.extract(page)
    section.extract(blog_page(LIBRARY))
    assert section.extract(page) == first


def test_section_does_not_grow_with_the_pages_it_has_seen(monkeypatch):
    monkeypatch.setattr(example_module, "MAX_TRIE", 60)
    section = example_module.Example(Page(EXAMPLE))
    sizes = []
    for number in range(70):
        classes = "".join(chr(97 + int(digit)) for digit in str(number))
        page = news_page("Bread", BAKERY, body=f'<div class="{classes}"><p>{"</p><p>".join(BAKERY)}</div>')
        assert body(section.extract(Page(page)), "Bread") == list(BAKERY)
        sizes.append(section._trie.size)
    assert 60 < max(sizes) < 110


def test_pages_are_freed_without_the_garbage_collector():
    section = Section(EXAMPLE)
    page = news_page("Bread", BAKERY)
    section.extract(page)
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for _ in range(20):
            section.extract(page)
        assert len(gc.get_objects()) - before < 50
    finally:
        gc.enable()


@pytest.mark.parametrize("example", ["<html><body></body></html>", "<p>Hi</p>"])
def test_example_without_text_is_refused(example):
    with pytest.raises(UnusablePage, match="example"):
        Section(example)


def named_page(title, paragraphs):
    """Return a page whose <h1> and og:title are the site's name, as is half of its <title>."""
    head = '<meta property="og:title" content="Notes from the Square">'
    page = news_page(title, paragraphs, head=head).replace(f"<h1>{title}</h1>", f"<h2>{title}</h2>")
    return page.replace("<body>", "<body><h1>Notes from the Square</h1>").replace(
        "- The Gazette", "· Notes from the Square"
    )


def test_title_that_the_example_has_too_is_no_title():
    section = Section(named_page("Tide station opens", HARBOUR), "https://notes.example/1.html")
    assert section.extract(named_page("Bread", BAKERY), "https://notes.example/2.html").title == "Bread"


def test_example_itself_keeps_its_title():
    page = news_page("Tide station opens", HARBOUR).replace(" - The Gazette", "")
    section = Section(page, "https://gazette.example/1.html")
    section.learn(page, "https://gazette.example/1.html")
    assert section.extract(page, "https://gazette.example/1.html").title == "Tide station opens"
    assert section.extract(page).title == "Tide station opens"


@pytest.mark.parametrize("rows", ["<table>{}</table>", "<dl>{}</dl>"])
def test_table_with_the_example_s_labels_and_other_numbers_stays(rows):
    def page(title, paragraphs, weight, price):
        row = "<tr><th>{}</th><td>{}</td></tr>" if "table" in rows else "<dt>{}</dt><dd>{}</dd>"
        cells = rows.format(row.format("Weight", weight) + row.format("Price", price))
        before, after = (f"<p>{text}</p>" for text in paragraphs[:2])
        return news_page(title, (), body=f"{before}{cells}{after}<p>{paragraphs[2]}</p>")

    example = page("A mill for coffee", HARBOUR, "12 kg", "129.00 €")
    text = extract(page("A mill for spelt", BAKERY, "17 kg", "99.50 €"), example=example).text
    assert all(cell in text for cell in ("Weight", "17 kg", "Price", "99.50 €"))
