from datetime import UTC, date, datetime

import pytest

from extractors import Post, extract, read_comments
from tests.extractors.pages import BAKERY, blog_page

FETCHED = datetime(2026, 11, 20, 9, tzinfo=UTC)
WORDPRESS = """
<ol class="comment-list"><li id="comment-5" class="comment even"><article id="div-comment-5" class="comment-body">
<footer><div class="comment-author vcard"><img class="avatar" src="/a.png" alt=""><b class="fn">Ann Reed</b>
<span class="says">says:</span></div><a href="#c"><time datetime="2026-11-18T10:00:00+00:00">Nov 18</time></a></footer>
<div class="comment-content"><p>The crust is right.</p><p>Mine took<br>longer.</p></div>
<a class="comment-reply-link">Reply</a></article>
<ol class="children"><li id="comment-6" class="comment odd"><article class="comment-body"><b class="fn">Bob</b>
<div class="comment-content"><p>Ours as well.</p></div></article></li></ol></li></ol>"""
MICRODATA = """
<div itemscope itemtype="https://schema.org/Comment"><span itemprop="author">Ann Reed</span>
<meta itemprop="datePublished" content="2026-11-18"><div itemprop="text">The crust is right.</div></div>"""
CHINESE = """
<div class="comment"><h3>2条评论</h3><div class="comment-item"><span class="nickname">安妮：</span>
<span class="time">昨天</span><p>面包很好。</p><a>回复</a></div>
<div class="comment-item"><span class="user-name">老王</span><p>同意。</p></div></div>"""
DECLARED = """
<script type="application/ld+json">{"@type": "NewsArticle", "headline": "x", "comment": [
{"@type": "Comment", "author": {"name": "Ann Reed"}, "dateCreated": "2026-11-18", "text": "The crust is right."},
{"text": "no author"}, 7]}</script>"""


def comments(part):
    return read_comments(f"<html><body><article><p>{BAKERY[0]}</p></article>{part}</body></html>", fetched_at=FETCHED)


@pytest.mark.parametrize(
    ("part", "found"),
    [
        (
            WORDPRESS,
            [
                Post("Ann Reed", datetime(2026, 11, 18, 10, tzinfo=UTC), "The crust is right.\nMine took\nlonger."),
                Post("Bob", None, "Ours as well."),
            ],
        ),
        (MICRODATA, [Post("Ann Reed", date(2026, 11, 18), "The crust is right.")]),
        (CHINESE, [Post("安妮", date(2026, 11, 19), "面包很好。"), Post("老王", None, "同意。")]),
        (DECLARED, [Post("Ann Reed", date(2026, 11, 18), "The crust is right.")]),
        ("<div class=comments>Be the first</div><p class=author>Ann</p>", []),
        ("<div class=comment><b class=author>Ann</b><a>Reply</a></div>", []),
        ("<div class=comment hidden><b class=author>Ann</b><p hidden>a</p><script>b</script></div>", []),
    ],
)
def test_comments_have_author_time_and_text(part, found):
    assert comments(part) == found


def test_comments_are_no_part_of_the_body():
    article = extract(blog_page(BAKERY).replace("</body>", f"{WORDPRESS}</body>"))
    assert "crust is right" not in article.text
    assert "crust is right" not in article.html


def test_an_element_that_contains_more_than_a_name_names_no_author():
    assert comments(f"<div class=comment>{'<div class=author>' * 400}{'a long text ' * 20}</div>") == []


def test_nested_comments_are_read_once():
    depth = 150
    reply = '<div class="comment"><b class="author">Ann</b><p class="text">One line.</p>'
    assert comments(reply * depth + "</div>" * depth) == [Post("Ann", None, "One line.")] * depth
