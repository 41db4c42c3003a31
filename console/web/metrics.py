"""The metrics for Prometheus at `/metrics`."""

import os

from prometheus_client import exposition
from starlette.requests import Request
from starlette.responses import Response

from console.metrics.collector import EMBEDDED, ExemplarCollector, registry_of
from console.web.context import web_of


def metrics(request: Request) -> Response:
    """Return the metrics of all servers, in the requested format."""
    state = request.app.state
    if not hasattr(state, "metrics"):
        is_embedded = "REDIS_URL" not in os.environ
        servers = [(EMBEDDED if is_embedded else one.name, one.url) for one in web_of(request).data.servers]
        state.metrics = registry_of(ExemplarCollector(servers))
    encode, content_type = exposition.choose_encoder(request.headers.get("accept", ""))
    return Response(encode(state.metrics), headers={"Content-Type": content_type})
