"""Hand-made pages of both types and folders of them."""

import json

from evaluation.page_type_learning import DECLARED
from tests.extractors.pages import parsed as parsed

FEW_NAMES = ("place_near", "run_bytes", "like_entries", "like_text_span", *DECLARED)  # enough for these pages

PROSE = (
    """The harbour office opened its new tide station on Monday after two years of repairs, and the old gauge, which
    had been wrong by almost a hand's breadth since the storm, went to the museum.""",
    """Fishermen may read the numbers on a board beside the pier, day and night, free of charge, and they have done so
    in numbers that surprised the office; some come twice a day to see whether it is still right.""",
    """The mason who set the last stone said that he would come back in spring to look at the joints. He is the third
    of his family to work on the pier, and he keeps a book in which all three wrote down what they found.""",
)
TITLES = (
    "A new tide station for the harbour", "The bakery in the old town bakes again", "Library van stops in villages",
    "How the salt marsh was built again", "The clock that pupils mended", "An argument about a bench",
    "A goose holds up the regatta", "Where broken things go on Saturdays",
)  # fmt: skip


def article_page(title=TITLES[0], paragraphs=PROSE, head=""):
    """Return a page with one text and some links to others."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"""<html><head><title>{title} - The Gazette</title>{head}</head><body>
        <nav><a href="/">Home</a> <a href="/town/">Town</a></nav>
        <article><h1>{title}</h1><p>By A. Writer</p>{text}</article>
        <aside><h3>More</h3><ul><li><a href="/town/2.html">{TITLES[1]}</a></ul></aside>
        <footer>The Gazette, 7 Market Square</footer></body></html>"""


def list_page(title="Town", titles=TITLES, head=""):
    """Return a page with linked titles, each with a date and a summary, and a pager."""
    entries = "".join(
        f'<div class="entry"><h2><a href="/town/{number}.html">{name}</a></h2><span>2026-11-0{number % 9 + 1}</span>'
        f"<p>{PROSE[number % 3][:90]} …</p></div>"
        for number, name in enumerate(titles)
    )
    return f"""<html><head><title>{title} - The Gazette</title>{head}</head><body>
        <nav><a href="/">Home</a> <a href="/town/">Town</a></nav>
        <h1>{title}</h1>{entries}<a href="/town/?page=2">Next page</a>
        <footer>The Gazette, 7 Market Square</footer></body></html>"""


def write_folder(folder, sites=12, url="https://www.site{site}.example/town/{name}.html"):
    """Write pages of some sites, two articles and a list each, with their truth; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for site in range(sites):
        pages = {
            "list": ("list", list_page(titles=TITLES[site % 4 :])),
            "one": ("article", article_page(TITLES[site % 8], PROSE[: 2 + site % 2])),
            "two": ("article", article_page(TITLES[(site + 3) % 8], PROSE)),
        }
        for name, (kind, html) in pages.items():
            file = f"{site}-{name}.html"
            (folder / file).write_text(html, "utf-8")
            address = url and url.format(site=site, name=name)
            rows.append({"id": f"{site}:{name}", "file": file, "kind": kind, "url": address, "site": f"site{site}"})
    (folder / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder
