"""Scrapy's handler of HTTP/1.1, loaded without looking through the stack.

For three deprecated names that nobody here uses, Scrapy asks for all frames of the stack and their source lines. That
took a quarter of the time in which a crawl process starts.
"""

import inspect
from typing import Any

_stack: Any = inspect.stack
inspect.stack = lambda *_: [None, (None,)]  # no module is found
try:
    from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler as HTTP11DownloadHandler
    from scrapy.core.downloader.handlers.http11 import TunnelError as TunnelError
finally:
    inspect.stack = _stack
