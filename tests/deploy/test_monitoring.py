"""The dashboard, the alert rules and the scrape config: all metrics and labels in them exist, all queries are valid."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from console.metrics import BUILD, METRICS

FOLDER = Path(__file__).parents[2] / "deploy" / "monitoring"
BOARD: dict[str, Any] = json.loads((FOLDER / "grafana-dashboard.json").read_text("utf-8"))
RULES: dict[str, Any] = YAML(typ="safe").load((FOLDER / "alerts.yaml").read_text("utf-8"))
LABELS = {metric.name: {"server", *metric.labels} - ({"server"} if metric is BUILD else set()) for metric in METRICS}
WORDS = {  # of PromQL that the queries use
    "sum", "count", "max", "topk", "increase", "rate", "time", "absent", "by", "on", "unless", "and",
}  # fmt: skip
VARIABLES = {"$__rate_interval": "5m", "$server": ".*", "$task": ".*"}


def panels() -> list[dict[str, Any]]:
    return [panel for panel in BOARD["panels"] if panel["type"] != "row"]


def queries_of_the_board() -> list[str]:
    queries = [target["expr"] for panel in panels() for target in panel["targets"]]
    variables = [one["definition"] for one in BOARD["templating"]["list"] if one["type"] == "query"]
    return queries + [re.sub(r"label_values\((.*), \w+\)", r"\1", text) for text in variables]


def rules() -> list[dict[str, Any]]:
    return [rule for group in RULES["groups"] for rule in group["rules"]]


def names_in(query: str) -> Iterator[tuple[str, set[str]]]:
    """The metrics of a query, each with the labels that its selector and the grouping around it name."""
    grouped = {label for group in re.findall(r"\b(?:by|on) \(([^)]*)\)", query) for label in group.split(", ")}
    for name, selector in re.findall(r"\b(exemplar_\w+)(\{[^}]*\})?", query):
        yield name, {*re.findall(r"(\w+)(?==~|=|!=|!~)", selector)} | grouped


ALL_QUERIES = [*queries_of_the_board(), *(rule["expr"] for rule in rules())]


@pytest.mark.parametrize("query", ALL_QUERIES)
def test_a_query_uses_metrics_and_labels_that_exist(query: str) -> None:
    used = [*names_in(query)]
    assert used
    for name, labels in used:
        assert name in LABELS
        assert labels <= LABELS[name], name
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\b(?:by|on) \([^)]*\)|exemplar_\w+", " ", query)
    assert {*re.findall(r"[a-z_]+", bare)} <= WORDS


def test_every_metric_is_on_the_dashboard() -> None:
    shown = {name for query in queries_of_the_board() for name, _ in names_in(query)}
    assert {metric.name for metric in METRICS} - shown == {BUILD.name}


def test_every_rule_says_what_is_wrong() -> None:
    assert len({rule["alert"] for rule in rules()}) == len(rules())
    for rule in rules():
        assert rule["labels"]["severity"] in ("critical", "warning")
        named = {*re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])}
        assert named <= set.union(*(LABELS[name] for name, _ in names_in(rule["expr"])))


def test_promtool_accepts_rules_config_and_queries(promtool: str, tmp_path: Path) -> None:
    for what, name in (("rules", "alerts.yaml"), ("config", "prometheus.yaml")):
        run(promtool, "check", what, str(FOLDER / name))
    recorded = []
    for number, query in enumerate(queries_of_the_board()):
        for variable, value in VARIABLES.items():
            query = query.replace(variable, value)
        recorded.append({"record": f"query_{number}", "expr": query})
    (tmp_path / "rules.json").write_text(json.dumps({"groups": [{"name": "board", "rules": recorded}]}), "utf-8")
    run(promtool, "check", "rules", str(tmp_path / "rules.json"))


SERIES = {  # alert: series of five minutes steps, and labels of the alert that they raise
    "ExemplarRedisDown": (["exemplar_up{server='a'} 1 0 0 0"], {"server": "a"}),
    "ExemplarNoExtraction": (
        ["exemplar_queue_pages{server='a'} 5+0x9", "exemplar_queue_pages{server='b'} 5+0x9",
         "exemplar_extraction_workers{server='b',node='n'} 2+0x9"],
        {"server": "a"},
    ),
    "ExemplarTaskOverdue": (
        ["exemplar_next_run_timestamp_seconds{server='a',task='t'} 0+0x20"],
        {"server": "a", "task": "t"},
    ),
    "ExemplarPagesFail": (
        ["exemplar_urls_settled_total{server='a',task='t',state='failed'} 0+30x20",
         "exemplar_urls_settled_total{server='a',task='t',state='written'} 0+30x20"],
        {"server": "a"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("alert", SERIES)
def test_an_alert_is_raised_for_what_it_names_only(alert: str, promtool: str, tmp_path: Path) -> None:
    series, labels = SERIES[alert]
    rule = next(rule for rule in rules() if rule["alert"] == alert)
    value = {"ExemplarPagesFail": "50%", "ExemplarTaskOverdue": "1h 30m 0s"}.get(alert, "")
    summary = rule["annotations"]["summary"].replace("{{ $value | humanizePercentage }}", value)
    summary = summary.replace("{{ $value | humanizeDuration }}", value)
    for name in labels:
        summary = summary.replace(f"{{{{ $labels.{name} }}}}", labels[name])
    test = {
        "interval": "5m",
        "input_series": [
            {"series": line.split(" ", 1)[0].replace("'", '"'), "values": line.split(" ", 1)[1]} for line in series
        ],
        "alert_rule_test": [
            {
                "eval_time": "90m" if value else "15m",
                "alertname": alert,
                "exp_alerts": [{"exp_labels": labels | rule["labels"], "exp_annotations": {"summary": summary}}],
            }
        ],
    }
    (tmp_path / "test.json").write_text(
        json.dumps({"rule_files": [str(FOLDER / "alerts.yaml")], "tests": [test]}), "utf-8"
    )
    run(promtool, "test", "rules", str(tmp_path / "test.json"))


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
