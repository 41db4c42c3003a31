"""New forms of URLs on a section's start pages: a site that changes its URLs lists the new ones first.

Links with titles above the first article are counted by the shape of their URLs. A shape is known if the section's
first walk saw it, or two walks of which the second had new articles: then it is that of other links of the page.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from urllib.parse import urlsplit

from crawler.discovery.links import ASSET, PageLink, is_short
from crawler.discovery.pagination import shape_of

LEAST = 3  # links of a shape from which they are a list
MOST_FORMS = 100  # shapes of one task


class NewForms:
    """The shapes of one walk. `past`: those of earlier walks, and whether they are known; None before the first."""

    def __init__(self, past: Mapping[str, bool] | None = None):
        self._past = past
        self._urls: dict[str, list[str]] = {}

    def record_read(self, url: str, links: Sequence[PageLink], is_article: Callable[[str], object]) -> None:
        """Record a start page with links to articles."""
        for link in takewhile(lambda link: not is_article(link.url), links):
            parts = urlsplit(link.url)
            if parts.netloc == urlsplit(url).netloc and not ASSET.search(parts.path) and not is_short(link.text):
                self._urls.setdefault(shape_of(link.url), []).append(link.url)

    def unknown(self) -> list[str]:
        """Return the links of the unknown shape that has most."""
        past = self._past
        found = [] if past is None else [urls for form, urls in self._urls.items() if not past.get(form)]
        return max((urls for urls in found if len(urls) >= LEAST), key=len, default=[])

    def to_memory(self, new: int) -> dict[str, bool]:
        """Return the shapes for the next walk; `new`: articles that were new in this one."""
        past, first = self._past or {}, self._past is None
        seen = [form for form, urls in self._urls.items() if len(urls) >= LEAST]
        forms = {**past, **{form: first or past.get(form, False) or (new > 0 and form in past) for form in seen}}
        return dict([*forms.items()][-MOST_FORMS:])
