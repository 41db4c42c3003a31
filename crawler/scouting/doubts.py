"""Doubts that a person should check before a task runs. None of them is an error: each case may be intended."""

from collections.abc import Iterable

from crawler.discovery.links import is_short
from crawler.patterns.pattern import Pattern
from crawler.scouting.address_parts import address_of, year_in_title
from crawler.scouting.inference import SeenPage, SiteLinks, is_built_like
from crawler.scouting.sample_extractions import SampleExtraction
from extractors.posts import LEAST

SAME_TITLES = 3  # extractions with the same title from which this is not a coincidence
MANY, MANY_SHARE = 3, 0.25  # similar links left out, and their share of those taken, from which they are reported


def about_example(example: SampleExtraction) -> str | None:
    """Warn that the example may not be an article."""
    if example.kind not in ("list", "uncertain"):
        return None
    looks = "looks like a list" if example.kind == "list" else "may be a list or an index"
    signs = f" ({'; '.join(example.signs)})" if example.signs else ""
    return f"the example {looks}{signs}; unless it is an ordinary article of the section, name another one"


def about_posts(example: SampleExtraction) -> str | None:
    """Name the key that gives a row for each post if the example is a thread."""
    if example.posts < LEAST:
        return None
    return f"the example is a thread with {example.posts} posts; add `rows: posts` to the task for a row for each post"


def about_titles(samples: Iterable[SampleExtraction]) -> str | None:
    """Warn that all extractions have the same title."""
    titles = [sample.title for sample in samples if sample.characters and sample.title]
    if len(titles) < SAME_TITLES or len(set(titles)) > 1:
        return None
    return (
        f"all {len(titles)} extractions have the same title, “{titles[0]}”: that is likely the site's or the section's "
        "name; choose as the example an article that shows its own title, or expect this title in every row"
    )


def about_left(evidence: SiteLinks, pattern: Pattern, lists: Iterable[str]) -> str | None:
    """Warn that many links among the articles on `lists`, with similar URLs, do not match the pattern."""
    pages = [page for page in evidence.pages if page.url in set(lists)]
    left = list(dict.fromkeys(url for page in pages for url in _left(evidence, pattern, page)))
    taken = {link.url for page in pages for link in page.links if pattern.match(link.url)}
    if len(left) < max(MANY, MANY_SHARE * len(taken)):
        return None
    return (
        f"{len(left)} links among the articles, with similar URLs, do not match the pattern, such as {left[0]} and "
        f"{left[1]}; if they are articles of the section too, choose the whole site (`exemplar add --site`), or widen "
        "the pattern by hand"
    )


def _left(evidence: SiteLinks, pattern: Pattern, page: SeenPage) -> list[str]:
    """Return links before the last article of a list page that have similar URLs and are not taken.

    If the articles are linked by their titles, so are these, also above the first one: a site that has changed its URLs
    lists the new ones first.
    """
    taken = [place for place, link in enumerate(page.links) if pattern.match(link.url)]
    if not taken:
        return []
    titled = 2 * sum(is_short(page.links[place].text) for place in taken) < len(taken)
    return [
        link.url
        for link in page.links[0 if titled else taken[0] : taken[-1]]
        if not pattern.match(link.url)
        and is_built_like(evidence.example, link.url)
        and not (titled and is_short(link.text))
        and not evidence.why_no_article(evidence.seen[link.url])
    ]


def about_year(example: str, pattern: Pattern) -> str | None:
    """Warn that a year in the example's name is read as an id."""
    stem = address_of(example).stem
    year, match = year_in_title(stem), pattern.match(example)
    if year is None or match is None or year not in match.ids:
        return None
    return (
        f"{year} in {stem} is read as an {{id}}: links differ in that number; if it is the year of a title, name an "
        "article without one as the example, or write {slug} in the pattern"
    )
