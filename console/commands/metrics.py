"""`exemplar metrics`: metrics for Prometheus, without the console."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.options import examples, tasks_file, tasks_option
from console.serving import LEAST_TOKEN, LOCAL_NAMES, PATH, TOKEN, metrics_token
from console.terminal import say
from crawler.logs import start_logging
from workers.errors import ExemplarError, RedisUnavailable
from workers.state_folder import state_folder

if TYPE_CHECKING:
    from console.metrics.collector import ExemplarCollector


@click.command(
    epilog=examples(
        "exemplar metrics",
        "exemplar metrics --output /var/lib/prometheus/node-exporter/exemplar.prom",
        "exemplar metrics --listen 127.0.0.1:8301",
    )
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the metrics to a file, replaced in one step: for the textfile collector of node_exporter.",
)
@click.option("--listen", metavar="HOST:PORT", help="Serve the metrics at http://HOST:PORT/metrics until stopped.")
@tasks_option
def command(output: Path | None, listen: str | None, tasks: Path | None) -> None:
    """Print the metrics of the whole cluster in the text format of Prometheus.

    They are read from Redis, so one exporter is enough for any number of machines; `exemplar console` also serves them.
    If Redis is unavailable, exemplar_up is 0 and the exit code 0. An address of --listen beyond this
    machine requires a token in EXEMPLAR_METRICS_TOKEN, which Prometheus sends as `Authorization: Bearer`. Needs the
    extra `metrics`.
    """

    if output is not None and listen is not None:
        raise click.UsageError("use --output or --listen, not both")
    try:
        import prometheus_client
    except ModuleNotFoundError:
        raise ExemplarError("metrics need one more library: pip install 'exemplar-crawler[metrics]'") from None
    from console.metrics.collector import registry_of
    from workers.redis_access.embedded import redis_for

    start_logging()
    state = state_folder(tasks_file(tasks).absolute().parent).absolute()
    if listen is not None:
        _serve(listen, state)
        return
    with ExitStack() as running:
        if not os.environ.get("REDIS_URL"):
            try:
                running.enter_context(redis_for(state, purpose="metrics", say=say))
            except RedisUnavailable as error:
                say(str(error))
        registry = registry_of(_collector(state))
        if output is not None:
            prometheus_client.write_to_textfile(str(output), registry)
        else:
            click.echo(prometheus_client.generate_latest(registry).decode(), nl=False)


def _collector(state: Path) -> "ExemplarCollector":
    """Return a collector for REDIS_URL, or else for the embedded Redis, whether it runs or not."""
    from console.metrics.collector import EMBEDDED, ExemplarCollector
    from workers.redis_access.embedded import Embedded
    from workers.redis_access.redis_address import address_of

    named = os.environ.get("REDIS_URL")
    server, url = (address_of(named).name, named) if named else (EMBEDDED, Embedded(state).url)
    return ExemplarCollector(server, url)


def _serve(listen: str, state: Path) -> None:
    from console.metrics.collector import registry_of
    from console.metrics.exporter import serve

    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    if not (host and port.isascii() and port.isdigit() and int(port) < 65536):
        raise click.UsageError(f"--listen {listen}: write HOST:PORT, such as 127.0.0.1:8301")
    token = metrics_token()
    shown = f"[{host}]" if ":" in host else host
    if shown not in LOCAL_NAMES and len(token) < LEAST_TOKEN:
        raise click.UsageError(
            f"{host} is not a loopback address: set {TOKEN} to at least {LEAST_TOKEN} characters, "
            "or listen on 127.0.0.1"
        )
    collector = _collector(state)  # an exporter must not own the embedded Redis: `exemplar run` could then not start
    try:
        serve(
            registry_of(collector),
            host,
            int(port),
            token,
            lambda at: say(f"metrics are at http://{shown}:{at}{PATH}; press Ctrl-C to stop"),
        )
    finally:
        collector.close()
