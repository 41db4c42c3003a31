"""Which requests the console answers."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException

from console.web.config import ConsoleConfig, ConsoleRefused, config_from
from console.web.security import POLICY, Sessions, host_name, is_bearer, local_target
from tests.console.web.conftest import NAMES, ConsoleClient, MakeConsole, form_token

PASSWORD = "correct horse battery"
PAGES = ("/", "/articles", "/failures", "/schedule", "/machines", "/add", f"/tasks/{NAMES[0]}", "/api/tasks")


def test_every_response_has_the_headers_that_keep_scripts_and_frames_out(client: ConsoleClient) -> None:
    assert "unsafe" not in POLICY
    for path in (*PAGES, "/static/console.css", "/nothing", "/login"):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY, path
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_the_names_of_this_machine_are_answered_and_no_others(client: ConsoleClient) -> None:
    foreign = ("evil.example", "127.0.0.1.evil.example:8300", "", "localhost.evil:8300")
    own = ("localhost:8300", "LOCALHOST", "[::1]:8300", "127.0.0.1")
    codes = [client.get("/", headers={"Host": host}).status_code for host in (*foreign, *own)]
    assert codes == [421] * 4 + [200] * 4


def test_a_further_name_is_answered_if_it_is_given(published: Path, console: MakeConsole) -> None:
    assert console(names=("crawler.example",)).get("/", headers={"Host": "crawler.example"}).status_code == 200


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ],
)
def test_a_change_from_another_origin_is_refused(client: ConsoleClient, name: str, value: str) -> None:
    form, headers = {"csrf": form_token(client), "do": "run"}, {name: value}
    assert client.post(f"/tasks/{NAMES[0]}", data=form, headers=headers).status_code == 403
    assert client.post("/api/tasks/harbour", json={"do": "run"}, headers=headers).status_code == 403


def test_a_form_without_the_token_of_its_session_is_refused(published: Path, console: MakeConsole) -> None:
    client, other = console(), console()
    for token in ("", "x", form_token(other)):
        assert client.post(f"/tasks/{NAMES[0]}", data={"csrf": token, "do": "pause"}).status_code == 403
    assert "paused" not in published.read_text("utf-8")


def test_the_api_takes_json_only(published: Path, client: ConsoleClient) -> None:
    answer = client.post("/api/tasks/harbour", content='{"do": "pause"}', headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
    assert "paused" not in published.read_text("utf-8")


def test_a_password_is_asked_for_and_opens_a_session(published: Path, console: MakeConsole) -> None:
    client = console(password=PASSWORD)
    for path in PAGES[:-1]:
        answer = client.get(path)
        assert (answer.status_code, answer.headers["location"][:12]) == (303, "/login?next="), path
    assert client.get("/api/tasks").status_code == 401
    answer = client.post("/engine", data={"do": "start"}, headers={"Referer": "http://127.0.0.1:8300/?q=a"})
    assert answer.headers["location"] == "/login?next=%2F%3Fq%3Da&ended=1"
    assert "nothing was changed" in client.get(answer.headers["location"]).text
    assert client.post("/login", data={"password": "wrong"}).status_code == 401
    answer = client.post("/login", data={"password": PASSWORD, "next": "/machines"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/machines")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/").status_code == 200
    token = form_token(client)
    kept = {"Cookie": f"{client.web.sessions.cookie}={client.cookies[client.web.sessions.cookie]}"}
    assert client.get("/", headers=kept).status_code == 200
    client.post("/logout", data={"csrf": token})
    assert client.get("/").status_code == 303
    assert client.get("/", headers=kept).status_code == 303  # the session has ended, not only its cookie


def test_a_program_shows_the_token(published: Path, console: MakeConsole) -> None:
    client = console(token="a-long-token-of-ours")
    right = {"Authorization": "Bearer a-long-token-of-ours"}
    assert client.get("/api/tasks", headers=right).status_code == 200
    assert client.get("/api/tasks", headers={"Authorization": "Bearer a-long-token"}).status_code == 401
    assert client.get("/", headers=right).status_code == 303  # pages have sessions


def test_wrong_passwords_are_limited(published: Path, console: MakeConsole) -> None:
    client = console(password=PASSWORD)
    codes = [client.post("/login", data={"password": f"wrong {number}"}).status_code for number in range(12)]
    assert codes == [401] * 10 + [429] * 2
    assert client.post("/login", data={"password": PASSWORD}).status_code == 429


@pytest.mark.parametrize(
    ("guesser", "other", "is_locked"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("2001:db8::1", "2001:db8::2", True),  # a network of one person
    ],
)
def test_wrong_passwords_of_one_network_lock_out_no_other(
    tmp_path: Path, guesser: str, other: str, is_locked: bool
) -> None:
    times = [1000.0]
    sessions = Sessions(ConsoleConfig(tmp_path, password=PASSWORD), clock=lambda: times[0])
    assert not any(sessions.is_password("wrong", guesser) for _ in range(10))
    with pytest.raises(HTTPException):
        sessions.is_password(PASSWORD, guesser)
    with pytest.raises(HTTPException) if is_locked else nullcontext():
        assert sessions.is_password(PASSWORD, other)
    times[0] += 61
    assert sessions.is_password(PASSWORD, guesser)


@pytest.mark.parametrize("number", ["99999999999999999999", "9" * 5000, "999999999999999999"])
def test_an_article_of_any_number_is_not_found(client: ConsoleClient, number: str) -> None:
    for path in (f"/articles/{number}", f"/articles/{number}/page", f"/articles/{number}/report"):
        answer = client.get(path)
        assert (answer.status_code, "not found" in answer.text.lower()) == (404, True), path
    assert client.get(f"/api/articles/{number}").status_code == 404


def test_a_changed_or_old_cookie_is_no_session(tmp_path: Path) -> None:
    times = [1000.0]
    sessions = Sessions(ConsoleConfig(tmp_path), clock=lambda: times[0])
    session = sessions.new(logged_in=False)
    value = sessions.write(session)
    assert sessions.read(value) == session
    assert sessions.read(value.replace(".0.", ".1.")) is None
    assert sessions.read("") is None
    assert sessions.read("é.1.2.3") is None
    times[0] += 13 * 3600
    assert sessions.read(value) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "crawler.example"])
def test_beyond_loopback_a_password_or_token_is_needed(tmp_path: Path, host: str) -> None:
    with pytest.raises(ConsoleRefused, match="EXEMPLAR_CONSOLE_PASSWORD"):
        config_from({}, tmp_path, host, 8300)
    with pytest.raises(ConsoleRefused, match="fewer than 12"):
        config_from({"EXEMPLAR_CONSOLE_PASSWORD": "short"}, tmp_path, host, 8300)
    assert config_from({"EXEMPLAR_CONSOLE_TOKEN": "a-long-token-of-ours"}, tmp_path, host, 8300).needs_login


def test_the_secrets_are_in_no_representation(tmp_path: Path) -> None:
    assert PASSWORD not in repr(ConsoleConfig(tmp_path, password=PASSWORD, token=PASSWORD))


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:x", "", "/\n/x"]
)
def test_a_redirect_stays_on_the_console(target: str) -> None:
    assert local_target(target) == "/"
    assert local_target("/tasks/x?page=2") == "/tasks/x?page=2"


def test_a_host_header_is_read_without_its_port() -> None:
    assert [host_name(text) for text in ("[::1]:80", "a.example:80", "A.example", "[::1")] == [
        "[::1]", "a.example", "a.example", "[",
    ]  # fmt: skip


def test_a_large_body_is_refused_also_without_a_length(client: ConsoleClient) -> None:
    assert client.post("/add", content=b"x" * 2**21).status_code == 413
    parts = (b'{"do": "' + b"x" * 2**19 for _ in range(4))
    answer = client.post("/api/tasks/harbour", content=parts, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize("header", ["Bearer a", "bearer  a"])
def test_a_token_is_sent_as_bearer(header: str) -> None:
    assert is_bearer(header, "a")
    assert not is_bearer(header, "b")


@pytest.mark.parametrize("header", ["Basic a", "Bearer ", "Bearer", ""])
def test_another_header_or_an_empty_one_is_no_token(header: str) -> None:
    assert not is_bearer(header, "a")
    assert not is_bearer(header, "")
