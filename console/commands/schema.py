"""`exemplar schema`: prints the JSON Schema of a row, or that of tasks.yaml."""

import json
from pathlib import Path
from typing import Literal

import click

from console.options import examples
from console.terminal import say


@click.command(
    epilog=examples("exemplar schema", "exemplar schema --output row.schema.json", "exemplar schema --of tasks")
)
@click.option(
    "--of",
    "subject",
    type=click.Choice(["row", "tasks"]),
    default="row",
    show_default=True,
    help="row: what outputs contain. tasks: what tasks.yaml may contain, for editors.",
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write it to this file.")
def command(subject: Literal["row", "tasks"], output: Path | None) -> None:
    """Print a JSON Schema: of a row (2020-12), or of tasks.yaml (draft 7, which editors support).

    The schema of a row has a version. Later versions may add fields; none is removed, renamed or given another type.
    """
    if subject == "row":
        from workers.sinks.row_schema import row_schema as schema_of
    else:
        from crawler.task_list.schema import json_schema as schema_of
    text = json.dumps(schema_of(), ensure_ascii=False, indent=2)
    if output is None:
        click.echo(text)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text + "\n", "utf-8")
    say(f"wrote {output}")
