"""`exemplar schema`: prints the JSON Schema of a row, or that of tasks.yaml."""

import json
from typing import Literal

import click

from console.options import examples


@click.command(epilog=examples("exemplar schema", "exemplar schema --of tasks > tasks.schema.json"))
@click.option(
    "--of",
    "subject",
    type=click.Choice(["row", "tasks"]),
    default="row",
    show_default=True,
    help="row: what outputs contain. tasks: what tasks.yaml may contain, for editors.",
)
def command(subject: Literal["row", "tasks"]) -> None:
    """Print a JSON Schema: of a row (2020-12), or of tasks.yaml (draft 7, which editors support).

    The schema of a row has a version. Later versions may add fields; none is removed, renamed or given another type.
    """
    if subject == "row":
        from workers.sinks.row_schema import row_schema as schema_of
    else:
        from crawler.task_list.schema import json_schema as schema_of
    click.echo(json.dumps(schema_of(), ensure_ascii=False, indent=2))
