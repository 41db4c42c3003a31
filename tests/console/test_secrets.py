"""No part of a password, token or key appears anywhere, whatever characters it has and whatever fails.

Each secret is made of letters and digits that no other text has, around one of the reserved characters.
"""

import itertools
import json
import random
import re
import socket
from base64 import b64decode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
import redis
from zstandard import FRAME_HEADER

from evaluation.sample_site import EXAMPLES, PATTERNS, STARTS
from tests.console import calls
from tests.console.conftest import Exemplar
from tests.console.web.conftest import MakeConsole
from tests.console.web.conftest import console as console
from tests.console.web.conftest import tasks_yaml as tasks_yaml
from tests.redis_servers import free_port, redis_server
from tests.services import MariaDbServer, PostgresServer
from tests.site.server import SiteServer
from tests.workers.http_receiver import Receiver, Request, answering

pytestmark = pytest.mark.timeout(400)
RESERVED = ":/?#[]@!$&'()*+,;=% \"\\{}é中|^`<>"
LETTERS = "QXZJKVW"
PAIR = re.compile(f"(?=[{LETTERS}]{{2}})", re.IGNORECASE)
RANDOM_TEXT = re.compile(r"[A-Za-z0-9_-]{32,}")  # tokens of forms and hashes, which no secret is as long as
PAGES = ["/", "/tasks/{}", "/tasks/{}/settings", "/failures", "/machines", "/schedule", "/alarms", "/articles", "/add"]
ANSWERS = ["/api/tasks", "/api/tasks/{}", "/api/tasks/{}/runs", "/api/failures"]


@dataclass(frozen=True)
class Servers:
    postgres: PostgresServer
    mariadb: MariaDbServer
    http: Receiver


@pytest.fixture
def servers(postgres: PostgresServer, mariadb: MariaDbServer) -> Iterator[Servers]:
    with Receiver() as http:
        http.answer = echo
        yield Servers(postgres, mariadb, http)


def echo(request: Request, connection: socket.socket) -> None:
    """Refuse a request, and quote all of it, as a careless server does."""
    coded = request.headers.get("authorization", "").partition(" ")[2]
    login = (
        b64decode(coded).decode("utf-8", "replace") if request.headers.get("authorization", "")[:5] == "Basic" else ""
    )
    answering(401, f"{login} {coded} {request.path} {unquote(request.path)}".encode())(request, connection)


def secret_of(number: int, before: str, behind: str = "") -> str:
    """A secret with characters before and behind a word, beginning as a password, a host or a port does."""
    chance = random.Random(number)
    first, second, last = ("".join(chance.choices(LETTERS, k=6)) for _ in range(3))
    return f"{chance.choice(['', '22', first])}{before}{second}{behind or before}{last}{number}"


def assert_hidden(secrets: Iterable[str], text: str, where: str) -> None:
    """Assert that no four successive characters of a secret are in a text, in any case or percent-encoded."""
    text = RANDOM_TEXT.sub("", text)
    # Such a part has three of the letters, of which two are neighbours: only there it can be.
    near = "\n".join(text[max(0, pair.start() - 2) : pair.start() + 4] for pair in PAIR.finditer(text)).lower()
    for secret in secrets:
        for spelling in (secret, quote(secret, safe="")):
            for start in range(len(spelling) - 3):
                part = spelling[start : start + 4].lower()
                if part in near and sum(letter in LETTERS.lower() for letter in part) > 2:
                    at = text.lower().find(part)
                    assert at < 0, f"{where}: {secret!r}: …{text[max(0, at - 200) : at + 100]}…"


def forms_of(servers: Servers) -> list[str]:
    """Addresses with `{}` for a password: of each kind, at each kind of target that fails."""
    closed, web = free_port(), f"127.0.0.1:{servers.http.port}"
    return [
        *(f"{scheme}://news:{{}}@{host}/news" for scheme in ("postgresql", "mysql", "mariadb") for host in (
            f"127.0.0.1:{closed}", "no-such-host.invalid",
        )),
        f"postgresql://exemplar:{{}}@127.0.0.1:{servers.postgres.port}/news",
        f"postgres://exemplar:{{}}@127.0.0.1:{servers.postgres.port}/news?table=a-b",
        "postgresql://exemplar:{}@127.0.0.1:port/news",
        "postgresql+psycopg://exemplar:{}@127.0.0.1/news?colour=red",
        f"mysql://exemplar:{{}}@127.0.0.1:{servers.mariadb.port}/news",
        "mysql+pymysql://exemplar:{}@127.0.0.1",
        f"sftp://news:{{}}@127.0.0.1:{closed}/rows/",
        "sftp://news:{}@no-such-host.invalid/rows/",
        f"sftp://news:{{}}@{web}/rows/",
        "sftp://news:{}@127.0.0.1/rows/?kez=a",
        *(f"{scheme}://news:{{}}@bucket/rows/" for scheme in ("s3", "gs", "az")),
        *(f"{scheme}http://news:{{}}@{host}/hook" for scheme in ("", "webhook+", "opensearch+") for host in (
            web, f"127.0.0.1:{closed}", "no-such-host.invalid", "127.0.0.1:99999",
        )),
        f"https://news:{{}}@{web}/hook",
        f"elasticsearch+http://news:{{}}@{web}/news?colour=red",
    ]  # fmt: skip


def in_options(servers: Servers) -> list[str]:
    """Addresses with a secret in an option or a path."""
    web = f"127.0.0.1:{servers.http.port}"
    return [
        f"http://{web}/hook?secret={{}}",
        f"http://{web}/hook?bearer={{}}",
        f"http://{web}/hook?token={{}}&x=1",
        f"http://{web}/services/{{}}",
        f"elasticsearch+http://{web}/news?api_key={{}}",
    ]


def without_pages(value: object) -> object:
    """A value of Redis without its compressed pages, whose bytes may spell anything."""
    if isinstance(value, bytes):
        return value.partition(FRAME_HEADER)[0]
    if isinstance(value, dict):
        return {without_pages(name): without_pages(part) for name, part in value.items()}
    return [without_pages(part) for part in value] if isinstance(value, (list, tuple, set)) else value


def stored(connection: "redis.Redis") -> str:
    """All that Redis has, keys and values, but compressed pages: their bytes may spell anything."""
    readers: dict[str, Any] = {
        "string": connection.get,
        "hash": connection.hgetall,
        "list": lambda key: connection.lrange(key, 0, -1),
        "set": connection.smembers,
        "zset": lambda key: connection.zrange(key, 0, -1, withscores=True),
        "stream": connection.xrange,
    }
    keys = {key: connection.type(key).decode() for key in connection.scan_iter()}
    return "\n".join(f"{key!r} {without_pages(readers[kind](key))!r}" for key, kind in keys.items())


def test_no_part_of_a_secret_in_a_variable_appears_anywhere(
    servers: Servers,
    site: SiteServer,
    tmp_path: Path,
    exemplar: Exemplar,
    console: MakeConsole,
    connection: "redis.Redis",
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of_each_kind = {form.partition(":")[0]: form for form in reversed(forms_of(servers))}
    forms = [*of_each_kind.values(), *in_options(servers)]
    characters = itertools.cycle(RESERVED)
    secrets = {f"EXEMPLAR_S{n}": secret_of(n, next(characters), next(characters)) for n in range(len(forms) + 6)}
    assert 2 * len(secrets) > len(RESERVED)
    names = iter(secrets)
    outputs = [form.format(f"${{{next(names)}}}") for form in forms]
    closed = free_port()
    proxies = [
        f"http://me:${{{next(names)}}}@{host}"
        for host in (f"127.0.0.1:{closed}", "no-such-host.invalid:3128", f"127.0.0.1:{servers.http.port}")
    ]
    notify = [f"json://me:${{{next(names)}}}@127.0.0.1:{closed}/", f"mailto://me:${{{next(names)}}}@no-such.invalid"]
    own = {
        "example": site.url + EXAMPLES["en"],
        "start": site.url + STARTS["en"],
        "pattern": site.url + PATTERNS["en"],
        "every": "1h",
        "limit": 2,
    }
    tasks = {"news": own | {"output": ["out/news.jsonl", *outputs], "notify": notify}}
    tasks["session"] = own | {"output": "out/session.jsonl", "headers": {"X-Key": f"Key ${{{next(names)}}}"}}
    for number, proxy in enumerate(proxies):
        tasks[f"proxy{number}"] = own | {"output": "out/{task}.jsonl", "proxy": proxy}
    settings = {"contact": "https://example.org/c", "allow_hosts": ["127.0.0.1"], "delay": 0}
    (tmp_path / "tasks.yaml").write_text(json.dumps({"settings": settings, "tasks": tasks}), "utf-8")
    environment = {**secrets, **calls.IMPATIENT, "REDIS_URL": redis_url}
    commands = [["check"], ["run", "--once", "--workers", "1", "--json", "--log-format", "json", "-v"],
             ["status"], ["status", "--json"], ["failures"], ["failures", "news", "--json"], ["alarms"]]  # fmt: skip
    monkeypatch.setattr(calls, "LIMIT", 300.0)  # targets that are away are tried for a minute
    for arguments in commands:
        done = exemplar(*arguments, **environment)
        assert_hidden(secrets.values(), done.out + done.err, " ".join(arguments))
    for name, secret in secrets.items():
        monkeypatch.setenv(name, secret)
    client = console()
    for path in (*PAGES, *ANSWERS):
        answer = client.get(path.format("news"))
        assert answer.status_code == 200, path
        assert_hidden(secrets.values(), answer.text, path)
    assert_hidden(secrets.values(), stored(connection), "Redis")


def test_no_part_of_a_secret_in_tasks_yaml_appears_in_a_message(
    servers: Servers, tmp_path: Path, in_process: Exemplar
) -> None:
    forms = [
        *forms_of(servers),
        *in_options(servers)[:3],
        "postgre://news:{}@host/db",
        "sftp:{}@host",
        "{}",
        "//u:{}@h",
    ]
    task = {"example": "https://news.example/1.html", "pattern": "https://news.example/{id}.html", "every": "1h"}
    for turn in range(0, len(RESERVED), 4):
        secrets = [secret_of(n, RESERVED[(n + turn) % len(RESERVED)]) for n in range(len(forms))]
        outputs = {form.format(secret): None for form, secret in zip(forms, secrets, strict=True)}
        tasks = {f"t{n}": task | {"output": output} for n, output in enumerate(outputs)}
        for name in ("proxy", "notify"):
            secrets.append(secret_of(99, RESERVED[turn]))
            tasks[name] = task | {"output": "a.jsonl", name: f"http://me:{secrets[-1]}@no-such-host.invalid:3128"}
        (tmp_path / "tasks.yaml").write_text(json.dumps({"tasks": tasks}), "utf-8")
        for arguments in (["check", *["--json"] * (turn % 8 == 0)], ["status"]):
            done = in_process(*arguments)
            assert_hidden(secrets, done.out + done.err, f"{' '.join(arguments)} {RESERVED[turn]}")


@pytest.mark.parametrize("form", [
    "redis://:{}@127.0.0.1:PORT/0", "redis://me:{}@no-such-host.invalid/0", "redis://:{}@127.0.0.1:1/0",
    "rediss://:{}@127.0.0.1:1/0", "redis://:{}@127.0.0.1:PORT/news", "redis://:{}@127.0.0.1:port/0",
    "redis+sentinel://me:{}@127.0.0.1:1/news", "rediss+sentinel://:{}@no-such-host.invalid/news?colour=red",
    "redis://127.0.0.1:PORT/0?password={}", "redis+sentinel://127.0.0.1:1/news?sentinel_password={}&kolour=red",
    "redis://:{}@127.0.0.1:1/0#a,redis://:{}@127.0.0.1:PORT/0#a", "redis:{}@127.0.0.1",
])  # fmt: skip
def test_no_part_of_the_password_of_redis_appears_in_a_message(form: str, tmp_path: Path, in_process: Exemplar) -> None:
    port = free_port()
    with redis_server(tmp_path / "redis", port, "--requirepass", "another"):
        for number, (before, behind) in enumerate(zip(RESERVED[:16], RESERVED[15:], strict=True)):
            secret = secret_of(number, before, behind)
            for text in {secret, quote(secret, safe="")}:
                done = in_process("status", REDIS_URL=form.replace("{}", text).replace("PORT", str(port)))
                assert done.code in (2, 3), done.out
                assert_hidden([secret], done.out + done.err, f"status {form} {before}{behind}")
