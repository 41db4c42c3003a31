"""`exemplar metrics`: metrics for Prometheus."""

import os
from contextlib import ExitStack
from pathlib import Path

import click

from console.options import examples, tasks_file, tasks_option
from console.terminal import say
from crawler.logs import start_logging
from workers.errors import ExemplarError, RedisUnavailable
from workers.state_folder import state_folder


@click.command(epilog=examples("exemplar metrics"))
@tasks_option
def command(tasks: Path | None) -> None:
    """Print the metrics of the whole cluster in the text format of Prometheus.

    They are read from Redis, so one scrape is enough for any number of machines; `exemplar console` serves them at
    /metrics. If Redis is unavailable, exemplar_up is 0 and the exit code 0. Needs the extra `metrics`.
    """

    try:
        import prometheus_client
    except ModuleNotFoundError:
        raise ExemplarError("metrics need one more library: pip install 'exemplar-crawler[metrics]'") from None
    from console.metrics import EMBEDDED, ExemplarCollector, registry_of
    from workers.redis_access.embedded import Embedded, redis_for
    from workers.redis_access.redis_address import address_of

    start_logging()
    state = state_folder(tasks_file(tasks).absolute().parent).absolute()
    named = os.environ.get("REDIS_URL")
    with ExitStack() as running:
        if not named:
            try:
                running.enter_context(redis_for(state, purpose="metrics", say=say))
            except RedisUnavailable as error:
                say(str(error))
        server, url = (address_of(named).name, named) if named else (EMBEDDED, Embedded(state).url)
        registry = registry_of(ExemplarCollector(server, url))
        click.echo(prometheus_client.generate_latest(registry).decode(), nl=False)
