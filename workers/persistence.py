"""Whether a Redis keeps its data on disk."""

import redis


def persistence_problem(connection: "redis.Redis") -> str | None:
    """Return what a restart of the server would lose, and the remedy; None if it keeps its data or has a replica."""
    if connection.info("persistence").get("aof_enabled") or connection.info("replication").get("connected_slaves"):
        return None
    try:
        points = str(connection.config_get("save").get("save", ""))
    except redis.ResponseError:  # a managed server shows no configuration
        points = "unknown"
    lost = "what it wrote since its last snapshot" if points else "all of its data, ledger and task list included"
    return f"Redis has no append-only file: a restart of it loses {lost}; set `appendonly yes`"
