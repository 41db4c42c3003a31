"""The commands with their options, as click has them."""

from collections.abc import Iterator

import click

from console.cli import COMMANDS, exemplar
from docs.site.reference.languages import PageTexts
from docs.site.reference.markdown import block, code, escaped, page, table
from docs.site.reference.tasks import WRITTEN_BY

OPENING = (
    "Every command has `--help` with its examples. Those that print results have `--json`. Exit codes: 0 ok, 1 some "
    "pages or tasks failed, 2 wrong usage or an invalid file, 3 a required service is unavailable."
)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command with its full name, groups before what is in them."""
    context = click.Context(exemplar, info_name="exemplar")
    for name in COMMANDS:
        command = exemplar.get_command(context, name)
        assert command is not None, name
        yield f"exemplar {name}", command
        for part, inner in getattr(command, "commands", {}).items():
            yield f"exemplar {name} {part}", inner


def command_line_page(wording: PageTexts) -> str:
    """Return the page in one language."""
    parts = [f"# {wording.phrase('Commands')}", wording.phrase(OPENING), wording.phrase(WRITTEN_BY)]
    return page(*parts, *(_section(name, command, wording) for name, command in commands()))


def _section(name: str, command: click.Command, wording: PageTexts) -> str:
    context = click.Context(command, info_name=name)
    usage = " ".join((name, *command.collect_usage_pieces(context)))
    level = "##" if name.count(" ") == 1 else "###"
    help_text = [" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n")]
    rows = [
        [_names(option), escaped(wording.message(option.help or "")) + _default(option, wording)]
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden
    ]
    head = [wording.phrase(word) for word in ("option", "meaning")]
    return page(
        f"{level} {name}",
        block("text", usage),
        *(escaped(wording.message(paragraph)) for paragraph in help_text),
        table(head, rows),
        *_examples(command, wording),
    )


def _names(option: click.Option) -> str:
    names = ", ".join((*option.opts, *option.secondary_opts))
    if option.is_flag:
        return code(names)
    return code(f"{names} {option.make_metavar(click.Context(click.Command('exemplar')))}")


def _default(option: click.Option, wording: PageTexts) -> str:
    default = option.default
    if option.is_flag or callable(default) or not isinstance(default, str | int | float) or default == "":
        return ""
    return " " + wording.phrase("Default: {}.").format(code(str(default))) if option.show_default else ""


def _examples(command: click.Command, wording: PageTexts) -> Iterator[str]:
    """Yield the examples of the epilog, and its other lines as text."""
    lines = [line.strip() for line in (command.epilog or "").replace("\b", "").splitlines()]
    shown = [line for line in lines if line.startswith(("exemplar ", "curl "))]
    if shown:
        yield wording.phrase("Examples:")
        yield block("sh", "\n".join(shown))
    others = [line for line in lines if line and line not in shown and line != "Examples:"]
    yield from (escaped(wording.message(line)) for line in others)
