"""A page and its screenshot."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shot:
    """A page and its screenshot. `scripts`: JavaScript ran. `reason`: why there is no screenshot, empty if there is."""

    url: str
    file: str
    scripts: bool = False
    reason: str = ""
