"""Adopted examples: examples in force in Redis are written into tasks.yaml if that is the task list in force.

Copies of the file on other machines are not edited: a person has to copy the new file, as after any edit.
"""

from pathlib import Path

import redis

from crawler.task_list.edit import existing_list, replace_example
from crawler.task_list.publication import edition, origin_of
from workers.extraction_config import adopted_examples


def unwritten_examples(connection: "redis.Redis", tasks_yaml: Path) -> dict[str, str]:
    """Return, by task, the adopted examples that the file should contain but does not.

    Empty if the list in force came from another file. Raises `TaskFileError` for a file with mistakes.
    """
    adopted = adopted_examples(connection)
    current = edition(connection) if adopted else None
    if current is None or current.origin != origin_of(tasks_yaml) or not tasks_yaml.exists():
        return {}
    known = existing_list(tasks_yaml).tasks
    return {
        name: example.url
        for name, example in adopted.items()
        if known is not None and name in known.tasks and known.tasks[name].example == example.instead_of
    }


def write_examples(tasks_yaml: Path, examples: dict[str, str]) -> list[str]:
    """Write examples into the file, by task; return the problems, a sentence each."""
    from crawler.task_list.mistakes import TaskError

    problems = []
    for name, url in examples.items():
        try:
            replace_example(tasks_yaml, name, url)
        except (TaskError, OSError) as error:
            problems.append(f"the example of task {name} is adopted, but only in Redis: {error}")
    return problems
