"""Forms of pages that a rule for ordinary news would get wrong, one small page each."""

import pytest

from extractors import Article, extract

from .pages import BAKERY, HARBOUR, LIBRARY, news_page

URL = "https://gazette.example/town/tides"
ALL = HARBOUR + BAKERY + LIBRARY


def paragraphs(*texts):
    return "".join(f"<p>{text}</p>" for text in texts)


def body_of(page, example=None):
    article = extract(page, URL, example=example)
    assert isinstance(article, Article), article.reason
    return article.text.split("\n\n")


def test_live_blog_keeps_every_entry_and_its_times():
    entries = "".join(f"<div class=entry><h3>1{n}:15</h3><p>{text}</p></div>" for n, text in enumerate(ALL))
    text = body_of(news_page("Storm as it happens", (), body=entries))
    assert [line for line in text if line in ALL] == list(ALL)


def test_headings_and_quotations_between_blocks_of_a_text_stay_though_the_example_has_none():
    def block(name, html):
        return f'<div class="{name}">{html}</div>'

    def page(texts, *, between=""):
        blocks = [block("text", f"<p>{text}</p>") for text in texts]
        box = block("letter", "<h3>Letters</h3><p>Write to us.</p>")
        return news_page("Tides", [], body=block("parts", "".join([blocks[0], box, blocks[1], between, *blocks[2:]])))

    between = block("head", "<h2>What the pier costs</h2>") + block("quote", "<blockquote>It is a lot.</blockquote>")
    texts = [*HARBOUR, *LIBRARY]
    found = body_of(page(texts, between=between), example=page(BAKERY))
    assert found == [*texts[:2], "What the pier costs", "It is a lot.", *texts[2:]]


def test_page_that_is_one_pre():
    letter = "\n".join(ALL)
    assert extract(f"<html><body><pre>{letter}</pre></body></html>", URL).text == letter


def test_page_whose_text_stands_in_table_cells():
    rows = "".join(f"<tr><td>{text}</td></tr>" for text in ALL)
    assert body_of(f"<html><body><table><tr><td><table>{rows}</table></td></tr></table></body></html>") == list(ALL)


def test_comments_longer_than_the_article_stay_out():
    talk = "".join(
        f"<div class=post><b>Gull {n}</b><br>{text} I saw it too.</div>" for n, text in enumerate(BAKERY * 5)
    )
    page = news_page("Tides", (), body=f"{paragraphs(*ALL)}")
    page = page.replace('<div class="side">', f'<div class="talk"><h3>20 comments</h3>{talk}</div><div class="side">')
    assert body_of(page) == list(ALL)


def test_comments_longer_than_a_short_article_stay_out_with_an_example():
    def page(title, texts, voices):
        talk = "".join(f"<div class=post><b>Gull</b><br>{text}</div>" for text in voices)
        return news_page(title, texts).replace(
            '<div class="side">', f'<div class="talk">{talk}</div><div class="side">'
        )

    example = page("Library", LIBRARY * 2, [f"{text} Good." for text in BAKERY[:1]])
    voices = [f"{text} I saw it, number {n}." for n, text in enumerate(BAKERY * 3)]
    assert body_of(page("Tides", HARBOUR[:1], voices), example) == list(HARBOUR[:1])


def test_embedded_post_is_a_block_and_no_text():
    post = '<blockquote class="twitter-tweet"><p>The tide is high.</p></blockquote>'
    page = news_page("Tides", (), body=paragraphs(*HARBOUR) + post + paragraphs(*BAKERY, *LIBRARY))
    found = extract(page, URL)
    assert "The tide is high." not in found.text
    assert [block.text for block in found.blocks if block.kind == "embed"] == ["The tide is high."]


def test_article_made_of_embedded_posts_keeps_them():
    posts = "".join(f'<blockquote class="twitter-tweet"><p>{text}</p></blockquote>' for text in BAKERY)
    page = news_page("What the town says", (), body=paragraphs(*HARBOUR) + posts + paragraphs(*LIBRARY))
    assert body_of(page) == [*HARBOUR, *BAKERY, *LIBRARY]


@pytest.mark.parametrize(
    "page",
    [
        f"<p {' '.join(f'a{n}=1' for n in range(2_000))}>{BAKERY[0]}</p>" + paragraphs(*ALL),
        "<div>" * 20_000 + paragraphs(*ALL),
        paragraphs(*ALL) + "<p>" + "&#65;" * 50_000,
        paragraphs(*ALL).replace(" ", " \0"),
        "<!DOCTYPE a [<!ENTITY b 'ha'><!ENTITY c '&b;&b;&b;'>]>" + paragraphs(*ALL) + "&c;" * 1_000,
    ],
    ids=["attributes", "depth", "references", "nul", "entities"],
)
def test_hostile_page_still_gives_its_text(page):
    article = extract(f"<html><body>{page}</body></html>", URL)
    assert ALL[1] in article.text.replace("  ", " ")
