"""Pages that show next to nothing and ship their text as data."""

import json
from datetime import UTC, datetime

import pytest

from extractors import Article, NoArticle, extract
from extractors.content.embedded_state import MAX_LEVELS, STATED_PROSE

from ..pages import BAKERY, HARBOUR, LIBRARY

TEXTS = HARBOUR + BAKERY + LIBRARY
ALL = [f"{text} {TEXTS[-number]}" for number, text in enumerate(TEXTS)]
URL = "https://gazette.example/town/tides"
HTML = "".join(f"<p>{text}</p>" for text in ALL)
STORY = {"title": "Tides in town", "tags": ["sea", "town"], "body": HTML}


def page(script, shown="Loading …", title="Tides in town | The Gazette"):
    return f"<html><head><title>{title}</title></head><body><div id=app>{shown}</div>{script}</body></html>"


def state(value, kind='type="application/json"'):
    return f"<script {kind}>{json.dumps(value)}</script>"


def body_of(html):
    article = extract(html, URL)
    return [line for line in article.text.split("\n\n") if line != "Tides in town"] if article else []


@pytest.mark.parametrize("body", [HTML, "\n".join(ALL), "&lt;".join(["", *ALL])[4:].replace("&lt;", "\n\n")])
def test_article_body_of_json_ld_is_read_where_nothing_is_shown(body):
    script = state({"@type": "NewsArticle", "articleBody": body}, 'type="application/ld+json"')
    assert body_of(page(script)) == ALL


def test_article_body_of_json_ld_is_read_where_only_its_beginning_is_shown():
    script = state({"@type": "NewsArticle", "articleBody": HTML}, 'type="application/ld+json"')
    assert body_of(page(script, f"<p>{ALL[0]}</p>")) == ALL


def test_article_body_of_json_ld_is_not_read_beside_the_shown_one():
    script = state({"@type": "NewsArticle", "articleBody": HTML + HTML}, 'type="application/ld+json"')
    assert body_of(page(script, HTML)) == ALL


def test_the_description_of_the_only_product_is_read_where_nothing_is_shown():
    product = {"@type": "Product", "name": "Tides in town", "description": HTML}
    assert body_of(page(state(product, 'type="application/ld+json"'))) == ALL
    assert body_of(page(state([product, product], 'type="application/ld+json"'))) == []  # a list of products
    shown = page(state(product | {"description": HTML + HTML}, 'type="application/ld+json"'), HTML)
    assert body_of(shown) == ALL


@pytest.mark.parametrize(
    "script",
    [
        state({"props": {"pageProps": {"menu": ["a", "b"], "post": STORY}}}),
        f"<script>window.__INITIAL_STATE__ = {json.dumps({'story': STORY})};(function(){{}})()</script>",
        f"<script>window['__STATE__']=JSON.parse({json.dumps(json.dumps(STORY))})</script>",
        state({"ROOT_QUERY": {"a": 1}, "Article:7": STORY}),
        state([{"data": 1}, {"title": 2, "body": 3}, "Tides in town", HTML]),
        state({"props": json.dumps(STORY)}),
        f"<textarea>Tides in town</textarea><textarea>{HTML.replace('<', '&lt;')}</textarea>",
    ],
    ids=["next", "assigned", "parsed", "apollo", "flat", "nested", "textareas"],
)  # fmt: skip
def test_text_in_the_state_of_a_framework_is_read(script):
    assert body_of(page(script)) == ALL


def test_strings_of_a_state_that_is_a_function_are_read():
    value = f'{{title:"Tides in town",body:{json.dumps(HTML)},number:a}}'
    assert body_of(page(f"<script>window.__NUXT__=(function(a,b){{return {value}}}(1,2))</script>")) == ALL


def test_list_of_blocks_is_read_in_order_with_its_headings_and_inline_parts():
    blocks = [{"type": "p", "children": [{"text": text[:9]}, {"text": text[9:]}]} for text in ALL]
    blocks.insert(1, {"type": "h2", "children": [{"text": "At high water"}]})
    assert body_of(page(state({"title": "Tides in town", "blocks": blocks}))) == [ALL[0], "At high water", *ALL[1:]]


def test_other_articles_in_the_state_stay_out():
    others = [{"title": f"Story {n}", "body": f"<p>Elsewhere. {text}</p>"} for n, text in enumerate(ALL * 3)]
    assert body_of(page(state({"related": others, "story": STORY}))) == ALL


def test_state_is_not_read_where_the_text_is_shown():
    other = {**STORY, "body": HTML.replace("<p>", "<p>Changed. ")}
    assert body_of(page(state(other), HTML)) == ALL


def test_state_without_the_title_is_not_read():
    assert isinstance(extract(page(state({"title": "Cookies", "body": HTML})), URL), NoArticle)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        '{"a":' * (MAX_LEVELS + 5) + json.dumps(STORY) + "}" * (MAX_LEVELS + 5),
        '{"title": "Tides in town", "body": "\\ud800"}',
        "window.a=" * 10_000,
        'window.__NUXT__="' + "\\x" * 5_000,
        "window.__NUXT__=" + '"a\\' * 100_000,
        "null", "{}", '["", 1, null, true]',
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ['type="application/json"', ""])
def test_broken_state_leaves_the_page_as_it_is(text, kind):
    assert isinstance(extract(page(f"<script {kind}>{text}</script>"), URL), NoArticle)


def test_a_short_chinese_text_is_measured_in_bytes():
    body = "老城的石磨面包坊昨天重新开门，店主说，石磨是在一间旧屋里找到的，已经闲置了几十年。" * 4
    html = page(state({"title": "石磨面包坊", "body": body}), title="石磨面包坊 | 晨报")
    assert len(body) < STATED_PROSE
    assert body_of(html) == [body]


def test_metadata_is_the_page_s():
    article = extract(page(state(STORY)).replace("<head>", '<head><meta name=author content="A. Gull">'), URL)
    assert isinstance(article, Article)
    assert (article.title, article.author) == ("Tides in town", "A. Gull")


def test_date_and_authors_of_the_state_count_where_the_page_declares_none():
    others = [{"title": "Elsewhere", "publishedAt": "2019-01-01", "author": "Ed Moss"}]
    story = {**STORY, "published_at": "2024-03-05T08:30:00Z", "authors": [{"name": "A. Gull", "bio": "At sea."}]}
    html = page(state({"related": others, "story": story}))
    found = extract(html, URL)
    assert (found.author, found.published) == ("A. Gull", datetime(2024, 3, 5, 8, 30, tzinfo=UTC))
    assert extract(html.replace("<head>", '<head><meta name=author content="B. Tern">'), URL).author == "B. Tern"
    entries = [{"title": "Tides in town", "author": "Ed Moss"}, {"body": HTML, "author": "Ed Moss"}]
    assert extract(page(state(entries)), URL).author is None  # several objects
