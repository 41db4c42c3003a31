"""Spiders of a crawl worker as forks of it, which saves the start of Python and the loading of Scrapy for each of them.

A fork has the command line of its crawl worker. Its name (`ps -o comm`) is `spider TASK`.
"""

import importlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

from tests.forks import ForkingPopen

NAME = "spider "  # the first part of a spider's name
PROGRAM = "crawler.fetching.spider_process"
MODULES = (
    PROGRAM,
    "crawler.spiders.section",
    "scrapy.core.engine",
    "scrapy.crawler",
    "extractors.page_types.empty_shell",
)
COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES")


def fork_spiders(log_path: str, log: int) -> None:
    """Load what a spider needs, and let this process fork its spiders.

    `log`: the file number of the log at `log_path`.
    """
    for name in MODULES:
        importlib.import_module(name)
    from scrapy.settings import Settings
    from scrapy.utils.misc import load_object

    from workers.processes import name_process

    settings = Settings()
    settings.setmodule("crawler.settings", priority="project")
    for components in COMPONENTS:
        for component in settings.get_component_priority_dict_with_base(components):
            load_object(component)
    for address in (*settings.getdict("DOWNLOAD_HANDLERS").values(), settings["TWISTED_DNS_RESOLVER"]):
        if address is not None:
            load_object(address)

    class SpiderPopen(ForkingPopen):
        programs = (PROGRAM,)

        @staticmethod
        def be(program: str, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
            name_process(NAME + arguments[-1])
            again = os.open(log_path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)  # a fork closes all files
            if again != log:
                os.dup2(again, log, inheritable=False)
                os.close(again)
            return ForkingPopen.be(program, arguments, environment)

    patch.object(subprocess, "Popen", SpiderPopen).start()


def task_of_fork(pid: int) -> str:
    """The task of a spider that is a fork; empty for any other process."""
    try:
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
    return name.removeprefix(NAME) if name.startswith(NAME) else ""
