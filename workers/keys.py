"""The names of all our keys in Redis, so that a person who looks into it finds the way.

Everything begins with `exemplar:`; what belongs to one task goes on with its name. RQ's own keys begin with `rq:`.
"""

PREFIX = "exemplar:"

BRIEFS = PREFIX + "briefs"  # hash: task -> what workers need to know of it (JSON)
TASKS = PREFIX + "tasks"  # hash: task -> the whole task as published (JSON)
EDITION = PREFIX + "edition"  # hash: which tasks.yaml is in force, and who published it
SETTINGS = PREFIX + "settings"  # string: the settings of tasks.yaml (JSON)
PERIODS = PREFIX + "periods"  # hash: task -> its period as published; paused tasks have none
SCHEDULE = PREFIX + "schedule"  # zset: task -> when it is due next, Unix seconds
PLANNED = SCHEDULE + ":periods"  # hash: task -> the period by which it is scheduled
PLANNED_EDITION = SCHEDULE + ":edition"  # string: fingerprint of the task list that the schedule is in line with
HISTORIES = PREFIX + "histories"  # hash: task -> what its runs showed of how often the section publishes (JSON)
DUE = PREFIX + "due"  # zset: task -> when it fell due; waits for a crawl worker
RUNNING = PREFIX + "running"  # zset: task -> when the run's lease ends
RUN_HOLDERS = PREFIX + "running:holders"  # hash: task -> token of the run
LEDGERS = PREFIX + "ledgers"  # set: tasks that have a ledger
TROUBLED_HOSTS = PREFIX + "hosts:troubled"  # zset: host -> until when that is remembered, Redis' microseconds
FETCHED = PREFIX + "fetched"  # set: tasks that may have pages which are fetched and not settled
ALIVE = PREFIX + "alive"  # hash: process -> its last sign of life (JSON)


def of_task(task: str, what: str) -> str:
    """The key of one thing of one task, such as `exemplar:task:kuaibao:waiting`."""
    return f"{PREFIX}task:{task}:{what}"


def of_host(host: str, what: str) -> str:
    """The key of one thing of one host, such as `exemplar:host:example.org:next`."""
    return f"{PREFIX}host:{host}:{what}"
