"""The fetching of pages for surveys and trials: by an async function from a URL to its page."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from workers.inbox import StoredPage

Answer = StoredPage | str  # the page, or the reason why there is none
Fetch = Callable[[str], Awaitable[Answer]]


async def fetch_all(fetch: Fetch, urls: Iterable[str]) -> dict[str, Answer]:
    """Fetch pages together and return the answers by URL. Each URL is fetched once, in the order of `urls`."""
    distinct = list(dict.fromkeys(urls))
    answers = await asyncio.gather(*map(fetch, distinct))
    return dict(zip(distinct, answers, strict=True))
