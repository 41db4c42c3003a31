"""Task lists in a few words, for tests of what comes before the spider."""

from pathlib import Path

from crawler.task_list.file import loads
from crawler.task_list.models import TaskFile

HOST = "http://127.0.0.1:9"


def text_of(*names: str, every: str = "1h", **keys: str) -> str:
    """The text of a tasks.yaml with tasks of these names; `news+2h` gives one its own period, `news!` pauses it."""
    lines = "".join(f"    {key}: {value}\n" for key, value in keys.items())
    return "settings: {allow_hosts: [127.0.0.1], delay: 0}\ntasks:\n" + "".join(
        _task(name, every) + lines for name in names
    )


def task_file(*names: str, **keys: str) -> TaskFile:
    """The same, read."""
    return loads(text_of(*names, **keys), folder=Path())


def _task(name: str, every: str) -> str:
    name, paused = name.removesuffix("!"), name.endswith("!")
    name, _, own = name.partition("+")
    return (
        f"  {name}:\n    example: {HOST}/{name}/1.html\n    pattern: {HOST}/{name}/{{id}}.html\n"
        f"    start: {HOST}/{name}/\n    every: {own or every}\n    output: out/{{task}}.jsonl\n"
        f"    paused: {str(paused).lower()}\n"
    )
