"""No message shows a secret of an address."""

import pytest

from workers.sinks.addresses import concealed, has_secret, secrets_of, shown


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("out/{task}.jsonl", "out/{task}.jsonl"),
        ("sqlite:///a.db", "sqlite:///a.db"),
        ("postgresql://anna:geheim@db.example/news", "postgresql://anna:***@db.example/news"),
        ("postgresql+psycopg://anna:ge/h@e?i#m@db.example/news", "postgresql+psycopg://anna:***@db.example/news"),
        ("postgresql://:geheim@db.example", "postgresql://:***@db.example"),
        ("mysql://anna:${PW}@db.example/news", "mysql://anna:${PW}@db.example/news"),
        ("mysql://anna:${PW:-geheim}@db.example/news", "mysql://anna:${PW:-***}@db.example/news"),
        ("mysql://anna:x${PW}@db.example/news", "mysql://anna:***@db.example/news"),
        ("${DSN}", "${DSN}"),
        ("${DSN:-mysql://anna:geheim@db.example/x}", "${DSN:-mysql://anna:***@db.example/x}"),
        ("${API_TOKEN:-geheim}", "${API_TOKEN:-***}"),
        ("${DATA:-/data}/{task}.jsonl", "${DATA:-/data}/{task}.jsonl"),
        ("sftp://anna@host.example:22/rows/{date}.jsonl", "sftp://anna@host.example:22/rows/{date}.jsonl"),
        ("https://geheim@host.example/hook", "https://***@host.example/hook"),
        ("https://host.example:8080/hook?to=a@b.example", "https://host.example:8080/hook?to=a@b.example"),
        ("https://host.example/hook?token=geheim&x=1", "https://host.example/hook?token=***&x=1"),
        ("https://host.example/hook?x=1&client_secret=geheim", "https://host.example/hook?x=1&client_secret=***"),
        ("https://host.example/hook?x=1&Api-Key=geheim#f", "https://host.example/hook?x=1&Api-Key=***#f"),
        ("https://host.example/hook?%74oken=geheim", "https://host.example/hook?%74oken=***"),
        ("https://host.example/hook?token=${TOKEN}", "https://host.example/hook?token=${TOKEN}"),
        ("az://rows/a.jsonl?sv=2024&sig=ab%2Fcd%3D", "az://rows/a.jsonl?sv=2024&sig=***"),
        ("https://host.example/services/T00/B00/Xa9bTq82LmNop31QrsTu", "https://host.example/services/T00/B00/***"),
        ("https://host.example/hooks/2026-01-01-the-harbour-rows", "https://host.example/hooks/***"),
        ("s3://AKIAIOSFODNN7EXAMPLE:ge/heim@rows/a.jsonl", "s3://***:***@rows/a.jsonl"),
        (
            "s3://rows/a.jsonl?aws_access_key_id=AKIAIOSFODNN7EXAMPLE&aws_secret_access_key=wJalr/XUtn&region=eu",
            "s3://rows/a.jsonl?aws_access_key_id=***&aws_secret_access_key=***&region=eu",
        ),
        (
            "https://s3.example/a?X-Amz-Credential=x/y&X-Amz-Signature=0a1b&X-Amz-Date=20260101",
            "https://s3.example/a?X-Amz-Credential=***&X-Amz-Signature=***&X-Amz-Date=20260101",
        ),
        ("s3://rows/{date:%Y/%m}/{batch}.jsonl.gz", "s3://rows/{date:%Y/%m}/{batch}.jsonl.gz"),
        ("", ""),
    ],
)
def test_secrets_are_hidden_and_the_rest_stays(address: str, expected: str) -> None:
    assert shown(address) == expected
    assert has_secret(address) == (address != expected)
    assert shown(shown(address)) == expected


def test_secrets_are_hidden_in_whatever_spelling_a_library_quotes_them() -> None:
    address = "postgresql://anna:p%40ss'w%C3%B6rd@db.example/news?sslkey=k9"
    assert secrets_of(address) == ("p%40ss'w%C3%B6rd", "k9")
    for spelling in (
        address,
        "p@ss'wörd",
        "p%40ss'w%C3%B6rd",
        "p%40ss%27w%C3%B6rd",
        repr("p@ss'wörd"),
        "p@ss'w\\u00f6rd",
    ):
        text = concealed(f"could not connect: {spelling} refused, key k9", address)
        assert "rd" not in text.replace("could", "")
        assert "k9" not in text
        assert "refused" in text


def test_a_short_secret_does_not_garble_the_text() -> None:
    assert concealed("a table at host", "mysql://u:a@h/d") == "*** table at host"


def test_variables_are_no_secrets() -> None:
    assert secrets_of("mysql://u:${PW}@h/d?token=${T}") == ()
