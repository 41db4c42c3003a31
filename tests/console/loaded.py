"""All modules of the command line and the crawler, loaded once for all calls that are forked (`calls`)."""

import importlib
import pkgutil

for name in ("console", "crawler"):
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
