"""`exemplar completion SHELL`: the script that makes a shell complete commands, options and tasks."""

import click
from click.shell_completion import get_completion_class

from console.options import examples

PROGRAM, VARIABLE = "exemplar", "_EXEMPLAR_COMPLETE"


@click.command(
    epilog=examples(
        "exemplar completion bash >> ~/.bashrc",
        "exemplar completion zsh >> ~/.zshrc",
        "exemplar completion fish > ~/.config/fish/completions/exemplar.fish",
    )
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL, for commands, options and names of tasks."""
    from console.cli import exemplar

    kind = get_completion_class(shell)
    assert kind is not None
    completion = kind(exemplar, {}, PROGRAM, VARIABLE)
    click.echo(completion.source_template % completion.source_vars())
