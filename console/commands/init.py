"""`exemplar init`: writes a sample tasks.yaml, and its JSON Schema for editors."""

import sys
from pathlib import Path

import click

from console.locale import in_language
from console.options import examples
from console.terminal import say
from crawler.task_list.mistakes import BadValueError

HELP_CONTACT = "A URL or an e-mail address where site owners can reach you; it goes into the User-Agent."


@click.command(epilog=examples("exemplar init", "exemplar init --contact https://example.org/our-crawler news/"))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("--contact", help=HELP_CONTACT)
@click.option("--force", is_flag=True, help="Overwrite an existing tasks.yaml.")
def command(folder: Path, contact: str | None, force: bool) -> None:
    """Write a sample tasks.yaml into FOLDER (default: here)."""
    from crawler.task_list.file import loads
    from crawler.task_list.schema import sample, write_schema

    target = folder / "tasks.yaml"
    if target.exists() and not force:
        raise click.UsageError(f"{target} already exists; edit it, or use --force to overwrite it")
    if contact is None and sys.stdin.isatty():
        say("Site owners want to know who crawls their sites.")
        say(HELP_CONTACT)
        prompt = in_language("Contact (may be left empty)")
        contact = click.prompt(prompt, default="", show_default=False, value_proc=_contact, err=True)
    text = sample(_contact(contact or ""))
    loads(text, str(target))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".exemplar").mkdir(exist_ok=True)
    write_schema(folder / ".exemplar" / "tasks.schema.json")
    target.write_text(text, "utf-8")
    say(f"wrote {target}. Next: exemplar add URL, with the URL of one article; or write a task, then exemplar check")
    if not contact:
        say("No contact is set: public sites are not crawled until `settings.contact` is set.")


def _contact(text: str) -> str:
    """Return a contact, which may be empty. Raises `click.UsageError` for an invalid one; a prompt then asks again."""
    from crawler.task_list.validators import check_contact

    try:
        return str(check_contact(text)) if text else ""
    except BadValueError as error:
        raise click.UsageError(in_language(f"contact: {error}")) from None
