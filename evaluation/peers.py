"""Other extraction libraries, each as a function from a page's source text to the article's text.

They run in this process and are imported on demand. Peers get the decoded text, and decoding is not part of their time:
several of them accept only text, and decoding is not compared. Options are those of Scrapinghub's
benchmark if it includes the peer, else the defaults.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec

from .methods import nearest

Extract = Callable[[str], str]

# pip 23.2 fails on constraints for a package that is requested with extras (lxml[html_clean]); later versions do not.
INSTALL = "pip install -U pip && pip install -c constraints.txt -e '.[bench]'"
CHINESE = 200  # Chinese characters from which a page counts as Chinese, for peers that need the language
_BLOCK = re.compile(r"<(?:/?(?:p|div|li|h[1-6]|tr|td|th|blockquote|pre|section|article|ul|ol|table|dt|dd)\b|br)[^>]*>")


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer by name; `load` imports it and returns its function."""

    name: str
    package: str  # name for installation
    module: str  # name for import
    load: Callable[[], Extract]

    @property
    def installed(self) -> bool:
        """Whether the peer can be imported here."""
        return find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """The installed version of the peer."""
        return metadata.version(self.package)


def parse_peers(names: Iterable[str]) -> list[Peer]:
    """Return the peers of these names; `all` means every peer. Raises `UnknownName`."""
    wanted = [name.strip() for name in names if name.strip()]
    if "all" in wanted:
        return list(PEERS.values())
    for name in wanted:
        if name not in PEERS:
            raise nearest(name, [*PEERS, "all"], "peer")
    return [PEERS[name] for name in wanted]


def missing_message(peers: Iterable[Peer]) -> str | None:
    """Return a message on the peers that are not installed and how to install them; None if all are."""
    names = [peer.name for peer in peers if not peer.installed]
    return f"not installed, left out: {', '.join(names)}. To install the peers: {INSTALL}" if names else None


def _trafilatura() -> Extract:
    extract = import_module("trafilatura").extract
    return lambda text: extract(text, include_comments=False) or ""


def _readability() -> Extract:
    document, parse = import_module("readability").Document, import_module("lxml.html").fromstring

    def run(text: str) -> str:
        summary = document(text).summary(html_partial=True)
        return str(parse(_BLOCK.sub(r"\n\g<0>", summary)).text_content())

    return run


def _resiliparse() -> Extract:
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda text: str(extract(text, main_content=True))


def _newspaper() -> Extract:
    article_class = import_module("newspaper").Article

    def run(text: str) -> str:
        article = article_class(
            "http://page.invalid/", fetch_images=False, language="zh" if _is_chinese(text) else "en"
        )
        article.download(input_html=text)
        article.parse()
        return str(article.text)

    return run


def _justext() -> Extract:
    module = import_module("justext")
    english = module.get_stoplist("English")

    def run(text: str) -> str:
        # As documented for a language without a stop list: no stop words, and none required.
        stoplist, low, high = (frozenset(), 0, 0) if _is_chinese(text) else (english, 0.1, 0.2)
        paragraphs = module.justext(text, stoplist, 50, 200, low, high, 0.2, 200, True)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return run


def _goose3() -> Extract:
    goose, stop_words = import_module("goose3").Goose, import_module("goose3.text").StopWordsChinese
    english = goose({"enable_image_fetching": False})
    chinese = goose({"enable_image_fetching": False, "stopwords_class": stop_words})
    return lambda text: str((chinese if _is_chinese(text) else english).extract(raw_html=text).cleaned_text)


def _boilerpy3() -> Extract:
    extractor = import_module("boilerpy3.extractors").ArticleExtractor(raise_on_failure=False)
    return lambda text: str(extractor.get_content(text))


def _gne() -> Extract:
    extractor = import_module("gne").GeneralNewsExtractor()
    return lambda text: str(extractor.extract(text)["content"])


def _is_chinese(text: str) -> bool:
    return len(re.findall(r"[一-鿿]", text)) > CHINESE


PEERS = {
    peer.name: peer
    for peer in (
        Peer("trafilatura", "trafilatura", "trafilatura", _trafilatura),
        Peer("readability-lxml", "readability-lxml", "readability", _readability),
        Peer("resiliparse", "resiliparse", "resiliparse", _resiliparse),
        Peer("newspaper4k", "newspaper4k", "newspaper", _newspaper),
        Peer("justext", "justext", "justext", _justext),
        Peer("goose3", "goose3", "goose3", _goose3),
        Peer("boilerpy3", "boilerpy3", "boilerpy3", _boilerpy3),
        Peer("gne", "gne", "gne", _gne),
    )
}
