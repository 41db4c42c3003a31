"""The command line `exemplar`: finds and runs the command, and reports an expected error as one message and an exit
code.

A command's module is imported only when it is called, so `exemplar --help` is fast.
"""

import os
import sys
from gettext import gettext
from importlib import import_module
from io import StringIO
from typing import Any

import click

from console.locale import in_language, is_chinese, translate_help, use_for_click, word
from console.terminal import say, say_data, show
from crawler.logs import logs_json

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_UNAVAILABLE = 0, 1, 2, 3

COMMANDS = {  # name: description in --help; the module is console.commands.<name>, or as in `MODULES`
    "init": "Write a sample tasks.yaml here.",
    "add": "Add a section to tasks.yaml from one article's URL, or many from a spreadsheet.",
    "try": "Show which links a task would take and what it would extract; write nothing.",
    "check": "Check tasks.yaml, list its mistakes, and try its outputs.",
    "schema": "Print the JSON Schema of a row.",
    "run": "Run all tasks on this machine: schedule, crawl, extract, write.",
    "crawl": "Crawl one task now; its pages wait for extraction.",
    "extract": "Extract articles from files, folders or URLs, without tasks.",
    "schedule": "Run the scheduler (one part of a cluster).",
    "work": "Run crawl or extraction workers (parts of a cluster).",
    "status": "Show tasks, next runs, counts, queue and workers.",
    "console": "Serve a web console with tasks, articles, failures and machines.",
    "metrics": "Print or serve the metrics of the system for Prometheus.",
    "alarms": "Show what changed in a section: redesigns, captchas, silence; dismiss alarms.",
    "failures": "Show failed pages by reason; try them again or drop them.",
    "proposals": "Show new examples found after a redesign; adopt or dismiss them.",
    "backtest": "Show what another example or method would change, on stored pages.",
    "re-extract": "Extract kept pages again, without a request.",
    "export": "Copy rows that were already delivered into a new output.",
    "accept": "Accept rejected pages as articles.",
    "forget": "Forget URLs of a task, so that they can be found again.",
    "rename": "Rename a task; its ledger is kept.",
    "demo": "Crawl the sample site that comes with the source and show the articles.",
}
MODULES = {"try": "trial", "re-extract": "re_extract"}  # commands whose modules have other names
EPILOG = """\b
Examples:
  exemplar init                       write a sample tasks.yaml
  exemplar run --once                 run every task once, then stop
  exemplar extract page.html          the article of one page

Exit codes: 0 ok, 1 some pages or tasks failed, 2 wrong usage or an invalid file, 3 a required service is unavailable.
"""


class _Lazy(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands, in the usual order of their use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"console.commands.{MODULES.get(cmd_name, cmd_name)}").command
        if is_chinese():
            translate_help(command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As in click; the error for an unknown command suggests the nearest name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            nearest = get_close_matches(args[0], COMMANDS, 1)
            ctx.fail(f"unknown command {args[0]!r}" + (f"; did you mean {nearest[0]!r}?" if nearest else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section(gettext("Commands")):
            formatter.write_dl([(name, in_language(text)) for name, text in COMMANDS.items()])


def _print_version(context: click.Context, _: click.Parameter, is_given: bool) -> None:
    if not is_given or context.resilient_parsing:
        return
    from importlib.metadata import version

    from extractors import walk_in_use
    from workers.errors import RedisUnavailable
    from workers.redis_access.redis_binary import redis_binary

    show(f"exemplar, version {version('exemplar-crawler')}")
    try:
        show(f"embedded Redis: {redis_binary()}")
    except RedisUnavailable as error:
        show(f"embedded Redis: {error}")
    show(f"walk over the tree: {word(walk_in_use())}")
    context.exit()


@click.group(cls=_Lazy, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version, which server the embedded Redis is, and whether the walk over the tree is compiled.",
)
def exemplar() -> None:
    """Crawl site sections and extract their articles; the URL of one example article is the configuration."""


def main() -> None:
    """Run the command line and exit. Expected errors are printed without a traceback."""
    if is_chinese():
        use_for_click()
        translate_help(exemplar)
    try:
        result = exemplar(prog_name="exemplar", standalone_mode=False)
        code = result if isinstance(result, int) else EXIT_OK  # click returns the code of an `Exit`
    except click.ClickException as error:
        shown, message = StringIO(), error.format_message()
        error.show(shown)
        if logs_json():  # not where options cannot be read: the log has not started
            say(f"error: {message}")
        else:
            say_data(shown.getvalue().rstrip("\n").replace(message, in_language(message)))
        code = EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        say_data(word("stopped"))
        code = 130
    except BrokenPipeError:  # `exemplar … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_FAILED
    except Exception as error:
        code = _report(error)
    sys.exit(code)


def _report(error: Exception) -> int:
    """Print an expected error as one message and return its exit code; raise an unexpected one."""
    from redis import RedisError

    from crawler.task_list.mistakes import TaskError
    from workers.errors import ExemplarError, MemoryLimited, RedisRefused, RedisUnavailable
    from workers.redaction import redact
    from workers.redis_access.connection import reason

    if isinstance(error, RedisError):
        say(f"error: Redis failed: {reason(error)}; nothing is lost, start again when it is available")
        return EXIT_UNAVAILABLE
    if isinstance(error, (RedisUnavailable, MemoryLimited)):
        code = EXIT_UNAVAILABLE
    elif isinstance(error, (TaskError, RedisRefused)):
        code = EXIT_USAGE
    elif isinstance(error, (ExemplarError, OSError)):
        code = EXIT_FAILED
    else:
        raise error
    say(redact(f"error: {error}"))
    return code
