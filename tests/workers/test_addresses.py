"""No message shows a secret of an address, and the host that an address names does not depend on its password."""

import re
import socket
import sys
import threading

import pytest
import redis
from sqlalchemy.engine import make_url

from crawler.notifying import NoticeNotSent, send
from tests.samples import sample
from workers import redaction
from workers.addresses import has_secret, secrets_of, shown
from workers.errors import ExemplarError, OutputError, RedisRefused, RowsRefused
from workers.redaction import concealed, redact, remember, remember_address
from workers.redis_access.redis_address import address_of
from workers.sinks import open_sink
from workers.variables import AmbiguousAddress, expand_address

RESERVED = ":/?#[]@!$&'()*+,;=% \"\\{}é中|^`<>"
SOME = sample(":/?#@% é", RESERVED)  # for tests that do much for each character


@pytest.fixture
def looked_up(monkeypatch):
    """The hosts whose names are looked up; none is found."""
    hosts = []

    def find(host, *_, **__):
        hosts.append(host.decode() if isinstance(host, bytes) else host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", find)
    return hosts


def parts_of(secret):
    return {secret[start : start + 4] for start in range(len(secret) - 3)}


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("out/{task}.jsonl", "out/{task}.jsonl"),
        ("postgresql://anna:geheim@db.example/news", "postgresql://anna:***@db.example/news"),
        ("postgresql+psycopg://anna:ge/h@e?i#m@db.example/news", "postgresql+psycopg://anna:***@db.example/news"),
        ("postgresql://:geheim@db.example", "postgresql://:***@db.example"),
        ("mysql://anna:${PW}@db.example/news", "mysql://anna:${PW}@db.example/news"),
        ("mysql://anna:${PW:-geheim}@db.example/news", "mysql://anna:${PW:-***}@db.example/news"),
        ("${DSN}", "${DSN}"),
        ("${DSN:-mysql://anna:geheim@db.example/x}", "${DSN:-mysql://anna:***@db.example/x}"),
        ("${API_TOKEN:-geheim}", "${API_TOKEN:-***}"),
        ("redis+sentinel://s/m?password=ge;h=eim&db=1", "redis+sentinel://s/m?password=***&db=1"),
        (
            "sftp://anna@host.example/a.jsonl?key=/home/anna/.ssh/id",
            "sftp://anna@host.example/a.jsonl?key=/home/anna/.ssh/id",
        ),
        ("webhook+https://host.example/a?key=/ab9", "webhook+https://host.example/a?key=***"),
        ("https://geheim@host.example/hook", "https://***@host.example/hook"),
        ("https://host.example:8080/hook?to=a@b.example", "https://host.example:8080/hook?to=a@b.example"),
        ("https://host.example/hook?token=geheim&x=1", "https://host.example/hook?token=***&x=1"),
        ("https://host.example/hook?x=1&Api-Key=geheim#f", "https://host.example/hook?x=1&Api-Key=***#f"),
        ("https://host.example/hook?%74oken=geheim", "https://host.example/hook?%74oken=***"),
        ("az://rows/a.jsonl?sv=2024&sig=ab%2Fcd%3D", "az://rows/a.jsonl?sv=2024&sig=***"),
        ("https://host.example/services/T00/B00/Xa9bTq82LmNop31QrsTu", "https://host.example/services/T00/B00/***"),
        ("s3://AKIAIOSFODNN7EXAMPLE:ge/heim@rows/a.jsonl", "s3://***:***@rows/a.jsonl"),
        (
            "s3://rows/a.jsonl?aws_access_key_id=AKIAIOSFODNN7EXAMPLE&aws_secret_access_key=wJalr/XUtn&region=eu",
            "s3://rows/a.jsonl?aws_access_key_id=***&aws_secret_access_key=***&region=eu",
        ),
        (
            "https://s3.example/a?X-Amz-Credential=x/y&X-Amz-Signature=0a1b&X-Amz-Date=20260101",
            "https://s3.example/a?X-Amz-Credential=***&X-Amz-Signature=***&X-Amz-Date=20260101",
        ),
        ("", ""),
    ],
)
def test_secrets_are_hidden_and_the_rest_stays(address: str, expected: str) -> None:
    assert shown(address) == expected
    assert has_secret(address) == (address != expected)
    assert shown(shown(address)) == expected


def test_secrets_are_hidden_in_whatever_spelling_a_library_quotes_them():
    address = "postgresql://anna:p%40ss'w%C3%B6rd@db.example/news?password=key9"
    assert secrets_of(address) == ("p%40ss'w%C3%B6rd", "key9")
    remember_address(address)
    for spelling in (
        address,
        "p@ss'wörd",
        "p%40ss'w%C3%B6rd",
        "p%40ss%27w%C3%B6rd",
        "P%40SS%27W%C3%B6RD",
        repr("p@ss'wörd"),
        "p@ss'w\\u00f6rd",
    ):
        text = concealed(f"could not connect: {spelling} refused, key key9")
        assert "rd" not in re.sub("could|password", "", text.lower())
        assert "key9" not in text
        assert "refused" in text


def test_a_part_of_a_secret_between_reserved_characters_is_hidden_where_it_is_a_word():
    remember("Pa@TOPSECRET1/x")
    assert concealed("failed to resolve host 'topsecret1': x") == "failed to resolve host '***': x"
    assert concealed("a TOPSECRET10 and a Pa") == "a TOPSECRET10 and a Pa"


def test_a_short_secret_of_letters_is_hidden_where_it_is_a_word():
    remember("other", "longer-than-that", "lettersonly")
    assert concealed("another other xlonger-than-thatx xlettersonlyx") == "another *** x***x x***x"


def test_the_newest_secrets_are_remembered():
    for number in range(redaction.MOST + 1):
        remember(f"secret-{number:05}-word")
    assert concealed("secret-00000-word secret-00001-word") == "secret-00000-word ***"


def test_secrets_that_several_threads_read_at_once_are_all_concealed():
    secrets = [f"]Word{number}x]end{number}" for number in range(400)]
    together, interval = threading.Barrier(8), sys.getswitchinterval()

    def read(part):
        together.wait(60)
        for secret in part:
            remember(secret)

    threads = [threading.Thread(target=read, args=(secrets[first::8],)) for first in range(8)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert [secret for secret in secrets if secret in concealed(secret)] == []


def test_errors_are_redacted_when_they_are_made():
    remember("geheim")
    for error in (OutputError("at geheim"), RowsRefused({("t", "u", 1): "at geheim"})):
        assert "geheim" not in f"{error} {error!r}"
    assert RowsRefused({("t", "u", 1): "at geheim"}).reasons == {("t", "u", 1): "at ***"}


@pytest.mark.parametrize(
    "address",
    ["postgresql://news:Pa@TOPSECRET1/x@host/db", "redis://:ab?cd@host", "mysql://u:p#q@h/d", "https://u:12a/b@h"],
)
def test_a_password_that_nobody_remembered_is_hidden_up_to_the_last_at_sign(address):
    assert redact(f"cannot open {address} now").count("***@h") == 1
    assert not any(part in redact(address) for part in ("SECRET", "Pa", "ab", "cd", "p#", "q@", "12a"))


def test_a_port_and_a_later_at_sign_are_no_password():
    assert redact("at https://host:8080/@channel") == "at https://host:8080/@channel"


@pytest.mark.parametrize("character", RESERVED)
@pytest.mark.parametrize("start", ["", "ab", "12"])
def test_a_variable_in_the_login_part_is_taken_literally(character, start):
    word = f"{start}{character}Zq7Kx{character}w"
    address = expand_address("postgresql://news:${A}@host/db", {"A": word})
    url = make_url(address)
    assert (url.username, url.password, url.host, url.database) == ("news", word, "host", "db")


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("mysql://${A}@host/db", "news:a:b@c", "mysql://news:a%3Ab%40c@host/db"),
        ("mysql://news:${A}@host/db", "p%40ss", "mysql://news:p%2540ss@host/db"),
        ("mysql://news:p@${A}@host/db", "x/y", "mysql://news:p%40x%2Fy@host/db"),
        ("mysql://news:p%40ss@host/db", "", "mysql://news:p%40ss@host/db"),
        ("mysql://news:pw@${A}/db", "db.example:3306", "mysql://news:pw@db.example:3306/db"),
        ("${A}", "mysql://news:p@ss@host/db", "mysql://news:p%40ss@host/db"),
        ("https://host/@me/${A}", "a/b", "https://host/@me/a/b"),
        ("sftp://anna@host:22/rows@home/", "", "sftp://anna@host:22/rows@home/"),
        ("out/${A}/x@y.jsonl", "a b", "out/a b/x@y.jsonl"),
    ],
)
def test_only_the_login_part_is_encoded(text, value, expected):
    assert expand_address(text, {"A": value}) == expected


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://news:Pa@TOPSECRET1/x@host/db",
        "postgresql://news:Pa/TOPSECRET1@host/db",
        "mysql://news:1234/TOPSECRET1@host/db",
        "mysql://news:x?TOPSECRET1@host/db",
        "sftp://news:x#TOPSECRET1@host/db",
        "https://news:x/TOPSECRET1@host/db",
        "${A}",
    ],
)
def test_an_ambiguous_password_is_an_error_that_says_what_to_write(address):
    with pytest.raises(AmbiguousAddress, match="write @ / ") as error:
        expand_address(address, {"A": "postgresql://news:Pa/TOPSECRET1@host/db"})
    assert "SECRET" not in str(error.value)


OUTPUTS = {
    "postgresql": "postgresql://news:{}@db.invalid/news",
    "postgresql+psycopg": "postgresql+psycopg://news:{}@db.invalid:5433/news",
    "postgres": "postgres://news:{}@db.invalid/news",
    "mysql": "mysql://news:{}@db.invalid/news?sslmode=disable",  # otherwise PyMySQL loads all authorities each time
    "mariadb": "mariadb://news:{}@db.invalid/news?sslmode=disable",
    "sftp": "sftp://news:{}@db.invalid/rows/x.jsonl",
    "http": "http://news:{}@db.invalid/hook",
    "https": "https://news:{}@db.invalid/hook",
    "webhook+http": "webhook+http://news:{}@db.invalid/hook",
    "opensearch+http": "opensearch+http://news:{}@db.invalid/news",
    "elasticsearch+https": "elasticsearch+https://news:{}@db.invalid/news",
    "s3": "s3://news:{}@db.invalid/x.jsonl",
    "gs": "gs://news:{}@db.invalid/x.jsonl",
    "az": "az://news:{}@db.invalid/x.jsonl",
}


@pytest.mark.parametrize("kind", OUTPUTS)
@pytest.mark.parametrize("is_variable", [True, False], ids=["variable", "literal"])
def test_an_output_looks_up_its_host_only_and_tells_no_part_of_its_password(
    kind, is_variable, looked_up, tmp_path, monkeypatch
):
    for character in SOME:
        secret = f"Zq{character}WVXKJQ{character}7hYz"
        monkeypatch.setenv("A", secret)
        with pytest.raises(ExemplarError) as error:
            open_sink(OUTPUTS[kind].format("${A}" if is_variable else secret), "t", tmp_path).check()
        assert not any(part in f"{error.value} {error.value!r}" for part in parts_of(secret) if part.isalnum())
    assert set(looked_up) <= {"db.invalid"}
    assert bool(looked_up) == (kind not in ("s3", "gs", "az"))


@pytest.mark.parametrize(
    "form",
    [
        "redis://:{}@one.invalid:6379/0",
        "rediss://me:{}@one.invalid/0",
        "redis+sentinel://me:{}@one.invalid:26379/news",
        "rediss+sentinel://me:{}@one.invalid/news/1",
    ],
)
def test_a_password_in_redis_url_is_whole_or_an_error_without_it(form, looked_up):
    for character in SOME:
        secret = f"Zq{character}WVXKJQ{character}7hYz"
        try:
            first = address_of(form.format(secret))
            assert not any(part in f"{first!r} {first.shown} {first.name}" for part in ("WVXK", "KJQ", "7hYz"))
            assert first.options["password"] == secret or character == "%"
            assert [host for host, _ in first.hosts] == ["one.invalid"]
            with pytest.raises(redis.RedisError) as error:
                first.client(socket_connect_timeout=1.0).ping()
        except RedisRefused as refused:
            assert character in "/?#"
            error = pytest.ExceptionInfo.from_exception(refused)
        assert "WVXK" not in concealed(str(error.value))
    assert set(looked_up) == {"one.invalid"}


@pytest.mark.parametrize("form", ["json://me:{}@one.invalid/x", "mailto://me:{}@one.invalid?to=a@b.invalid"])
def test_a_notice_goes_to_its_host_only(form, looked_up):
    for character in SOME:
        secret = f"Zq{character}WVXKJQ{character}7hYz"
        with pytest.raises(NoticeNotSent) as error:
            send(form.format("${A}"), "title", "body", {"A": secret})
        assert "WVXK" not in str(error.value)
    assert set(looked_up) == {"one.invalid"}


def test_a_password_that_is_also_the_name_of_the_user_stays_readable():
    expand_address("mysql://news:${A}@host/news", {"A": "news"})
    remember_address("mysql://root:root@host/news")
    assert concealed("task news of root") == "task news of root"
