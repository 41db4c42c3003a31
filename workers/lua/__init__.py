"""The ledger's steps as Lua, each atomic in Redis. Key names (`k_open` …) are set by `workers.ledger`."""

from importlib.resources import files

COMMON = (files(__name__) / "_common.lua").read_text("utf-8")
SCRIPTS: dict[str, str] = {
    entry.name.removesuffix(".lua"): entry.read_text("utf-8")
    for entry in files(__name__).iterdir()
    if entry.name.endswith(".lua") and not entry.name.startswith("_")
}
