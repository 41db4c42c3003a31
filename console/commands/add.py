"""`exemplar add`: sections from a spreadsheet into tasks.yaml."""

from pathlib import Path

import click

from console.options import counted, examples, json_option, print_json, say, tasks_option


@click.command(epilog=examples("exemplar add sections.csv", "exemplar add sections.csv --tasks news/tasks.yaml"))
@click.argument("file", type=click.Path(path_type=Path), metavar="SECTIONS.CSV")
@tasks_option
@json_option
def command(file: Path, tasks: Path | None, as_json: bool) -> None:
    """Add the rows of a CSV file to tasks.yaml; its comments stay.

    Columns: name, example, pattern, every, output, and any other key of a task; or 名称, 示例, 规律, 周期, 输出.
    Nothing is written if any row has a mistake.
    """
    from crawler.sections_csv import append_tasks, read_sections

    target = tasks or Path("tasks.yaml")
    added = append_tasks(target, read_sections(file))
    if as_json:
        print_json({"file": str(target), "added": added})
    else:
        say(f"{target}: {counted(len(added), 'task')} added" + (f": {', '.join(added)}" if added else ""))
