"""tasks.yaml: what to crawl, how often and where to. The front door; the rooms behind it are in `crawler.task_list`:

`model` what a task may say, `file` reading it with every mistake at once, `schema` the JSON Schema and the sample,
`sections_csv` tasks from a spreadsheet, `edit` tasks added to the file, `periods` when, `ages` how long, `environment`
variables, `publication` the list in Redis.
"""

from crawler.patterns.pattern import Match, Pattern, PatternError
from crawler.redaction import redact
from crawler.task_list.edit import append_tasks
from crawler.task_list.environment import expand
from crawler.task_list.file import load, loads
from crawler.task_list.mistakes import Mistake, TaskError, TaskFileError
from crawler.task_list.model import METHODS, Filter, Settings, Task, TaskFile
from crawler.task_list.periods import Period
from crawler.task_list.schema import SCHEMA_BESIDE_TASKS, SCHEMA_FILE, json_schema, sample, write_schema
from crawler.task_list.sections_csv import read_sections

__all__ = [
    "METHODS",
    "SCHEMA_BESIDE_TASKS",
    "SCHEMA_FILE",
    "Filter",
    "Match",
    "Mistake",
    "Pattern",
    "PatternError",
    "Period",
    "Settings",
    "Task",
    "TaskError",
    "TaskFile",
    "TaskFileError",
    "append_tasks",
    "expand",
    "json_schema",
    "load",
    "loads",
    "read_sections",
    "redact",
    "sample",
    "write_schema",
]
