"""The names of all our keys in Redis.

All begin with `exemplar:`, those of one task with `exemplar:task:NAME:`. RQ's own keys begin with `rq:`.
"""

PREFIX = "exemplar:"

CONFIGS = PREFIX + "briefs"  # hash: task -> its extraction config (JSON)
TASKS = PREFIX + "tasks"  # hash: task -> the whole task as published (JSON)
EDITION = PREFIX + "edition"  # hash: which tasks.yaml is in force, and who published it
SETTINGS = PREFIX + "settings"  # string: the settings of tasks.yaml (JSON)
PERIODS = PREFIX + "periods"  # hash: task -> its period as published; paused tasks have none
SCHEDULE = PREFIX + "schedule"  # zset: task -> when it is due next, Unix seconds
PLANNED = SCHEDULE + ":periods"  # hash: task -> the period by which it is scheduled
PLANNED_EDITION = SCHEDULE + ":edition"  # string: fingerprint of the task list to which the schedule corresponds
HISTORIES = PREFIX + "histories"  # hash: task -> what its runs found, for the publishing rate (JSON)
DUE = PREFIX + "due"  # zset: task that waits for a crawl worker -> when it became due
RUNNING = PREFIX + "running"  # zset: task -> when the run's lease ends
RUN_HOLDERS = PREFIX + "running:holders"  # hash: task -> token of the run
LEDGERS = PREFIX + "ledgers"  # set: tasks that have a ledger
TROUBLED_HOSTS = PREFIX + "hosts:troubled"  # zset: host with problems -> when its record ends, Redis' microseconds
FETCHED = PREFIX + "fetched"  # set: tasks that may have pages which are fetched and not settled
STORED = PREFIX + "stored"  # hash: pages and bytes in the page store, of all tasks
QUEUED = PREFIX + "queued"  # hash: rows and bytes that wait for delivery, of all tasks
ROW_QUEUES = PREFIX + "queues"  # zset: JSON list of task and output -> when its rows are to be delivered, Unix seconds
REFUSING = PREFIX + "refusing"  # zset: JSON list of task and output that refused rows, by the time of the newest
QUARANTINES = PREFIX + "quarantines"  # zset: tasks that have pages in quarantine, by the time of the newest
OFF_TEMPLATE = PREFIX + "low"  # zset: tasks that have pages off the template, by the time of the newest
PROPOSALS = PREFIX + "proposals"  # hash: task -> the newest proposal of an example (`workers.redesign.proposals`, JSON)
UNPROPOSED = PREFIX + "proposals:reasons"  # hash: task -> why no example is proposed (`workers.unproposed`)
EXAMPLES = PREFIX + "examples"  # hash: task -> an example that was adopted and is not in tasks.yaml (JSON)
EPOCH = (
    PREFIX + "epoch"
)  # hash: id of the present epoch, run_id of its server, when it began (`workers.redis_access.epoch`)
REPLY = PREFIX + "reply:"  # prefix: the last reply to one thread of one process (`workers.redis_access.redis_scripts`)
ALIVE = PREFIX + "alive"  # hash: process -> its last heartbeat (JSON)
PROBLEMS_NOW = PREFIX + "problems:processes"  # hash: process -> its present problems (JSON list)
ALARMS = PREFIX + "alarms"  # hash: task -> its open alarms (JSON list)
PICTURES = ":pictures"  # the end of the name of a ledger of pictures
NOTICES = PREFIX + "notices"  # list: notices of alarms that wait to be sent (JSON), oldest first


def of_task(task: str, what: str) -> str:
    """Return a key of one task, such as `exemplar:task:kuaibao:waiting`."""
    return f"{PREFIX}task:{task}:{what}"


def pictures_of(task: str) -> str:
    """Return the name of the ledger of a task's kept pictures (`workers.extraction.picture_keeping`).

    No task has such a name. Its keys begin like those of the task, so that they are forgotten and renamed with these.
    """
    return f"{task}{PICTURES}"


def of_host(host: str, what: str) -> str:
    """Return a key of one host, such as `exemplar:host:example.org:next`."""
    return f"{PREFIX}host:{host}:{what}"
