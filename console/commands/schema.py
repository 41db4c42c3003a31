"""`exemplar schema`: prints the JSON Schema of a row."""

import json

import click

from console.options import examples


@click.command(epilog=examples("exemplar schema", "exemplar schema > row.schema.json"))
def command() -> None:
    """Print the JSON Schema (2020-12) of a row, that is, of what outputs contain.

    It has a version. Later versions may add fields; none is removed, renamed or given another type.
    """
    from workers.sinks.row_schema import row_schema

    click.echo(json.dumps(row_schema(), ensure_ascii=False, indent=2))
