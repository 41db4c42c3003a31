"""The guard's two gates: by a URL's text before anything is requested, and by the address once it is known."""

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response

from crawler.gates.context import PROXY, Gate
from crawler.gates.errors import AddressRefused, RequestRefused, RunEnding
from crawler.guarding.guard import host_and_port

CONTACT_MISSING = (
    "no contact for site owners is set: add `settings.contact` in tasks.yaml "
    "(a URL or an e-mail address), or EXEMPLAR_CONTACT"
)


class UrlGate(Gate):
    """Refuses URLs by their text, and public hosts if no contact is set; before robots.txt is requested."""

    def process_request(self, request: Request) -> None:
        """Raises `RequestRefused`, and `RunEnding` if nothing more is to be fetched."""
        if self.context.is_ending():
            raise RunEnding
        if refusal := self.context.guard.refusal(request.url):
            raise RequestRefused(refusal)
        if not self.context.contact and not self.context.guard.lists(*host_and_port(request.url)):
            raise RequestRefused(CONTACT_MISSING)


class AddressGate(Gate):
    """Refuses responses by the address that sent them, and turns the resolver's refusals into `AddressRefused`.

    It is next to the downloader, so that all other gates see its error.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Check the address of the connection, in case it passed the resolver. Raises `AddressRefused`."""
        address = response.ip_address
        if address is not None and not self.context.guard.allows(address, *_connected_to(request)):
            raise AddressRefused(address)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Handle a host that was not found because the resolver refused its addresses. Raises `AddressRefused`."""
        if isinstance(exception, CannotResolveHostError) and (
            address := self.context.refused.at(*_connected_to(request))
        ):
            raise AddressRefused(address) from exception


def _connected_to(request: Request) -> tuple[str, int]:
    return request.meta.get(PROXY) or host_and_port(request.url)
