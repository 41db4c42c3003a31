"""The project's settings for Scrapy: what of Scrapy's own is not used."""

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
