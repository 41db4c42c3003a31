"""docs/guarantees.md, docs/operations.md and the bounds of docs/healing.md: what they name is what the program has."""

import re
from pathlib import Path

import pytest

from crawler.task_list.models import Settings, Task
from docs.site.task_schema import json_schema
from tests.docs.documents import DOCS, ROOT, blocks
from workers import keys
from workers.ledger import FETCH_LEASE
from workers.processes import LEAST_MEMORY
from workers.redesign import off_template
from workers.redis_access.redis_address import address_of
from workers.url_states import FINAL_STATES, MOST_ATTEMPTS, OPEN_STATES
from workers.writing import delivery, refused_rows

GUARANTEES, OPERATIONS, HEALING = (
    (DOCS / f"{name}.md").read_text("utf-8") for name in ("guarantees", "operations", "healing")
)
PAGES = {"guarantees": GUARANTEES, "operations": OPERATIONS, "healing": HEALING}


def test_the_counts_that_add_up_are_the_states_of_a_url() -> None:
    [sum_of] = re.findall(r"seen = ([\w\s+]+)\.", GUARANTEES)
    assert {*re.findall(r"\w+", sum_of)} == {*OPEN_STATES, *FINAL_STATES, "forgotten"}


def test_each_promise_names_tests_that_exist() -> None:
    tests = re.findall(r"`([\w/]+\.py)::(\w+)`", GUARANTEES)
    missing = [name for file, name in tests if f"def {name}(" not in (ROOT / "tests" / file).read_text("utf-8")]
    assert len(tests) > 40
    assert missing == []
    promises = re.findall(r"^\d\. (?:.+\n(?:   .+\n)*)", GUARANTEES, re.M)
    assert ["Test:" in text for text in promises] == [True] * 4
    rows = re.findall(r"^\|.*\| test \|\n\|---.*\n((?:\|.*\n)+)", GUARANTEES, re.M)
    untested = [row for table in rows for row in table.splitlines() if not row.endswith("` |")]
    assert len(rows) == 5
    assert untested == []


def test_every_key_that_the_pages_name_exists() -> None:
    for name, text in PAGES.items():
        of_settings = re.findall(r"`settings\.(\w+)", text)
        assert [key for key in of_settings if key not in Settings.model_fields] == [], name
        of_tasks = {*re.findall(r"`(\w+):(?: [^`/]*)?`", text)} - {"exemplar", "rq"}  # prefixes of keys in Redis
        assert of_tasks <= {*Task.model_fields, *Settings.model_fields}, name


def test_bounds_are_those_of_the_program() -> None:
    limits = refused_rows.LIMITS
    refused = f"Up to {limits.items:,} of each output ({limits.bytes >> 20} MiB, "
    rest = f"{limits.tasks} outputs), and the rest of the last batch, are kept for {limits.seconds // 86400} days"
    assert f"{refused}{rest}" in " ".join(GUARANTEES.split())
    assert f"below {LEAST_MEMORY >> 20} MiB" in GUARANTEES
    assert f"its leases expire after {FETCH_LEASE:.0f} s" in GUARANTEES
    assert {MOST_ATTEMPTS: "after three crashes"}[MOST_ATTEMPTS] in GUARANTEES
    assert delivery.REMOVED_OUTPUT_KEPT == 86400
    assert keys.EPOCH in GUARANTEES
    assert f"{off_template.NOTES.items:,} of a task, for {off_template.NOTES.seconds // 86400} days" in HEALING
    assert f"{off_template.PAGES.items} of a task and {off_template.PAGES.bytes >> 20} MiB" in HEALING
    assert f"| {off_template.NOTES.tasks}, the newest |" in HEALING


def test_values_of_redesign_are_those_of_the_task() -> None:
    [table] = re.findall(r"^\| `redesign`.*\n\|---.*\n((?:\|.*\n)+)", HEALING, re.M)
    values = json_schema()["definitions"]["Task"]["properties"]["redesign"]["enum"]
    assert {*re.findall(r"^\| `(\w+)`", table, re.M)} == {*values}


def test_redis_settings_are_those_of_the_file() -> None:
    given = dict(
        line.split(maxsplit=1)
        for line in (ROOT / "deploy" / "redis" / "redis.conf").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    )
    rows = re.findall(r"^\| `(maxmemory-policy|appendonly|appendfsync)` \| `(\w+)`", OPERATIONS, re.M)
    assert len(rows) == 3
    assert [(name, value) for name, value in rows if given[name] != value] == []


FORMS = [
    line for block in blocks(OPERATIONS, "") for line in block.splitlines() if re.match(r"redis|unix|REDIS_URL", line)
]


@pytest.mark.parametrize("line", FORMS)
def test_addresses_of_redis_are_read(line: str, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    text = line.removeprefix("REDIS_URL=").strip('"').replace("/etc/exemplar/", f"{tmp_path}/")
    address = address_of(text)
    assert (address.scheme, len(address.hosts)) == (text.partition(":")[0], len(re.findall(r":\d+\b", text)))


def test_commands_of_the_parts_are_those_of_the_files_for_systemd() -> None:
    shown = re.findall(r"`exemplar (schedule|work \w+)", OPERATIONS)
    units = "".join(path.read_text("utf-8") for path in (ROOT / "deploy" / "systemd").glob("*.service"))
    assert [command for command in shown if f"exemplar {command}" not in units] == []
