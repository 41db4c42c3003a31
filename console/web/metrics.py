"""The metrics for Prometheus at `/metrics`."""

import os

from prometheus_client import exposition
from starlette.requests import Request
from starlette.responses import Response

from console.metrics.collector import EMBEDDED, ExemplarCollector, registry_of
from console.web.context import web_of


def metrics(request: Request) -> Response:
    """Return the metrics of the cluster, in the requested format."""
    state = request.app.state
    if not hasattr(state, "metrics"):
        data = web_of(request).data
        name = data.redis_name if "REDIS_URL" in os.environ else EMBEDDED
        state.metrics = registry_of(ExemplarCollector(name, data.url))
    encode, content_type = exposition.choose_encoder(request.headers.get("accept", ""))
    return Response(encode(state.metrics), headers={"Content-Type": content_type})
