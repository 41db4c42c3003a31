"""Small invented data as the evaluation reads it."""

import json
from pathlib import Path

import pytest

STORIES = {
    "gauge": (
        "The harbour office opened its new tide station on Monday after two years of repairs and a long quarrel.",
        "Engineers say that the old gauge had been wrong by almost a hand's breadth since the storm of that winter.",
        "Fishermen may read the numbers on a board beside the pier, day and night, free of charge, in all weathers.",
        "The keeper of the station, who has lived beside it for thirty years, will show visitors round on Sundays.",
        "A second board is planned at the ferry landing, where the current has surprised more than one skipper.",
    ),
    "bakery": (
        "A bakery in the old town has begun to bake with flour from a mill that stood still for several decades.",
        "Its owner found the grinding stones in a shed and had them dressed by a retired mason from the next valley.",
        "Customers queue from six in the morning, and by nine the dark loaves are usually gone from every shelf.",
        "A second oven is to follow in spring, if the council allows the chimney and the neighbours say nothing.",
    ),
    "library": (
        "The travelling library will stop in four more villages from the first week of the coming month onwards.",
        "Readers can order books by telephone and return them to the driver, who has been at it for many years.",
        "The council pays for the fuel, and a foundation in the capital pays for the books and for their repair.",
        "Those who cannot come to the bus may ask for a visit at home, which the volunteers arrange by themselves.",
    ),
}
TITLES = {"gauge": "A new tide gauge", "bakery": "Flour from an old mill", "library": "Books on the road"}


def page(name, encoding="utf-8"):
    """Return the bytes of a page of the Gazette."""
    text = "".join(f'<p class="text">{paragraph}</p>' for paragraph in STORIES[name])
    html = f"""<!DOCTYPE html><html><head><meta charset="{encoding}"><title>{TITLES[name]} - The Gazette</title>
        <meta property="article:published_time" content="2026-03-05T08:30:00+01:00"></head><body>
        <nav class="menu"><a href="/">Home</a> <a href="/town">Town</a> <a href="/sport">Sport</a></nav>
        <div class="notice">This paper is printed on Tuesdays and Fridays and costs two coins.</div>
        <article id="story"><h1>{TITLES[name]}</h1>{text}</article>
        <footer class="foot">The Gazette, 7 Market Square. Letters to the editor are welcome at any time.</footer>
        </body></html>"""
    return html.encode(encoding)


def list_page():
    """Return the bytes of a page that is nothing but links."""
    items = "".join(f'<li><a href="/{n}.html">Chapter {n} of the long story</a></li>' for n in range(30))
    return f"<html><body><ul>{items}</ul></body></html>".encode()


def body(name):
    """Return the true text."""
    return "\n\n".join(STORIES[name])


def normalised(root):
    """Write the normalised layout: a set of three pages of one group, a list and an unscored page."""
    pages = [
        (row(name, title=f"{TITLES[name]} | The Gazette", date="2026-03-05", body=body(name)), page(name))
        for name in sorted(STORIES)
    ]
    pages += [(row("index", kind="list"), list_page()), (row("unknown"), page("gauge"))]
    group = {"site": "gazette", "section": "news", "with_body": 3, "usable": True}
    write(root / "sets" / "gazette", pages, [group])
    return root


def pairs_of_two(root):
    """Write the normalised layout with two sites of two pages each, neither enough to be usable as a group."""
    pages = [
        (row(f"{site}-{name}", site=site, section=None, body=body(name)), page(name))
        for site in ("one", "two")
        for name in ("gauge", "bakery")
    ]
    groups = [{"site": site, "section": "", "with_body": 2, "usable": False} for site in ("one", "two")]
    write(root / "sets" / "twos", pages, groups)
    return root


def row(name, *, site="gazette", section="news", kind="article", title=None, date=None, body=None, url=None):
    """Return a row of truth.jsonl."""
    return {
        "id": name,
        "file": f"pages/{name}.html",
        "url": url or f"https://{site}.example/{name}",
        "site": site,
        "section": section,
        "kind": kind,
        "title": title,
        "date": date,
        "body": body,
        "encoding": "utf-8",
        "optional_paragraphs": None,
    }


def write(folder: Path, pages, groups=()):
    """Write a set: rows of truth, each with its page (bytes, or the HTML between the tags of a body), and groups."""
    (folder / "pages").mkdir(parents=True)
    for one, html in pages:
        content = html if isinstance(html, bytes) else f"<html><body>{html}</body></html>".encode()
        (folder / one["file"]).write_bytes(content)
    (folder / "truth.jsonl").write_text("".join(json.dumps(one) + "\n" for one, _ in pages))
    (folder / "groups.json").write_text(json.dumps(groups))


def mistake(main, words, capsys):
    """Call a command that ends with exit code 2; return what it says."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    assert end.value.code == 2
    return capsys.readouterr().err
