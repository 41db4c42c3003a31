"""The limiter's steps as Lua, each atomic in Redis. Their constants (`SLOW_MOST` …) are set by `pace`."""

from importlib.resources import files


def script(name: str) -> str:
    """Return the script of one step, after the code that all steps share."""
    here = files(__name__)
    return here.joinpath("host.lua").read_text("utf-8") + here.joinpath(f"{name}.lua").read_text("utf-8")
