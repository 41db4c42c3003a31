# ruff: noqa: E501 - markup as it is written
"""Hand-made list pages: the forms in which sites write the entries of a section, amid menus, widgets and a footer."""

STORIES = (
    ("Tide station opens at the old pier", "The harbour office opened its new tide station on Monday after two years."),
    ("Bread from old stones", "A bakery in the old town has begun to bake with flour from a mill of its own."),
    ("Books on the road again", "The travelling library will stop in four more villages from the first of the month."),
    ("A chimney for the bakery", "A second oven is to follow in spring, if the council allows the chimney."),
    ("Ferry sails an hour later", "From Thursday the last ferry leaves at nine, as fishermen and cooks had asked."),
    ("Swimming bath closes for repairs", "Tiles have come loose in the basin, and the boiler is older than the house."),
    ("Choir looks for basses", "Whoever can hold a low note is asked to come to the school on Tuesday evening."),
)  # fmt: skip
RECENT = (
    "Rowers win by a length",
    "Chess club moves out",
    "New goal posts for the meadow",
    "Long walk to the lighthouse",
)
MENU = ("Home", "Town", "Sport", "Weather", "Letters", "Culture", "Contact", "Shop", "Archive")
TAGS = ("harbour", "bread", "council", "school", "choir", "ferry", "weather", "books", "sport", "people")


def links(names, tag="li", folder="section", kind=""):
    return "".join(f'<{tag}{kind}><a href="/{folder}/{name.lower()}/">{name}</a></{tag}>' for name in names)


def day(number):
    return f"2026-03-{number + 10:02}"


def each(form, stories=STORIES):
    """Return the form filled with each story: n, title, url, text, day, word (one that differs by entry)."""
    return "".join(
        form.format(
            n=n, title=title, url=f"/2026/03/story-{n}.html", text=text, day=day(n), word=f"k{n * 7919 % 9973}x"
        )
        for n, (title, text) in enumerate(stories)
    )


def page(content, *, chrome="div"):
    """Return a page with the list `content` amid what most pages have; `chrome`: which elements hold that."""
    head, side, foot = ("header", "aside", "footer") if chrome == "html5" else ("div", "div", "div")
    recent = "".join(f'<li><a href="/sport/{title[:4].lower()}.html">{title}</a></li>' for title in RECENT)
    numbers = "".join(f'<a class="page-numbers" href="/town/page/{number}/">{number}</a> ' for number in range(2, 7))
    return f"""<!DOCTYPE html><html><head><title>Town - The Gazette</title></head><body>
      <{head} class="masthead"><a href="/"><img src="/logo.png" alt="The Gazette"></a>
        <ul class="mainmenu">{links(MENU)}</ul></{head}>
      <div class="crumbs"><a href="/">Home</a> &gt; <a href="/section/town/">Town</a></div>
      <div class="wrap"><div class="primary">{content}<div class="pagination">{numbers}<a href="/town/page/2/">Older</a></div>
        </div><{side} class="sidebar"><div class="widget"><h4>Sections</h4><ul>{links(MENU[1:])}</ul></div>
        <div class="widget"><h4>Recent</h4><ul>{recent}</ul></div><div class="widget"><h4>Tags</h4><div class="tagcloud">{links(TAGS, "span", "tag")}</div></div></{side}></div>
      <{foot} class="foot"><ul>{links(("Imprint", "Privacy", "Advertise", "Jobs"), folder="about")}</ul>
        <p>The Gazette, 7 Market Square. Letters to the editor are welcome at any time.</p></{foot}></body></html>"""


WORDPRESS = each(
    '<article id="post-{n}3" class="post-{n}3 post type-post category-{word} tag-{word}-a hentry"><header>'
    '<h2 class="entry-title"><a href="{url}" rel="bookmark">{title}</a></h2><div class="entry-meta">'
    '<a href="{url}"><time datetime="{day}T08:00:00+00:00">{day}</time></a> by <a href="/author/mia/">Mia Holm</a> in '
    '<a href="/section/town/">Town</a></div></header><div class="entry-summary"><p>{text} '
    '<a class="more-link" href="{url}">Continue reading</a></p></div><footer><a href="{url}#comments">{n} comments</a>'
    "</footer></article>"
)
DRUPAL = (
    '<div class="view-content">'
    + "".join(
        each(
            f'<div class="views-row views-row-{n + 1} {("odd", "even")[n % 2]}"><div class="views-field"><span><a href="{{url}}">'
            "{title}</a></span></div><div class='views-field'><p>{text}</p></div><div class='views-field'>{day}</div></div>",
            [story],
        )
        .replace("story-0", f"story-{n}")
        .replace(day(0), day(n))
        for n, story in enumerate(STORIES)
    )
    + "</div>"
)
ODD_AND_EVEN = (
    "<ul>"
    + "".join(
        f'<li class="{("odd", "even")[n % 2]}{" last" if n == len(STORIES) - 1 else ""}"><span>{day(n)}</span>'
        f'<a href="/2026/03/story-{n}.html">{title}</a></li>'
        for n, (title, _) in enumerate(STORIES)
    )
    + "</ul>"
)
WHOLE_CARDS = (
    '<div class="grid">'
    + each(
        '<a class="card" href="{url}"><div><img src="{n}.jpg" alt=""></div><div><span>News</span><h3>{title}</h3><p>{text}</p>'
        "<span>{day}</span></div></a>"
    )
    + "</div>"
)
CARDS_WITHOUT_HEADING = (
    '<div class="grid">'
    + each(
        '<div class="tile"><a href="{url}"><div class="kicker">Town</div><div class="headline">{title}</div>'
        "<div>{day}</div></a></div>"
    )
    + "</div>"
)
LABELLED_CARDS = (
    "<ul>"
    + each(
        '<li><div class="promo"><a class="overlay" href="{url}" aria-label="{title}"></a><h3>{title}</h3><p>{text}</p>'
        "<time datetime='{day}'>{n} days</time></div></li>"
    )
    + "</ul>"
)
OVERLAYS_OF_ONE_LABEL = (
    "<div>"
    + each(
        '<div class="box"><a href="{url}"><span class="sr-only">View details</span></a><h3>{title}</h3><p>{text}</p>'
        "<span>{day}</span></div>"
    )
    + "</div>"
)
IMAGES = (
    '<div class="gallery">' + each('<figure><a href="{url}"><img src="{n}.jpg" alt="{title}"></a></figure>') + "</div>"
)
HASHED = (
    '<main id="root">'
    + each(
        '<div class="css-{word}"><div class="css-{word}a"><a class="css-{word}b" href="{url}"><span class="css-{word}c">{title}'
        '</span></a></div><div class="css-{word}d">{text}</div><div>{day}</div></div>'
    )
    + "</main>"
)
SIZES = (
    '<div class="row">'
    + "".join(
        each(
            '<div class="{size}"><div class="card-body"><a href="{{url}}"><img src="x.jpg" alt="."></a><h4><a href="{{url}}">'
            "{{title}}</a></h4><p>{{text}}</p><i>{{day}}</i></div></div>".format(
                size=("col-12", "col-md-8", "col-md-4")[n % 3]
            ),
            [story],
        )
        .replace("story-0", f"story-{n}")
        .replace(day(0), day(n))
        for n, story in enumerate(STORIES)
    )
    + '<div class="col-12"><div class="leaderboard"></div></div></div>'
)
_ROWS = [
    "".join(
        f'<td><a href="/2026/03/story-{n}.html"><img src="{n}.jpg"></a><br><a href="/2026/03/story-{n}.html">{STORIES[n][0]}</a>'
        f"<br>{day(n)}</td>"
        for n in row
    )
    for row in ((0, 1, 2), (3, 4, 5), (6,))
]
GRID_OF_ROWS = "<table>" + "".join(f"<tr>{row}</tr>" for row in _ROWS) + "</table>"
MONTHS = "".join(
    f"<h2>{month}</h2><ul>"
    + "".join(f'<li>{day(n)} <a href="/2026/03/story-{n}.html">{STORIES[n][0]}</a></li>' for n in numbers)
    + "</ul>"
    for month, numbers in (("March", (0, 1)), ("February", (2,)), ("January", (3, 4, 5, 6)))
)
LETTERS = (
    '<div class="az">'
    + "".join(
        f'<div class="letter {letter}"><h2>{letter}</h2><div class="names">'
        + "".join(f'<a href="/2026/03/story-{n}.html">{STORIES[n][0]}</a>' for n in numbers)
        + "</div></div>"
        for letter, numbers in (("A", (3,)), ("B", (1, 2)), ("C", (6,)), ("F", (4,)), ("S", (5,)), ("T", (0,)))
    )
    + "</div>"
)
ROWS = (
    '<table class="tbl"><thead><tr><th>Date</th><th>Title</th><th>Author</th></tr></thead><tbody>'
    + each('<tr><td>{day}</td><td><a href="{url}">{title}</a></td><td><a href="/author/a{n}/">Mia {n}</a></td></tr>')
    + "</tbody></table>"
)
PAIRS_OF_ROWS = (
    "<table>"
    + each(
        '<tr class="item"><td>{n}.</td><td><a href="{url}">{title}</a></td></tr><tr><td></td><td>{day} by '
        '<a href="/user?id=u{n}">u{n}</a> | <a href="/item?id={n}">discuss</a></td></tr><tr class="spacer"></tr>'
    )
    + "</table>"
)
TERMS = "<dl>" + each('<dt><a href="{url}">{title}</a></dt><dd>{text} <i>{day}</i></dd>') + "</dl>"
DATES_AS_TERMS = "<dl>" + each('<dt>{day}</dt><dd><a href="{url}">{title}</a></dd>') + "</dl>"
FLAT = "<div>" + each('<h3><a href="{url}">{title}</a></h3><p>{text}</p>') + "</div>"
TEASERS_WITH_LINKS_IN_TEXT = (
    "<div>"
    + each(
        '<div class="entry"><h3><a href="{url}">{title}</a></h3><p>{text} As <a href="https://o{n}.example/">others wrote in '
        "their own papers last week</a>, this was to be expected by everyone. <i>{day}</i></p></div>"
    )
    + "</div>"
)
READ_MORE = (
    "<div>"
    + each(
        '<div class="entry"><h3>{title}</h3><p>{text}</p><span>{day}</span><p><a class="button" href="{url}">Read more</a></p></div>'
    )
    + "</div>"
)
FORUM = (
    '<ol class="threads">'
    + each(
        '<li class="thread"><a class="avatar" href="/members/m{n}/"><img src="m{n}.png" alt="m{n}"></a><div><h4>'
        '<a href="{url}">{title}</a></h4><a href="/members/m{n}/">member number {n}</a> {day}</div><div>Replies 1{n}</div><div>'
        '<a href="/members/p{n}/">p{n}</a> <a href="/posts/{n}9/">The last answer to this was about something else {n}</a></div></li>'
    )
    + "</ol>"
)
DEDECMS = (
    """<table width="980"><tr><td width="200"><table>"""
    + "".join(
        f'<tr><td><a href="/lm/{n}.html">{name}</a></td></tr>'
        for n, name in enumerate(("新闻", "体育", "财经", "娱乐", "汽车", "房产", "教育", "旅游", "女性", "军事"))
    )
    + "</table></td><td><table>"
    + each('<tr><td>·<a href="{url}">港务局潮位站{n}号周一正式启用</a></td><td>{day}</td></tr>')
    + "</table></td></tr></table>"
)
GBK_NEWS = (
    '<div class="list"><ul>'
    + each('<li><span>[{day}]</span><a href="{url}">旧石磨面粉做的面包第{n}批上市</a></li>')
    + "</ul></div>"
)
SUBSTACK = (
    '<div class="portable-archive-list">'
    + each(
        '<div class="container-{word}"><div class="pencraft"><a class="pencraft" href="{url}"><img src="{n}.jpg"></a><div>'
        '<a data-testid="post-preview-title" class="pencraft" href="{url}">{title}</a><div><a href="{url}">{text}</a></div><div>'
        '<time datetime="{day}T10:00:00Z">Mar 1{n}</time> • <a href="/@mia">Mia Holm</a></div><div><button>Like</button>'
        '<a href="{url}/comments">1{n}</a></div></div></div></div>'
    )
    + "</div>"
)
GHOST = (
    '<div class="gh-feed">'
    + each(
        '<article class="gh-card post tag-{word} featured"><a class="gh-card-link" href="{url}"><figure><img src="{n}.jpg" alt="x">'
        '</figure><div><h3 class="gh-card-title">{title}</h3><p>{text}</p><footer><span>By Mia</span><time datetime="{day}">'
        "{day}</time></footer></div></a></article>"
    )
    + "</div>"
)
HEXO = (
    '<div class="posts">'
    + each(
        '<section class="post"><h1><a href="{url}">{title}</a></h1><div class="meta">{day} <a href="/categories/c{n}/">c{n}</a>'
        '</div><div class="excerpt">{text}</div><a href="{url}#more">阅读全文</a></section>'
    )
    + "</div>"
)
TWO_VIEWS = (
    '<ul class="gridview">'
    + each('<li><a href="{url}"><img src="{n}.jpg"></a><h3><a href="{url}">{title}</a></h3>{day}</li>')
    + '</ul><ul class="listview hidden">'
    + each('<li><a href="{url}"><img src="{n}.jpg"></a><h2><a href="{url}">{title}</a></h2><p>{text}</p>{day}</li>')
    + "</ul>"
)
WITH_PARTNERS = (
    "<div class='list'>"
    + each('<div class="e"><h3><a href="{url}">{title}</a></h3>{day}</div>')
    + (
        "</div><div class='partners'>"
        + "".join(
            f'<div class="p"><h3><a href="https://partner{n}.example/offer/{n}">Save on insurance, cars and much more with {n}</a>'
            "</h3>Only today</div>"
            for n in range(7)
        )
        + "</div>"
    )
)

# name → (list, whether its entries show a date)
FORMS = {
    "wordpress": (WORDPRESS, True), "drupal": (DRUPAL, True), "odd_and_even": (ODD_AND_EVEN, True),
    "whole_cards": (WHOLE_CARDS, True), "cards_without_heading": (CARDS_WITHOUT_HEADING, True),
    "labelled_cards": (LABELLED_CARDS, True), "overlays_of_one_label": (OVERLAYS_OF_ONE_LABEL, True),
    "images": (IMAGES, False), "hashed": (HASHED, True), "sizes": (SIZES, True), "grid_of_rows": (GRID_OF_ROWS, True),
    "months": (MONTHS, True), "letters": (LETTERS, False), "rows": (ROWS, True), "pairs_of_rows": (PAIRS_OF_ROWS, True),
    "terms": (TERMS, True), "dates_as_terms": (DATES_AS_TERMS, True), "flat": (FLAT, False),
    "teasers_with_links_in_text": (TEASERS_WITH_LINKS_IN_TEXT, True), "read_more": (READ_MORE, True),
    "forum": (FORUM, True), "substack": (SUBSTACK, True), "ghost": (GHOST, True), "hexo": (HEXO, True),
    "two_views": (TWO_VIEWS, True), "with_partners": (WITH_PARTNERS, True),
}  # fmt: skip
