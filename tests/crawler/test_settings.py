"""The project's settings for Scrapy: what of Scrapy's own is not used."""

import subprocess
import sys

from scrapy.settings import Settings


def project() -> Settings:
    settings = Settings()
    settings.setmodule("crawler.settings", priority="project")
    return settings


def test_no_extension_opens_a_port_or_logs_for_each_spider() -> None:
    names = [str(name).rpartition(".")[2] for name in project().get_component_priority_dict_with_base("EXTENSIONS")]
    assert "AutoThrottle" in names
    assert not {"TelnetConsole", "RemoteControl", "LogCount", "MemoryUsage"} & {*names}
    assert not project().getbool("REMOTE_CONTROL_ENABLED")


def test_middlewares_that_are_off_are_not_loaded() -> None:
    names = [str(name) for name in project().get_component_priority_dict_with_base("DOWNLOADER_MIDDLEWARES")]
    assert [name for name in names if "Cookies" in name] == []
    assert "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware" in names


def test_a_spider_loads_no_http_server_and_no_other_client() -> None:
    load = """import sys, crawler.spiders.section
from scrapy.crawler import Crawler
from scrapy.settings import Settings
settings = Settings()
settings.setmodule("crawler.settings", priority="project")
for name in ("EXTENSIONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"):
    settings.get_component_priority_dict_with_base(name)
print(*{"aiohttp", "requests", "twisted.conch"} & {*sys.modules})"""
    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
