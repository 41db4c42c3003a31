"""The metrics of a console, and who may read them."""

import re
from pathlib import Path

import pytest

from console.web.config import ConsoleConfig, ConsoleRefused
from tests.console.web.conftest import NAMES, ConsoleClient, MakeConsole

TOKEN, PASSWORD = "a-token-of-metrics", "correct horse battery"


def test_the_metrics_are_served(client: ConsoleClient) -> None:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert re.search(rf'^exemplar_urls{{.*state="written",task="{NAMES[0]}"}} 1.0$', answer.text, re.M)
    assert "set-cookie" not in answer.headers


def test_a_scraper_gets_the_format_that_it_asks_for(client: ConsoleClient) -> None:
    answer = client.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


def test_they_need_a_token_where_the_api_does(published: Path, console: MakeConsole) -> None:
    client = console(password=PASSWORD, token="a-token-of-the-api", metrics_token=TOKEN)
    assert client.get("/metrics").status_code == 401
    for token, codes in (("wrong", (401, 401)), (TOKEN, (200, 401)), ("a-token-of-the-api", (200, 200))):
        headers = {"Authorization": f"Bearer {token}"}
        assert tuple(client.get(path, headers=headers).status_code for path in ("/metrics", "/api/tasks")) == codes


def test_a_short_token_is_refused_beyond_this_machine() -> None:
    with pytest.raises(ConsoleRefused, match="EXEMPLAR_METRICS_TOKEN"):
        ConsoleConfig(Path("t.yaml"), "0.0.0.0", password=PASSWORD, metrics_token="short").check()
    with pytest.raises(ConsoleRefused, match="not a loopback address"):
        ConsoleConfig(Path("t.yaml"), "0.0.0.0", metrics_token=TOKEN).check()
