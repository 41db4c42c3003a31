"""The check whether a Redis keeps its data on disk."""

import redis


def persistence_problem(connection: "redis.Redis") -> str | None:
    """Return which data a restart of the server would lose, and the remedy; None if it keeps its data or has a replica.

    It does not check whether snapshots are made: that needs `CONFIG GET`, which also returns the server's passwords.
    """
    if connection.info("persistence").get("aof_enabled") or connection.info("replication").get("connected_slaves"):
        return None
    return (
        "Redis has no append-only file: a restart of it loses what it wrote since its last snapshot, "
        "or all of its data if it makes none; set `appendonly yes`"
    )
