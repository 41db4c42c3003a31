"""Other extraction libraries, each as a function from a page's source text to the article's text.

They run in this process and are imported on demand. Peers get the decoded text, and decoding is not part of their time.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec

from .methods import check_known

Extract = Callable[[str], str]

# pip 23.2 fails on constraints for a package that is requested with extras (lxml[html_clean]); later versions do not.
INSTALL = "pip install -U pip && pip install -c constraints.txt -e '.[bench]'"


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
    check_known(wanted, [*PEERS, "all"], "peer")
    return [PEERS[name] for name in wanted]


def missing_message(peers: Iterable[Peer]) -> str | None:
    """Return a message on the peers that are not installed and how to install them; None if all are."""
    names = [peer.name for peer in peers if not peer.installed]
    return f"not installed, left out: {', '.join(names)}. To install the peers: {INSTALL}" if names else None


def _trafilatura() -> Extract:
    extract = import_module("trafilatura").extract
    return lambda text: extract(text, include_comments=False) or ""


def _boilerpy3() -> Extract:
    extractor = import_module("boilerpy3.extractors").ArticleExtractor(raise_on_failure=False)
    return lambda text: str(extractor.get_content(text))


PEERS = {
    peer.name: peer
    for peer in (
        Peer("trafilatura", "trafilatura", "trafilatura", _trafilatura),
        Peer("boilerpy3", "boilerpy3", "boilerpy3", _boilerpy3),
    )
}
