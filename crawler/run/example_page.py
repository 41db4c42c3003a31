"""Doubts about a task's example: mistakes that a person may have overlooked, judged by the page alone."""

from dataclasses import dataclass

from workers.inbox import StoredPage

# Probability of an article below which an example is not one: list pages of the sample site have up to 0.21, prose
# without date and closing line 0.41
SURELY_NONE = 0.35


@dataclass(frozen=True, slots=True)
class ExampleDoubt:
    """Why an example may not be an article. `is_sure`: it certainly is not, so its text is not written."""

    reason: str
    is_sure: bool


def doubt_about(page: StoredPage, *, has_posts: bool = False) -> ExampleDoubt | None:
    """Return why a page may not be an article and so may not serve as the example; None if it is an article.

    `has_posts`: it should have posts instead, by whose form the only post of a thread is found.
    """
    # Here, since most spiders examine no example, and a spider that takes over must start soon
    from extractors import Article, NoArticle, UnusablePage
    from extractors import extract as extract_alone
    from extractors.article import CHECK
    from extractors.page import make_page
    from extractors.page_types.classify import kinds_of_page, may_be_thread, page_type
    from extractors.posts import read_thread

    try:
        alone = extract_alone(
            page.body, page.url, content_type=page.content_type, fetched_at=page.fetched_at, refuse="sure"
        )
        kind = page_type(page.body, page.url, content_type=page.content_type)
        if has_posts and not (isinstance(alone, NoArticle) and CHECK in alone.reason):
            read = make_page(page.body, page.url, page.content_type, page.fetched_at)
            is_thread = kind.is_rather_article or may_be_thread(kinds_of_page(read))  # not the names and days of a list
            has_found = any(read_thread([read], is_thread=is_thread))
            return None if has_found else ExampleDoubt("it has no posts that are written alike", is_sure=False)
    except UnusablePage as error:
        return ExampleDoubt(f"it is unusable: {error}", is_sure=True)
    if kind.kind == "list" or not kind.is_rather_article:
        is_sure = kind.kind == "list" or isinstance(alone, NoArticle) or kind.probability < SURELY_NONE
        why = alone.reason if isinstance(alone, NoArticle) else "; ".join(kind.reasons)
        return ExampleDoubt(
            f"it {'is a list page' if is_sure else 'may be a list page'}, not an article ({why})", is_sure
        )
    if isinstance(alone, Article) or kind.kind == "article":
        return None
    return ExampleDoubt(f"it has no article ({alone.reason})", is_sure=True)
