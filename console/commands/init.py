"""`exemplar init`: writes a sample tasks.yaml, and its JSON Schema for editors."""

from pathlib import Path

import click

from console.options import check_value, examples
from console.terminal import say
from crawler.task_list.file import loads
from crawler.task_list.schema import sample, write_schema
from crawler.task_list.validators import check_contact


@click.command(epilog=examples("exemplar init", "exemplar init --contact https://example.org/our-crawler news/"))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option(
    "--contact", help="A URL or an e-mail address where site owners can reach you; it goes into the User-Agent."
)
@click.option("--force", is_flag=True, help="Overwrite an existing tasks.yaml.")
def command(folder: Path, contact: str | None, force: bool) -> None:
    """Write a sample tasks.yaml into FOLDER (default: here)."""

    target = folder / "tasks.yaml"
    if target.exists() and not force:
        raise click.UsageError(f"{target} already exists; edit it, or use --force to overwrite it")
    check_value("--contact", contact or None, check_contact)
    text = sample(contact or "")
    loads(text, str(target))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".exemplar").mkdir(exist_ok=True)
    write_schema(folder / ".exemplar" / "tasks.schema.json")
    target.write_text(text, "utf-8")
    say(f"wrote {target}. Next: exemplar add URL, with the URL of one article; or write a task, then exemplar check")
    if not contact:
        say("No contact is set: public sites are not crawled until `settings.contact` is set.")
