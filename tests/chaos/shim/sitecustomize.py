"""Loaded by every Python process of a cluster under test, before anything else: a clock that can be set wrong.

`CHAOS_CLOCK` names a file of one double: the seconds by which this node's clock is off, at any moment.
`CHAOS_TARGETS`, if it is set, makes a kind of outputs of `tests/workers/batch_folder.py`.
"""

import datetime
import importlib.machinery
import mmap
import os
import struct
import sys
import time
from pathlib import Path


def shift_clock(path: str) -> None:
    """Let this process' wall clock be off by what the file says; monotonic clocks stay right."""
    with Path(path).open("rb") as file:
        offset = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
    real_time, real = time.time, datetime.datetime

    def shifted() -> float:
        return real_time() + struct.unpack("d", offset[:8])[0]

    class Kind(type):
        def __instancecheck__(cls, value):
            return isinstance(value, real)

    class Shifted(real, metaclass=Kind):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(shifted(), tz)

        @classmethod
        def utcnow(cls):
            return cls.fromtimestamp(shifted(), datetime.UTC).replace(tzinfo=None)

    Shifted.__name__ = Shifted.__qualname__ = "datetime"
    time.time, time.time_ns = shifted, lambda: int(shifted() * 1e9)
    datetime.datetime = Shifted


def add_targets() -> None:
    """Add a kind of outputs when the kinds are imported; importing them here would slow each process down."""

    class Hook:
        def find_spec(self, name, path, target=None):
            if name not in ("workers.sinks.kinds", "crawler.task_list.validators"):
                return None
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            execute = spec.loader.exec_module

            def exec_module(module) -> None:
                execute(module)
                if name == "workers.sinks.kinds":
                    module.KINDS["folder"] = kind_of(module.Kind)
                elif hasattr(module, "_check_kind_of_output"):
                    check = module._check_kind_of_output
                    module._check_kind_of_output = lambda output: output.startswith("folder:") or check(output)

            spec.loader.exec_module = exec_module
            return spec

    def kind_of(base):
        class FolderKind(base):
            def open(self, target):
                from tests.workers.batch_folder import FolderSink

                return FolderSink(target.folder / target.address.partition(":")[2])

        return FolderKind("folder", "", schemes=("folder",), is_queued=True)

    sys.meta_path.insert(0, Hook())


if "CHAOS_CLOCK" in os.environ:
    shift_clock(os.environ["CHAOS_CLOCK"])
if "CHAOS_TARGETS" in os.environ:
    add_targets()
