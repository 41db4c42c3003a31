"""Each command line that a document shows is one that the program takes: its command, options and values exist."""

import click
import pytest

from console.cli import exemplar
from tests.docs.documents import ROOT, arguments, command_lines, documents

PLACES = [(path, line) for path in documents() for line in dict.fromkeys(command_lines(path.read_text("utf-8")))]
LEFT_OUT = {"exemplar …", "exemplar <command>"}
STANDS_FOR_ANY = ("TASK", "METHOD", "NAME", "…", "M")  # what a document writes for a value


def parse(line: str) -> click.Command:
    """Read a line with click's own parser, without calling anything. Raises `click.UsageError`."""
    command: click.Command = exemplar
    context = click.Context(exemplar, info_name="exemplar")
    rest = arguments(line)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        if "list" in command.list_commands(context) and rest[0] not in command.list_commands(context):
            rest.insert(0, "list")  # `exemplar failures TASK`
        inner = command.get_command(context, rest[0])
        if inner is None:
            raise click.UsageError(f"no command {rest[0]}")
        command, context = inner, click.Context(inner, info_name=rest.pop(0), parent=context)
    if rest and rest[-1].startswith("--") and not _is_flag(command, rest[-1]):  # prose names an option without a value
        rest.append("…")
    values, others, _ = command.make_parser(context).parse_args(rest)
    if others:
        raise click.UsageError(f"too many arguments: {others}")
    for parameter in command.params:
        given = values.get(parameter.name)
        if isinstance(parameter.type, click.Choice) and isinstance(given, str) and given not in STANDS_FOR_ANY:
            parameter.type.convert(given, parameter, context)
    return command


def _is_flag(command: click.Command, name: str) -> bool:
    found = [option for option in command.params if isinstance(option, click.Option) and name in option.opts]
    return all(option.is_flag for option in found)


def test_documents_show_many_command_lines() -> None:
    assert len({line for _, line in PLACES}) > 120


def test_every_command_line_is_one_of_the_program() -> None:
    mistakes = []
    for path, line in PLACES:
        try:
            if line not in LEFT_OUT:
                parse(line)
        except click.UsageError as error:
            mistakes.append(f"{path.relative_to(ROOT)}: {line}: {error.format_message()}")
    assert mistakes == []


@pytest.mark.parametrize("line", ["exemplar frobnicate", "exemplar run --twice", "exemplar schema --of nothing"])
def test_a_wrong_line_is_noticed(line: str) -> None:
    with pytest.raises(click.UsageError):
        parse(line)
