"""`exemplar console`: the console in a browser."""

import os
from pathlib import Path

import click

from console.options import examples, logging_options, tasks_option
from console.terminal import say
from workers.errors import ExemplarError

PORT = 8300


@click.command(
    epilog=examples(
        "exemplar console",
        "exemplar console --tasks news/tasks.yaml --port 8400",
        "EXEMPLAR_CONSOLE_PASSWORD='a long password' exemplar console --host 0.0.0.0 --name crawler.example",
    )
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="Port to listen on.")
@click.option(
    "--name", "names", multiple=True, help="Further host name under which browsers reach it; may be repeated."
)
@tasks_option
@logging_options
def command(host: str, port: int, names: tuple[str, ...], tasks: Path | None) -> None:
    """Serve a web console with tasks, articles, failures, machines and schedule.

    Listens on this machine only, unless --host names another address and EXEMPLAR_CONSOLE_PASSWORD or
    EXEMPLAR_CONSOLE_TOKEN is set. Needs the extra `console`. Without REDIS_URL it uses the embedded Redis, and tasks
    can be started from its first page.
    """

    try:
        from console.web.config import ConsoleRefused, config_from
        from console.web.server import serve
    except ModuleNotFoundError as error:
        if error.name not in ("jinja2", "multipart", "python_multipart", "starlette", "uvicorn"):
            raise
        raise ExemplarError("the console needs more libraries: pip install 'exemplar-crawler[console]'") from None
    try:
        config = config_from(os.environ, (tasks or Path("tasks.yaml")).absolute(), host, port, names)
    except ConsoleRefused as error:
        raise click.UsageError(str(error)) from None
    serve(config, say=say)
