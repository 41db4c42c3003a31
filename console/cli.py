"""`exemplar …`: finds the command, runs it, and turns what went wrong into one clear message and an exit code.

Commands are imported when they are called, so `exemplar --help` answers at once.
"""

import os
import sys
from importlib import import_module
from typing import Any

import click

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_UNAVAILABLE = 0, 1, 2, 3

COMMANDS = {  # name: what --help says of it; the module is console.commands.<name>, or as `MODULES` has it
    "init": "Write a sample tasks.yaml here.",
    "add": "Add a section to tasks.yaml from one article's URL, or many from a spreadsheet.",
    "try": "Show what a task would take and cut; write nothing.",
    "check": "Check tasks.yaml and say what is wrong with it.",
    "run": "Run all tasks on this machine: schedule, crawl, extract, write.",
    "crawl": "Crawl one task now; its pages wait for extraction.",
    "extract": "Cut articles out of files, folders or URLs, without tasks.",
    "schedule": "Serve the schedule (one part of a cluster).",
    "work": "Run crawl or extraction workers (parts of a cluster).",
    "status": "Tasks, next runs, counts, queue, workers.",
    "accept": "Take rejected pages for articles after all.",
    "forget": "Forget URLs of a task, so that they are found again.",
    "demo": "Crawl the sample site that comes with the source and show the articles.",
}
MODULES = {"try": "trial"}  # commands whose name no module can have
EPILOG = """\b
Examples:
  exemplar init                       start here
  exemplar run --once                 run every task once, then stop
  exemplar extract page.html          the article of one page

Exit codes: 0 ok, 1 some pages or tasks failed, 2 wrong usage or an invalid file, 3 a needed service is not there.
"""


class _Lazy(click.Group):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order a person meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"console.commands.{MODULES.get(cmd_name, cmd_name)}").command
        return found

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does, with the nearest name for one that does not exist."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, 1)
            ctx.fail(f"no command {args[0]!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="exemplar-crawler", prog_name="exemplar")
def exemplar() -> None:
    """Crawl site sections and cut out their articles; one example article's URL is the configuration."""


def main() -> None:
    """The entry point: never a traceback for what a person can mend."""
    try:
        answer = exemplar(standalone_mode=False)
        code = answer if isinstance(answer, int) else EXIT_OK  # click returns the code of an `Exit`
    except click.ClickException as error:
        error.show()
        code = EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        code = 130
    except BrokenPipeError:  # `exemplar … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_FAILED
    except Exception as error:
        code = _say(error)
    sys.exit(code)


def _say(error: Exception) -> int:
    """One message for a person, and the exit code that goes with it; what we did not foresee is shown in full."""
    from redis import RedisError

    from crawler.redaction import redact
    from crawler.task_list.mistakes import TaskError
    from workers.connection import reason
    from workers.errors import ExemplarError, RedisRefused, RedisUnavailable

    if isinstance(error, RedisError):
        click.echo(f"error: Redis failed: {reason(error)}; nothing is lost, start again when it is back", err=True)
        return EXIT_UNAVAILABLE
    if isinstance(error, RedisUnavailable):
        code = EXIT_UNAVAILABLE
    elif isinstance(error, (TaskError, RedisRefused)):
        code = EXIT_USAGE
    elif isinstance(error, (ExemplarError, OSError)):
        code = EXIT_FAILED
    else:
        raise error
    click.echo(redact(f"error: {error}"), err=True)
    return code
