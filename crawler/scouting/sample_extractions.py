"""Sample extractions of a survey or trial: the example as a section, and what is extracted with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from crawler.discovery.links import is_short, page_links
from crawler.run.example_page import doubt_about
from extractors import Article, Listing, NoArticle, Section, UnusablePage, read_posts
from extractors import extract as extract_alone
from extractors.article import PageType as Kind
from extractors.content.notices import is_shell
from extractors.methods.list_rank.extractor import read_entries
from extractors.page import make_page
from extractors.page_types.classify import PageType, page_type
from workers.errors import ExemplarError
from workers.inbox import StoredPage

FIRST_WORDS = 300  # characters
MOST_PROPOSALS = 5
BRIEF = 600  # characters of a text; a page with more is hardly taken for a list because of the links around it
LEAST_LINK = 4  # characters of a link's text; shorter ones occur in prose, too
RATHER = 0.5  # probability of an article from which a page counts as one and not as a list


class NoSection(ExemplarError):
    """No task can be made from the URL. The text has the reason and a remedy; `proposals`: article links to try.

    `may_be_overruled`: whether a task is made if a person declares that the page is an article.
    """

    def __init__(self, why: str, advice: str = "", proposals: Sequence[tuple[str, str]] = ()):
        super().__init__(f"{why}; {advice}" if advice else why)
        self.why = why
        self.may_be_overruled = advice == NAME_ONE
        self.proposals = tuple(proposals)

    @property
    def overruled(self) -> str:
        """Return the warning that replaces the error if a person insists on the article."""
        return f"{self.why}; it is treated as an article, as requested"

    @property
    def disproved(self) -> str:
        """Return the warning that replaces the error if the page's siblings show that it is an article."""
        return f"{self.why}; it is treated as an article, because its siblings have short texts of their own, too"


@dataclass(frozen=True, slots=True)
class SampleExtraction:
    """The result of extracting a page with the example; `reason`: why there is no text, or how it was extracted."""

    url: str
    title: str = ""
    published: str = ""
    words: str = ""
    characters: int = 0
    confidence: float = 0.0
    method: str = ""
    reason: str = ""
    language: str = ""
    kind: str = ""  # article, list or uncertain, see `page_types.classify`
    signs: tuple[str, ...] = ()  # the reasons for that page type, for a person to read
    is_brief: bool = False  # its text is short, and most of it is no link
    posts: int = 0  # of the example, if it is hardly an article

    @property
    def by_example(self) -> bool:
        """Return whether the example fits the page."""
        return self.method == "example"


NAME_AN_ARTICLE = "name one of its articles"
NAME_ONE = "name one of its articles, or add --article if the page itself is an article or a thread"


def prepared(page: StoredPage, insist: bool = False) -> tuple[Section, SampleExtraction, NoSection | None]:
    """Return the example as a section, its own extraction as an article, and why it may not be one.

    Raises `NoSection` if it is not an article, unless `insist` is set, or it is brief: then its siblings may show that
    it is one.
    """
    doubt = doubt_about(page)
    if doubt and ("JavaScript" in doubt.reason or is_empty_shell(page)):
        raise NoSection(f"{page.url} is an empty shell without JavaScript ({doubt.reason})", _RENDER)
    try:
        section = Section(page.body, page.url)
        alone = extract_alone(page.body, page.url, content_type=page.content_type, refuse="sure")
    except UnusablePage as error:
        raise NoSection(f"{page.url}: unusable page: {error}") from None
    refusal = (
        NoSection(f"{page.url} cannot be the example: {doubt.reason}", NAME_ONE, proposals(page)) if doubt else None
    )
    is_article = isinstance(alone, Article) and alone.page_type == "article"
    posts = [] if is_article else read_posts(page.body, page.url, content_type=page.content_type)
    sample = replace(extract_sample(section, page, insist or doubt is not None), posts=len(posts))
    if refusal and not insist and not sample.is_brief:
        raise refusal
    return section, sample, refusal


_RENDER = "write the task by hand (example, pattern, start, `render: true`): a run opens its pages in a browser"


def is_empty_shell(page: StoredPage) -> bool:
    """Return whether a page is empty without its scripts."""
    return is_shell(make_page(page.body, page.url, page.content_type, page.fetched_at))


def proposals(page: StoredPage) -> list[tuple[str, str]]:
    """Return links of a list page that may be articles, with their titles; the entries of its list first."""
    try:
        entries = read_entries(make_page(page.body, page.url, page.content_type, page.fetched_at))
    except UnusablePage:
        return []
    host = urlsplit(page.url).netloc
    links = page_links(page.body, page.url, page.content_type).links
    titles = {entry.url: entry.title for entry in entries} | {link.url: link.text for link in links}
    titled = [(url, title) for url, title in titles.items() if not is_short(title) and urlsplit(url).netloc == host]
    return titled[:MOST_PROPOSALS]


def extract_sample(section: Section, page: StoredPage, insist: bool = False) -> SampleExtraction:
    """Extract a page with the example; `insist`: treat it as an article, also if its page type is another."""
    try:
        result = section.extract(
            page.body,
            page.url,
            content_type=page.content_type,
            fetched_at=page.fetched_at,
            refuse="never" if insist else "sure",
        )
        type_ = page_type(page.body, page.url, content_type=page.content_type)
    except UnusablePage as error:
        return SampleExtraction(page.url, reason=f"unusable page: {error}")
    if isinstance(result, NoArticle):
        return SampleExtraction(page.url, reason=result.reason, kind=type_.kind, signs=type_.reasons)
    is_listing = isinstance(result, Listing)
    if not is_listing and result.method != "example" and type_.kind == "list" and not insist:
        return SampleExtraction(
            page.url, result.title or "", reason="a list page", kind=type_.kind, signs=type_.reasons
        )
    sample = SampleExtraction(
        page.url,
        result.title or "",
        words=" ".join(result.text.split())[:FIRST_WORDS],
        characters=len(result.text),
        confidence=result.confidence,
        method=result.method,
        language=result.language or "",
        signs=type_.reasons,
    )
    if is_listing:
        titles = " · ".join(entry.title for entry in result.entries)[:FIRST_WORDS]
        return replace(sample, words=titles, reason=f"a list of {len(result.entries)} entries", kind="list")
    published, kind = result.published.isoformat() if result.published else "", _kind_of(result, type_)
    is_brief = _is_brief(result.text, page)
    return replace(sample, published=published, reason=result.reason, kind=kind, is_brief=is_brief)


def _is_brief(text: str, page: StoredPage) -> bool:
    """Whether a text is short, and more than half of it is left without the texts of the page's links."""
    rest = text if len(text) <= BRIEF else ""
    for link in page_links(page.body, page.url, page.content_type).links if rest else ():
        rest = rest.replace(link.text, "") if len(link.text) >= LEAST_LINK else rest
    return 2 * len(rest) > len(text)


def _kind_of(article: Article, type_: PageType) -> Kind:
    """Return whether the page is an article or a list; the example is evidence, too."""
    known = article.article_probability
    probability = type_.probability if known is None else known
    return "article" if type_.kind == "uncertain" and probability >= RATHER else type_.kind
