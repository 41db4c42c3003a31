"""Posts of threads: the forms of eleven engines and of some that show little, and pages that are no threads."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from extractors import Article, extract, posts, read_comments, read_posts
from extractors.content.multipage import joined
from extractors.methods.density.extractor import lines_of_posts
from extractors.page import make_page
from extractors.posts import read_thread

from .pages import BAKERY, HARBOUR, blog_page, news_page, parsed
from .threads import (
    ENGINES,
    FLAT,
    THREAD,
    TITLE,
    answers,
    commented,
    discourse,
    discuz,
    flarum,
    fluxbb,
    forum,
    gitea,
    mumbling,
    phpbb,
    questions,
    smf,
    stack_exchange,
    teasers,
    tieba,
    vbulletin,
    weibo,
    xenforo,
)  # fmt: skip

URL = "https://board.example/t/7"
AUTHORS, TEXTS = [one.author for one in THREAD], [one.text for one in THREAD]
WRITTEN = [(one.author, one.time.replace(tzinfo=None), one.text) for one in THREAD]
THREADS = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


def said(post):
    return post.author, post.time.replace(tzinfo=None, second=0), post.text


def posts_of(page):
    return [said(post) for post in read_posts(page, URL)]


def authors_of(page):
    return [post.author for post in read_posts(page, URL)]


def board(form):
    """A page of the thread whose posts have a form: {0} is the number of a post, {1} the post, {2} its time."""
    posts = (form.format(number, one, one.time.isoformat()) for number, one in enumerate(THREAD, 1))
    return f"<html><body><h1>{TITLE}</h1><ul>{''.join(posts)}</ul></body></html>"


@THREADS
def test_each_post_has_author_time_text_number_anchor_and_html(engine):
    posts = read_posts(engine(THREAD), URL)
    assert [said(post) for post in posts] == WRITTEN
    assert [post.number for post in posts] == list(range(1, len(THREAD) + 1))
    anchors = [post.anchor for post in posts[1:]]  # the opening post of some pages has none
    assert len(set(anchors)) == len(anchors)
    assert all(f'="{anchor}"' in engine(THREAD) or f"='{anchor}'" in engine(THREAD) for anchor in anchors)
    assert all(one.text in post.html for one, post in zip(THREAD, posts, strict=True))


@THREADS
def test_an_article_has_the_posts_of_all_of_its_pages_once(engine):
    second = [replace(one, text=f"{one.text} Again.") for one in THREAD]
    pages = [extract(engine(part), URL, refuse="never") for part in (THREAD, second)]
    article = joined(pages[0], pages[1:])
    texts = [post.text for post in article.posts]
    if engine is ENGINES["hacker_news"]:
        del second[0]  # an opening post of another form is on the first page only
    assert sorted(texts) == sorted(one.text for one in (*THREAD, *second))
    assert [post.text for post in joined(pages[0], [pages[1], pages[1]]).posts] == texts


@pytest.mark.parametrize("engine", [discuz, phpbb, vbulletin, xenforo, discourse, tieba, smf])
def test_the_only_post_of_the_last_page_has_the_form_of_those_before(engine):
    last = replace(THREAD[2], author="dune7", text="The last one: the station opens at noon, and the tea is free.")
    first, second = (extract(engine(part), URL, refuse="never") for part in (THREAD, [last]))
    article = joined(first, [second])
    assert [said(post) for post in article.posts][-1:] == [(last.author, last.time.replace(tzinfo=None), last.text)]
    assert len(article.posts) == len(THREAD) + 1


@pytest.mark.parametrize("engine", [fluxbb, mumbling])
def test_a_name_may_be_text_beside_the_time(engine):
    pages = [make_page(engine(part), URL) for part in (THREAD, THREAD[:1])]  # the last page has one post
    first, second = read_thread(pages, is_thread=True)
    assert [said(post) for post in first] == WRITTEN
    assert [said(post) for post in second] == WRITTEN[:1]


def last_posts(html, *, first=0):
    """The posts of the last of some pages of a task on threads."""
    pages = [make_page(page, URL, fetched_at=datetime(2025, 12, 1, tzinfo=UTC)) for page in html]
    return [said(post) for post in read_thread(pages, is_thread=True, first=first)[-1]]


@pytest.mark.parametrize("engine", FLAT.values(), ids=FLAT)
def test_rows_that_follow_each_other_are_one_post(engine):
    assert last_posts([engine(THREAD)]) == WRITTEN


@pytest.mark.parametrize("users", ["/u/", "//weibo.example/"])
def test_a_text_may_begin_with_the_name(users):
    assert last_posts([weibo(THREAD, users=users)]) == WRITTEN


def test_events_among_posts_do_not_hide_them():
    assert [post for post in last_posts([gitea(THREAD)]) if post[0] != "admin"] == WRITTEN


SIMILAR = (
    '<div><div class=block><h3>Similar threads</h3><a href="/threads/a.1/">Another thread about boats</a> <a '
    'class=username href="/members/z.9/">Zed</a> <time datetime="2025-10-03T10:00:00Z">Oct 3</time></div></div>'
)
BEGAN = (
    '<div><h1>Tide</h1>Thread starter <a class=username href="/members/m.701/">Ann Reed</a> Start date '
    '<time datetime="2025-11-14T08:05:00Z">Nov 14</time></div>'
)


@pytest.mark.parametrize("form", [f"<body>{{}}{SIMILAR}</body>", f"<body>{BEGAN}{{}}</body>"], ids=["similar", "began"])
@pytest.mark.parametrize("count", [1, 2])
def test_what_stands_beside_the_only_posts_is_no_post(form, count):
    post = xenforo(THREAD[:count]).split('<div class="block-body')[1].split("<div class='footer'>")[0]
    page = form.format(f'<div><div class="block"><div class="block-body{post}</div></div>')
    assert last_posts([page]) == WRITTEN[:count]
    assert last_posts([xenforo(THREAD), page], first=1) == WRITTEN[:count]


def test_an_article_above_comments_is_no_post():
    page, declared = (commented(THREAD, lines=HARBOUR, published=is_declared) for is_declared in (False, True))
    assert len(last_posts([page])) == len(WRITTEN) + 1
    assert last_posts([declared]) == WRITTEN


def test_comments_by_the_author_of_an_answer_are_posts_too():
    assert authors_of(answers(THREAD, text=HARBOUR[0])) == ["Ann", "Ann", "Quinn", "Bob", "Ann", "Quinn"]


def test_a_later_page_that_names_who_began_the_thread_has_no_opening_post():
    began = (
        '<ul><li>Thread starter <a class=username href="/members/a.1/">Ann Reed</a></li>'
        '<li>Start date <time datetime="2025-11-14T08:05:00Z">Nov 14, 2025</time></li></ul>'
    )
    first, second = (xenforo(part).replace("<body>", f"<body>{began}") for part in (THREAD[:3], THREAD[3:]))
    pages = [make_page(part, URL) for part in (first, second)]
    assert [said(post) for page in read_thread(pages, is_thread=True) for post in page] == WRITTEN
    assert [said(post) for post in read_thread(pages[1:], is_thread=True, first=-1)[0]] == WRITTEN[3:]


def test_short_posts_of_a_later_page_are_no_teasers():
    short = [replace(one, text=f"顶{number}!") for number, one in enumerate(THREAD)]
    page = tieba(short).replace("楼</span>", "楼</span><a href='/level'>The badge of a harbour friend</a>")
    pages = read_thread([make_page(tieba(THREAD), URL), make_page(page, URL)], is_thread=True)
    assert [post.author for post in pages[1]] == AUTHORS


@pytest.mark.parametrize("text", ["+1", "666", "👍", "？？？"])
def test_a_post_may_have_no_word(text):
    page = phpbb([*THREAD[:2], replace(THREAD[2], text=text), *THREAD[3:]])
    assert read_posts(page, URL)[2].text == text


def test_a_sign_between_the_name_and_the_time_is_no_name():
    form = "<li id=c{0}><div><b>{1.author}</b><i>·</i><time>{1.time:%Y-%m-%d %H:%M}</time></div><p>{1.text}</p>"
    [found] = read_thread([make_page(board(form), URL)], is_thread=True)
    assert [said(post) for post in found] == WRITTEN


@pytest.mark.parametrize(
    "note", ["本帖最后由 海边小王 于 2025-11-16 13:05 编辑", "Last edited by Bob on Thu, edited 1 time in total."]
)
def test_the_note_of_an_edit_is_not_part_of_the_text(note):
    page = ENGINES["discuz"](THREAD).replace(THREAD[3].text, f"<i>{note}</i><br><br>{THREAD[3].text}")
    assert posts_of(page) == WRITTEN


@pytest.mark.parametrize("is_thread", [True, False])
def test_a_further_page_without_names_and_times_has_no_posts(is_thread):
    empty = make_page("<html><body><p>This page of the thread is not available.</p></body></html>", URL)
    first, second = read_thread([make_page(phpbb(THREAD), URL), empty], is_thread=is_thread)
    assert len(first) == len(THREAD)
    assert second == []


def test_a_page_that_may_be_a_thread_is_read_as_one():
    assert [post.author for post in read_posts(mumbling(THREAD), URL)] == AUTHORS


def test_a_thread_may_show_no_times():
    pages = [make_page(flarum(part), URL) for part in (THREAD, THREAD[:1])]
    first, second = read_thread(pages, is_thread=True)
    assert [(post.author, post.time, post.text) for post in first] == [(one.author, None, one.text) for one in THREAD]
    assert [post.author for post in second] == [THREAD[0].author]


@pytest.mark.parametrize("engine", [mumbling, flarum])
def test_of_a_page_that_is_no_thread_a_name_or_a_time_alone_is_no_sign_of_posts(engine):
    assert read_thread([make_page(engine(THREAD), URL)], is_thread=False) == [[]]
    assert read_thread([make_page(engine(THREAD[:2]), URL)], is_thread=True) == [[]]


def test_posts_without_a_class_of_their_own_are_siblings():
    page = board('<li><a href="/user/{0}">{1.author}</a> <time datetime={2}>then</time><div><p>{1.text}</p></div></li>')
    for number in (1, 5):  # of one author
        page = page.replace(f'<li><a href="/user/{number}"', f'<li class=owner><a href="/user/{number}"')
    assert posts_of(page) == WRITTEN


def test_a_time_may_stand_beside_the_name_and_that_of_the_user_is_another():
    page = re.sub(r"<time [^>]*>([^<]*)</time>", r"\1", ENGINES["phpbb"](THREAD))
    assert "</strong> » " in page
    assert "<strong>Joined:</strong> Tue Mar 05, 2019 8:14 pm" in page
    assert posts_of(page) == WRITTEN


@pytest.mark.parametrize(("form", "others"), [("%m-%d-%Y", 29), ("%d-%m-%Y", 29), ("%m-%d-%Y", 5)])
def test_one_date_shows_the_order_of_the_others(form, others):
    thread = [
        replace(one, time=datetime(2025, 11, day, 9, 30)) for one, day in zip(THREAD, (2, 3, 4, others), strict=False)
    ]
    page = re.sub(r"<time [^>]*>[^<]*</time>", "{}", ENGINES["phpbb"](thread).replace("<html lang=en>", "<html>"))
    shown = page.replace("{", "{{").replace("}", "}}").replace("{{}}", "{}")
    posts = read_posts(shown.format(*(f"{one.time:{form}, %I:%M %p}" for one in thread)), URL)
    assert [post.time for post in posts] == [one.time if others == 29 else None for one in thread]


@pytest.mark.parametrize("label", ["J", "OP", "Author", "楼主"])
def test_a_letter_in_place_of_a_picture_and_a_label_are_no_names(label):
    form = (
        f'<li class=post><a href="/user/{{0}}"><span class=avatar>{label}</span></a> <a href="/user/{{0}}">{{1.author}}'
        f'</a> <time datetime="{{2}}"></time><b class=author>{label}</b><p>{{1.text}}</p></li>'
    )
    assert authors_of(board(form)) == AUTHORS


@THREADS
@pytest.mark.parametrize("text", ["11月15日上午去过，门已经漆好。", "2025-11-15 到过验潮站"])
def test_a_short_text_with_a_date_is_no_time(engine, text):
    thread = [*THREAD[:3], replace(THREAD[3], text=text), *THREAD[4:]]
    posts = read_posts(engine(thread), URL, fetched_at=datetime(2025, 11, 20, tzinfo=UTC))
    assert [post.text for post in posts] == [one.text for one in thread]


def test_what_is_named_as_the_text_may_be_around_the_time():
    places = iter(("Mole", "Weir", "Sluice", "Groyne", "Slip", "Quay"))
    page = ENGINES["phpbb"](THREAD).replace('class="inner"', 'class="post_message"')
    page = re.sub("<dd class=.profile-joined.>", lambda found: f"<dd>Lives by the {next(places)}</dd>{found[0]}", page)
    inner = page.replace('class="content"', 'class="body"')
    bare = page.replace('class="content"', "")
    for each in (page, inner, bare):
        assert [post.time.replace(tzinfo=None) for post in read_posts(each, URL)] == [time for _, time, _ in WRITTEN]
    assert [post.text for post in read_posts(page, URL)] == TEXTS


def test_links_and_pictures_of_a_post_are_absolute_and_safe():
    text = '<a href="/pier">Here</a> it is. <img src="gauge.png" onerror="alert(1)"><script>alert(2)</script>'
    page = ENGINES["xenforo"](THREAD).replace(THREAD[1].text, text)
    html = read_posts(page, URL)[1].html
    assert '<a href="https://board.example/pier">Here</a>' in html
    assert '<img src="https://board.example/t/gauge.png">' in html
    assert "alert" not in html


def test_the_card_of_an_editor_is_no_post_and_the_time_of_an_edit_is_not_that_of_the_post():
    card = (
        '<div class="user-info"><div class="user-action-time fl-grow1"><a href="/posts/1/revisions" title="all edits">'
        'edited <span title="2026-01-02 10:00:05Z" class="relativetime">Jan 2 at 10:00</span></a></div><div '
        'class="user-details"><a href="/users/9/ed">Ed Itor</a> <span class="-flair">26.3k</span> 12 gold badges</div>'
        "</div>"
    )
    page = stack_exchange(THREAD).replace('<div class="user-info', f'{card}<div class="user-info')
    assert page.count(card) >= 3
    assert posts_of(page) == WRITTEN


def test_a_part_of_a_post_that_has_its_time_and_quotes_somebody_is_no_post():
    page = board(
        '<article class=entry id=e{0}><aside><a class=username href="/user/{0}">{1.author}</a></aside>'
        "<div class=wrap id=w{0}><b class=date><time datetime={2}>{1.time:%d}</time></b>"
        '<blockquote><a class=username href="/user/q{0}">Quoted {0}</a> said: It is shut.</blockquote>'
        "<p>{1.text}</p></div></article>"
    )
    assert authors_of(page) == AUTHORS
    assert all(text in post.text for text, post in zip(TEXTS, read_posts(page, URL), strict=True))


def test_names_and_times_that_a_post_quotes_are_part_of_its_text():
    said_by = '<a class="username" href="/user/9">Bob</a> wrote on <time datetime="2026-11-02">2 Nov</time>'
    quote = f"<blockquote>{said_by}: the doors are painted</blockquote>They are green."
    post = read_posts(ENGINES["phpbb"](THREAD).replace(THREAD[4].text, quote), URL)[4]
    assert said(post)[:2] == ("Ann Reed", datetime(2025, 11, 16, 13, 1))
    assert post.text == "Bob wrote on 2 Nov: the doors are painted\nThey are green."


@pytest.mark.parametrize("engine", ["phpbb", "smf", "xenforo"])
def test_a_quotation_is_not_the_text_even_if_most_posts_have_one(engine):
    quotation = f"<blockquote class=quote><div class=quote-content>{' '.join(BAKERY)}</div></blockquote>"
    page = ENGINES[engine](THREAD)
    for one in THREAD[1:]:
        page = page.replace(one.text, f"{quotation}{one.text}")
    found = read_posts(page, URL)
    assert [said(post)[:2] for post in found] == [written[:2] for written in WRITTEN]
    assert all(one.text in post.text for one, post in zip(THREAD, found, strict=True))


@pytest.mark.parametrize("engine", ["phpbb", "vbulletin", "xenforo"])
def test_the_text_is_what_most_posts_name_so(engine):
    preview = f'<aside><div class="article-body">{" ".join(BAKERY)}</div></aside>'
    card = f'<div class="card-body">{" ".join(HARBOUR)}</div>'  # longer than the post
    page = ENGINES[engine](THREAD).replace(THREAD[2].text, f"{THREAD[2].text}{preview}{card}")
    found = read_posts(page, URL)
    assert [said(post)[:2] for post in found] == [written[:2] for written in WRITTEN]
    assert all(one.text in post.text for one, post in zip(THREAD, found, strict=True))


@pytest.mark.parametrize("counts", [(2, 3, 1), (1, 2, 0, 2), (1, 1, 0), (3, 1)])
def test_a_list_of_comments_is_no_post_and_ids_stay_when_it_grows(counts):
    anchors = [
        anchor
        for n, count in enumerate(counts)
        for anchor in (f"answer-{n}", *(f"comment-{n}{m}" for m in range(count)))
    ]
    posts = read_posts(questions(THREAD, counts=counts, lines=BAKERY), URL)
    assert [post.anchor for post in posts] == anchors
    assert [post.text for post in posts if post.author.startswith("writer")] == list(BAKERY[: len(counts)])


@pytest.mark.parametrize("parts", ["<li class=reply><div class=content>{}</div></li>", "<li>{}</li>"])
def test_what_is_named_as_a_text_and_holds_name_and_time_is_the_whole_post(parts):
    form = parts.format("<b>{1.author}</b> <time datetime={2}>{1.time:%d %B}</time><p>{1.text}</p>")
    (found,) = read_thread([make_page(board(form), URL)], is_thread=True)
    assert [said(post) for post in found] == WRITTEN


def test_the_author_that_a_post_declares_counts_before_a_name_in_it():
    page = re.sub(
        r"(<[^>]* data-author=[^>]*>)", r'\1<a class="username" href="/members/q.9/">Quinn</a>', xenforo(THREAD)
    )
    assert page.count("Quinn") == len(THREAD)
    assert authors_of(page) == AUTHORS


def test_a_line_of_a_post_is_a_paragraph_and_not_a_line_of_the_source():
    text = "The doors\n  are <i>green</i>\nnow.<br>The tea\nis free.<pre>one\n  two</pre>And\nso on."
    page = ENGINES["phpbb"](THREAD).replace(THREAD[4].text, text)
    assert read_posts(page, URL)[4].text == "The doors are green now.\nThe tea is free.\none\ntwo\nAnd so on."


def test_numbers_go_on_where_the_page_begins():
    shown = vbulletin(THREAD).replace(">#1<", ">#21<").replace(">#2<", ">#22<")
    declared = phpbb(THREAD).replace('<div class="content">', '<b itemprop="position">21</b><div class="content">', 1)
    for page in (shown, declared):
        assert [post.number for post in read_posts(page, URL)][:2] == [21, 22]


LINES = (*BAKERY, *HARBOUR)


@pytest.mark.parametrize("page", [
    news_page("Bread", BAKERY), news_page("Town", (), body=teasers(THREAD, lines=LINES)), forum(THREAD, lines=LINES),
    "<p>One line.</p>",
])  # fmt: skip
def test_articles_teasers_and_lists_of_threads_have_no_posts(page):
    assert read_posts(page, URL) == []


def test_comments_below_an_article_are_posts_of_its_page():
    comments = board(
        '<li class="comment" id="comment-{0}"><b class="fn">{1.author}</b><time datetime="{2}"></time>'
        '<div class="comment-content"><p>{1.text}</p></div></li>'
    )
    page = blog_page(BAKERY).replace("</body>", f"{re.search('<ul>.*</ul>', comments)[0]}</body>")
    article = extract(page, URL)
    assert isinstance(article, Article)
    assert [post.text for post in article.posts][-len(THREAD) :] == TEXTS
    assert [post.text for post in read_comments(page, URL)] == TEXTS


def test_the_lines_of_a_thread_that_are_in_its_posts():
    quoted = f"<b>Bob</b> {THREAD[2].text}"
    page = phpbb(THREAD).replace("It was shut", "It\n was shut").replace("they say", "they\nsay")
    page = page.replace(THREAD[5].text, f"Bring a coat.<p>{THREAD[5].text.replace(' the', chr(10) + 'the')}")
    page = page.replace("</body>", f"<p>Bring a coat<p>On Monday<p>{quoted}<p>{BAKERY[0]}</body>")
    lines = parsed(page, URL)
    flags = lines_of_posts(lines)
    assert [text for text, is_in in zip(lines.lines.texts, flags, strict=True) if is_in] == [
        *(one.text for one in THREAD[:5]), "Bring a coat.", THREAD[5].text,
    ]  # fmt: skip
    assert lines_of_posts(parsed(phpbb(THREAD[:1]), URL)) is None


@pytest.mark.parametrize("engine", ["discourse", "hacker_news", "phpbb", "reddit"])
def test_the_text_of_a_thread_is_that_of_its_posts_alone_and_beside_another_thread(engine):
    other = [replace(one, text=f"{one.text} The harbour office knows no more about it.") for one in THREAD]
    alone = extract(ENGINES[engine](THREAD), URL, refuse="never")
    beside = extract(ENGINES[engine](THREAD), URL, example=ENGINES[engine](other), refuse="never")
    for article in (alone, beside):
        assert all(one.text in article.text for one in THREAD[1:]), article.text


def test_the_posts_by_which_the_text_was_found_are_not_read_again(monkeypatch):
    article = extract(discourse(THREAD), URL, refuse="never")
    monkeypatch.setattr(posts, "MarkedPage", None)
    assert [one.text for one in article.posts] == TEXTS
    article.posts.clear()
    assert article.posts
