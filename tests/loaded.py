"""All modules of the command line and the crawler, loaded once for all processes that are forked (`tests.forks`).

So are the models and modules that the extraction of the first article loads. What is loaded is frozen for the garbage
collector; otherwise each fork would traverse it, and so copy its memory.
"""

import gc
import importlib
import pkgutil

from extractors import Section

PAGE = "<h1>Tides</h1>" + "<p>The harbour was closed again, because the tide was high and the wind blew.</p>" * 4
LATE = (  # what most of them would load themselves, when they need it
    "scrapy.core.scheduler", "scrapy.crawler", "scrapy.pqueues", "scrapy.squeues", "scrapy.statscollectors",
    "scrapy.utils.project", "yaml",
)  # fmt: skip

gc.disable()
importlib.import_module("scrapy.core.downloader.contextfactory")  # looks through the stack and all modules
for name in ("console", "crawler"):
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
for name in LATE:
    importlib.import_module(name)
section = Section(PAGE)
section.learn(PAGE)
section.extract(PAGE)
gc.collect()
gc.freeze()
gc.enable()
