"""The placement of tasks on Redis servers, if `REDIS_URL` names several: one part of the list for each server."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from crawler.task_list.models import TaskFile
from workers.redis_access.servers import RedisServer, RedisServers


@dataclass(frozen=True, slots=True)
class TaskPart:
    """The tasks of one server. `kept`: those placed here only because of their ledger, with the server to move to."""

    server: RedisServer
    tasks: TaskFile
    kept: dict[str, RedisServer]


def parts_of(tasks: TaskFile, servers: RedisServers) -> list[TaskPart]:
    """Divide a task list among the servers: by the host of each example, but a ledger keeps its task where it is."""
    if len(servers) == 1:
        return [TaskPart(servers[0], tasks, {})]
    chosen = {name: servers.of_host(host_of(task.example)) for name, task in tasks.tasks.items()}
    present = servers.with_ledgers([*chosen])
    parts = []
    for server in servers:
        names = [name for name in chosen if present.get(name, chosen[name]) is server]
        kept = {name: chosen[name] for name in names if chosen[name] is not server}
        own = tasks.model_copy(update={"tasks": {name: tasks.tasks[name] for name in names}})
        parts.append(TaskPart(server, own, kept))
    return parts


def part_of(tasks: TaskFile, servers: RedisServers, server: RedisServer) -> TaskPart:
    """Return the part of a task list that belongs to one server."""
    return next(part for part in parts_of(tasks, servers) if part.server is server)


def in_words(part: TaskPart) -> str:
    """Return a sentence on the tasks that stay on a server although their hosts now choose another; "" for none."""
    if not part.kept:
        return ""
    first = sorted(part.kept.items())[:5]
    names = ", ".join(f"{name} (to {server.name})" for name, server in first)
    more = f" and {len(part.kept) - 5} more" if len(part.kept) > 5 else ""
    return (
        f"Redis {part.server.name} keeps {len(part.kept)} tasks whose ledgers are there, although their hosts choose "
        f"another server: {names}{more}; docs/operations.md tells how to move them"
    )


def host_of(url: str) -> str:
    """Return the name of a URL's host without port and leading `www.`, by which the server is chosen."""
    return (urlsplit(url).hostname or "").removeprefix("www.")
