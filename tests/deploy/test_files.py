"""The files of `deploy/`, each read by the program that will read it, where that is here, and by checks of our own."""

import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import kubernetes_validate
import pytest
from ruamel.yaml import YAML

from console.cli import exemplar
from console.commands.console import PORT
from console.web.config import LEAST_TOKEN
from crawler.task_list.file import load
from workers import keys
from workers.inbox import QUEUE
from workers.sinks.kinds import KINDS

from .units import FOLDER as UNITS
from .units import units

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = DEPLOY / "compose" / "compose.yaml"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
KUBERNETES_VERSION = "1.32"
PARTS = ("schedule", "crawl", "extract", "console")


def parses(arguments: list[str]) -> None:
    """Raise what click says of a command line of ours; run nothing."""
    name, command, rest = exemplar.resolve_command(click.Context(exemplar), arguments)
    while isinstance(command, click.Group):
        name, command, rest = command.resolve_command(click.Context(command), rest)
    assert command is not None
    command.make_context(name, rest)


def by_default(texts: list[str]) -> list[str]:
    """Texts of compose with the defaults of their variables."""
    return [re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text) for text in texts]


# The container file


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Containerfile").read_text("utf-8"), flags=re.M)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines if line.strip()]


def test_the_image_holds_every_package_and_runs_without_root() -> None:
    found = instructions()
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]["find"]
    copied = " ".join(rest for name, rest in found if name == "COPY")
    assert {name.rstrip("*") for name in table["include"]} | {"setup.py"} <= set(copied.split())
    assert [rest for name, rest in found if name == "USER"] == ["10001:10001"]
    assert ("ARG", "CHROMIUM=no") in found
    [chromium] = [rest for name, rest in found if name == "RUN" and "chromium" in rest]
    assert chromium.startswith('if [ "$CHROMIUM" = yes ]')
    assert any("-c constraints.txt" in rest for name, rest in found if name == "RUN")
    stages = [rest for name, rest in found if name == "FROM"]
    assert stages == ["${PYTHON} AS build", "${PYTHON}"]


def extras() -> set[str]:
    [given] = [rest.partition("=")[2] for name, rest in instructions() if name == "ARG" and rest.startswith("EXTRAS=")]
    return set(given.split(","))


def test_the_image_has_the_libraries_of_every_output_of_notices_and_of_the_console() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert extras() == {kind.extra for kind in KINDS.values() if kind.extra} | {"console", "notify"}
    assert extras() <= set(project["optional-dependencies"])
    assert any('".[$EXTRAS]"' in rest for name, rest in instructions() if name == "RUN")
    example = (DEPLOY / "compose" / "env.example").read_text("utf-8")
    args = [compose()["services"][name]["build"]["args"]["EXTRAS"] for name in PARTS]
    for text in (*by_default(args), *re.findall(r"^EXTRAS=(.*)$", example, re.M)):
        assert set(text.split(",")) == extras()


# Compose


def compose() -> dict[str, Any]:
    read: dict[str, Any] = YAML(typ="safe").load(COMPOSE.read_text("utf-8"))
    return read


def test_the_parts_of_compose_are_commands_of_ours() -> None:
    services = compose()["services"]
    for name in PARTS:
        parses(by_default(services[name]["command"]))
    assert set(services) == {"redis", *PARTS}
    assert [name for name in services if "ports" in services[name]] == ["console"]
    assert compose()["networks"]["queue"]["internal"]
    for service in services.values():
        assert set(service["networks"]) <= set(compose()["networks"])
        assert "ALL" in service["cap_drop"]
    assert len({str(services[name]["volumes"]) for name in PARTS}) == 1  # all see the same task list and files
    variables = set(re.findall(r"\$\{(\w+)", COMPOSE.read_text("utf-8")))
    documented = set(re.findall(r"^(\w+)=", (DEPLOY / "compose" / "env.example").read_text("utf-8"), re.M))
    assert variables - documented == {"EXEMPLAR_IMAGE", "REDIS_IMAGE"}


@pytest.mark.parametrize("name", ["crawl", "extract", "console"])
def test_what_fetches_or_delivers_reaches_the_internet(name: str) -> None:
    networks = compose()["networks"]
    assert any(not networks[network].get("internal") for network in compose()["services"][name]["networks"])
    labels = {"app.kubernetes.io/name": "exemplar", "app.kubernetes.io/component": name}
    assert "0.0.0.0/0" in str([rule["to"] for policy in policies(labels, "Egress") for rule in policy["egress"]])


def test_the_console_has_a_port_and_a_login_in_compose() -> None:
    service = compose()["services"]["console"]
    [port] = by_default(service["ports"])
    assert re.fullmatch(rf"127\.0\.0\.1:\d+:{PORT}", port)  # without TLS only for this machine
    assert by_default(service["command"])[-4:-2] == ["--host", "0.0.0.0"]
    assert "at least 12" in service["environment"]["EXEMPLAR_CONSOLE_PASSWORD"]
    assert LEAST_TOKEN == 12


def test_the_commands_of_the_readme_are_ours() -> None:
    text = (DEPLOY / "README.md").read_text("utf-8")
    given = re.findall(r"^docker compose (?:run|exec) (?:--\S+ )*(\w+) (.*?)(?: +#.*)?$", text, re.M)
    assert [service for service, _ in given if service not in PARTS] == []
    assert len(given) >= 3
    for _, arguments in given:
        parses(shlex.split(arguments.removeprefix("exemplar ")))


def test_redis_keeps_what_it_acknowledged() -> None:
    for text in (
        (DEPLOY / "redis" / "redis.conf").read_text("utf-8"),
        next(found["data"]["redis.conf"] for found in documents() if "redis.conf" in found.get("data", ())),
    ):
        settings = dict(line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#"))
        assert settings["appendonly"] == "yes"
        assert settings["appendfsync"] == "everysec"
        assert settings["maxmemory-policy"] == "noeviction"
        assert "maxmemory" in settings


def test_a_primary_that_is_cut_off_stops_before_a_replica_is_promoted() -> None:
    """Its clock of replicas ticks once a second, and counts whole seconds."""
    replicated = dict(re.findall(r"^([\w-]+) (\w+)$", (DEPLOY / "redis" / "replicated.conf").read_text("utf-8"), re.M))
    [wait] = re.findall(r"^sentinel down-after-milliseconds \w+ (\d+)$", _sentinel(), re.M)
    assert replicated["min-replicas-to-write"] == "1"
    assert (int(replicated["min-replicas-max-lag"]) + 2) * 1000 <= int(wait)


def _sentinel() -> str:
    return (DEPLOY / "redis" / "sentinel.conf").read_text("utf-8")


def test_the_rules_of_the_redis_user_are_the_documented_ones() -> None:
    [rules] = re.findall(r"^user exemplar .*$", (ROOT / "docs" / "operations.md").read_text("utf-8"), re.M)
    assert rules in (DEPLOY / "redis" / "users.acl").read_text("utf-8").splitlines()


# systemd


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is not installed: the units are for machines with systemd, and it is what checks them",
)
def test_systemd_takes_the_units_and_finds_them_hardened(tmp_path: Path) -> None:
    for path in (*UNITS.glob("*.service"), *UNITS.glob("*.target")):
        (tmp_path / path.name).write_text(path.read_text("utf-8").replace("/opt/exemplar/bin/exemplar", "/bin/true"))
    for path in sorted(tmp_path.iterdir()):
        done = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    for path in tmp_path.glob("*.service"):
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--threshold=30", str(path)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout


def test_the_units_run_commands_of_ours() -> None:
    found = units()
    assert [unit.path.name for unit in found] == [
        f"exemplar-{part}@.service" for part in ("crawl", "extract", "schedule")
    ]
    for unit in found:
        program, *arguments = unit.command(unit.environment)
        assert program == "/opt/exemplar/bin/exemplar"
        parses(arguments)
        assert unit.settings["NoNewPrivileges"] == ["yes"]
        assert unit.settings["ProtectSystem"] == ["strict"]
        assert unit.settings["User"] == ["exemplar"]


# Kubernetes


def documents() -> Iterator[dict[str, Any]]:
    for path in KUBERNETES:
        yield from YAML(typ="safe").load_all(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "document", list(documents()), ids=lambda found: f"{found['kind']}-{found['metadata']['name']}"
)
def test_kubernetes_takes_each_manifest(document: dict[str, Any]) -> None:
    if document["kind"] not in ("ScaledObject", "TriggerAuthentication"):
        kubernetes_validate.validate(document, KUBERNETES_VERSION, strict=True)
    assert document["metadata"].get("namespace", document["metadata"]["name"]) == "exemplar"


def pods() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for document in documents():
        if document["kind"] in ("Deployment", "StatefulSet"):
            yield document, document["spec"]["template"]["spec"]


def test_what_the_manifests_name_is_there() -> None:
    names = {(found["kind"], found["metadata"]["name"]) for found in documents()}
    for document, pod in pods():
        assert document["spec"]["selector"]["matchLabels"] == document["spec"]["template"]["metadata"]["labels"]
        mounted = {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]}
        claims = [claim["metadata"]["name"] for claim in document["spec"].get("volumeClaimTemplates", ())]
        assert mounted == {volume["name"] for volume in pod["volumes"]} | set(claims)
        for volume in pod["volumes"]:
            if "configMap" in volume:
                assert ("ConfigMap", volume["configMap"]["name"]) in names
            if "persistentVolumeClaim" in volume:
                assert ("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]) in names
        for variable in (one for container in pod["containers"] for one in container["env"]):
            if "secretKeyRef" in variable.get("valueFrom", ()):
                assert ("Secret", variable["valueFrom"]["secretKeyRef"]["name"]) in names
    for found in documents():
        if found["kind"] == "ScaledObject":
            assert ("Deployment", found["spec"]["scaleTargetRef"]["name"]) in names


def policies(labels: dict[str, str], direction: str) -> list[dict[str, Any]]:
    """The network policies that apply to pods with these labels."""
    found = []
    for policy in (document["spec"] for document in documents() if document["kind"] == "NetworkPolicy"):
        selector = policy["podSelector"]
        matches = selector.get("matchLabels", {}).items() <= labels.items() and all(
            rule["operator"] == "In" and labels.get(rule["key"]) in rule["values"]
            for rule in selector.get("matchExpressions", ())
        )
        if matches and direction in policy["policyTypes"] and direction.lower() in policy:
            found.append(policy)
    return found


def test_the_console_has_a_service_a_login_and_a_way_in() -> None:
    named = {(found["kind"], found["metadata"]["name"]): found for found in documents()}
    pod = named["Deployment", "exemplar-console"]["spec"]["template"]
    [container], service = pod["spec"]["containers"], named["Service", "console"]["spec"]
    assert service["selector"] == pod["metadata"]["labels"]
    assert service["ports"][0]["targetPort"] == container["ports"][0]["name"]
    assert container["ports"][0]["containerPort"] == PORT
    assert "EXEMPLAR_CONSOLE_PASSWORD" in {variable["name"] for variable in container["env"]}
    ways_in = [rule for policy in policies(pod["metadata"]["labels"], "Ingress") for rule in policy["ingress"]]
    assert [port["port"] for rule in ways_in for port in rule["ports"]] == [PORT]


def test_the_pods_run_commands_of_ours_with_the_rights_that_they_need() -> None:
    commands = [container["args"] for _, pod in pods() for container in pod["containers"] if "args" in container]
    assert len([parses(arguments) for arguments in commands]) == len(PARTS)
    for _, pod in pods():
        assert pod["securityContext"]["runAsNonRoot"]
        assert not pod["automountServiceAccountToken"]
        for container in pod["containers"]:
            context = container["securityContext"]
            assert not context["allowPrivilegeEscalation"]
            assert context["readOnlyRootFilesystem"]
            assert context["capabilities"] == {"drop": ["ALL"]}


def test_keda_counts_keys_that_exist() -> None:
    scaled = [found["spec"] for found in documents() if found["kind"] == "ScaledObject"]
    triggers = [trigger for spec in scaled for trigger in spec["triggers"]]
    for trigger in triggers:
        assert (trigger["type"], set(trigger["authenticationRef"])) == ("redis", {"name"})
        assert {*trigger["metadata"]} >= {"address", "listLength"}
        assert {type(value) for value in trigger["metadata"].values()} == {str}  # KEDA refuses numbers here
    assert {trigger["metadata"]["listName"] for trigger in triggers} == {
        f"rq:queue:{QUEUE}",
        keys.FETCHED,
        keys.ROW_QUEUES,
        keys.DUE,
        keys.RUNNING,
    }


def test_the_sample_task_list_is_valid(tmp_path: Path) -> None:
    [text] = [found["data"]["tasks.yaml"] for found in documents() if found["metadata"]["name"] == "exemplar-tasks"]
    (tmp_path / "tasks.yaml").write_text(text, "utf-8")
    [task] = load(tmp_path / "tasks.yaml").tasks.values()
    assert task.outputs() == ("/data/out/harbour-news.jsonl",)
