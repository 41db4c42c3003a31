"""tasks.yaml: what to crawl, how often and where to. The front door; the rooms behind it:

`task_model` what a task may say, `task_file` reading it with every mistake at once, `task_schema` the JSON Schema and
the sample, `sections_csv` tasks from a spreadsheet, `task_edit` tasks added to the file, `periods` when, `environment`
variables, `redaction` secrets.
"""

from crawler.patterns import Match, Pattern, PatternError
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
