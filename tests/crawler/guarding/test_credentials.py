"""Headers, cookies and logins: who gets them, by the servers' own logs, and who must not."""

import base64
from typing import NamedTuple

import pytest
import redis

from crawler.guarding.credentials import credentials_of, proxy_of
from crawler.task_list.mistakes import TaskError
from tests.crawler.servers import Section, Server, run_section
from tests.crawler.task_lists import task_file

pytestmark = pytest.mark.timeout(60)

NAMES = {name: [["127.0.0.1"]] for name in ("news.test", "other.test", "www.news.test")}
LOGIN = "Basic " + base64.b64encode(b"reader:pass-word-1").decode()
SECRETS = {"KEY": "key-value-1", "PASSWORD": "pass-word-1", "SESSION": "session-value-1"}
CREDENTIALS = """
headers: {Accept-Language: de, X-Key: "${KEY}", X-Word: word, Accept: "${KEY}"}
auth: {user: reader, password: "${PASSWORD}"}
cookies: {session: "${SESSION}"}
"""
PAGE = b"<html><p>" + b"The harbour was quiet. " * 40


class Asked(NamedTuple):
    place: str
    path: str
    headers: dict[str, str]


class Ran(NamedTuple):
    section: Section
    home: list[Asked]
    elsewhere: list[Asked]
    kept: bytes  # all that is in Redis
    unused_proxy: int  # connections to the proxy of the environment


@pytest.fixture(scope="module")
def ran(redis_url, tmp_path_factory):
    asked = []

    def answer(handler):
        place = handler.headers["Host"]
        asked.append(Asked(place, handler.path, {name.lower(): value for name, value in handler.headers.items()}))
        if handler.path == "/robots.txt":
            return 404, {}, b""
        elsewhere = {
            "/a/2.html": f"http://other.test:{site.port}/a/2.html",
            "/a/3.html": f"http://news.test:{second.port}/a/3.html",
            "/a/4.html": "/a/44.html",
            "/a/5.html": f"http://www.news.test:{site.port}/a/5.html",
        }
        if place == f"news.test:{site.port}" and handler.path in elsewhere:
            return 302, {"Location": elsewhere[handler.path]}, b""
        if place == f"www.news.test:{site.port}":
            return 302, {"Location": f"http://news.test:{site.port}/a/55.html"}, b""
        if handler.path == "/list":
            links = b"".join(b'<a href="/a/%d.html">An article</a>' % number for number in range(1, 8))
            return 200, {"Set-Cookie": "consent=given; Path=/"}, b"<html>" + links
        cookie = {"Set-Cookie": "spy=here; Path=/"} if "other" in place else {}
        return 200, cookie, PAGE

    with (
        Server("127.0.0.1", answer) as site,
        Server("127.0.0.1", answer) as second,
        Server("127.0.0.1", answer) as unused,
        redis.Redis.from_url(redis_url) as connection,
    ):
        connection.flushall()
        proxies = dict.fromkeys(("http_proxy", "HTTP_PROXY", "all_proxy"), f"http://127.0.0.1:{unused.port}")
        place, folder = f"http://news.test:{site.port}", tmp_path_factory.mktemp("ran")
        section = run_section(folder, redis_url, NAMES, place, more=CREDENTIALS, verbose=True, **proxies, **SECRETS)
        home = [one for one in asked if one.place == f"news.test:{site.port}"]
        return Ran(section, home, [one for one in asked if one not in home], dump(connection), unused.touched)


def dump(connection):
    """All text that is in Redis."""
    texts = []
    for key in connection.keys("*"):
        match connection.type(key):
            case b"string":
                texts.append(connection.get(key))
            case b"hash":
                texts += [part for pair in connection.hgetall(key).items() for part in pair]
            case b"list":
                texts += connection.lrange(key, 0, -1)
            case b"set":
                texts += connection.smembers(key)
            case b"zset":
                texts += connection.zrange(key, 0, -1)
    return b"\n".join(texts)


def test_home_gets_all_of_it_robots_txt_included(ran):
    assert {"/robots.txt", "/list", "/a/1.html", "/a/44.html", "/a/55.html"} <= {one.path for one in ran.home}
    for one in ran.home:
        said = one.headers
        assert (said["authorization"], said["x-key"], said["x-word"]) == (LOGIN, SECRETS["KEY"], "word")
        assert f"session={SECRETS['SESSION']}" in said["cookie"]


def test_another_host_and_another_port_get_none_of_it(ran):
    assert len({one.place for one in ran.elsewhere}) == 3
    assert {one.path for one in ran.elsewhere} >= {"/robots.txt", "/a/2.html", "/a/3.html", "/a/5.html"}
    for one in ran.elsewhere:
        assert {"authorization", "x-key", "x-word", "cookie"}.isdisjoint(one.headers)
        assert not any(secret in value for secret in SECRETS.values() for value in one.headers.values())


def test_a_header_without_a_secret_that_any_browser_sends_goes_everywhere(ran):
    pages = [one for one in [*ran.home, *ran.elsewhere] if one.path != "/robots.txt"]
    assert {one.headers["accept-language"] for one in pages} == {"de"}


def test_a_cookie_that_the_site_sets_comes_back_to_it_and_no_other_does(ran):
    after = [one for one in ran.home if one.path.startswith("/a/") and one.path != "/a/1.html"]
    assert after
    assert all("consent=given" in one.headers["cookie"] for one in after)
    assert not any("spy" in one.headers["cookie"] for one in ran.home)


def test_no_secret_is_logged_or_kept_in_redis(ran):
    assert "Crawled (200)" in ran.section.said, "the log tells much"
    for secret in [*SECRETS.values(), LOGIN.split()[1]]:
        assert secret not in ran.section.said
        assert secret.encode() not in ran.kept
    assert b"PASSWORD" in ran.kept, "the list is there, with the variable's name"


def test_proxies_of_the_environment_are_not_used(ran):
    assert ran.unused_proxy == 0


def task(**keys):
    return task_file("news", **keys)["news"]


@pytest.mark.parametrize(
    ("home", "url", "is_home"),
    [
        ("http://news.example/a", "http://news.example/b", True),
        ("http://news.example/a", "http://NEWS.example:80/b", True),
        ("http://news.example/a", "https://news.example/b", True),
        ("http://news.example/a", "https://news.example:8443/b", False),
        ("http://news.example:8080/a", "https://news.example/b", False),
        ("https://news.example/a", "http://news.example/b", False),
        ("https://news.example/a", "http://news.example:443/b", False),
        ("https://news.example/a", "https://www.news.example/b", False),
        ("https://news.example/a", "https://news.example.evil.example/b", False),
        ("https://news.example/a", "https://news.example@evil.example/b", False),
    ],
)
def test_home_is_the_examples_host_by_its_scheme_or_a_better_one(home, url, is_home):
    credentials = credentials_of(task().model_copy(update={"example": home}))
    assert credentials.are_for(url) is is_home


def test_a_variable_that_is_not_set_is_named():
    with pytest.raises(TaskError, match="READER_PASSWORD is not set; did you mean READER_PASSWORT"):
        credentials_of(task(auth="{user: a, password: '${READER_PASSWORD}'}"), {"READER_PASSWORT": "x"})


@pytest.mark.parametrize(
    ("keys", "value"),
    [({"headers": "{X-Key: '${KEY}'}"}, "one\r\nHost: evil"), ({"cookies": "{session: '${KEY}'}"}, "a; Domain=x")],
)
def test_a_value_that_would_say_more_than_one_thing_is_refused_without_showing_it(keys, value):
    with pytest.raises(TaskError) as caught:
        credentials_of(task(**keys), {"KEY": value})
    assert "evil" not in str(caught.value)
    assert "Domain" not in str(caught.value)


def test_secrets_are_in_no_representation():
    login = "{user: reader, password: abc-3}"
    credentials = credentials_of(task(headers="{X-Key: abc-1}", cookies="{session: abc-2}", auth=login), {})
    assert "abc" not in repr(credentials)
    assert "abc-3" not in repr(task(auth=login))


def test_a_proxy_is_filled_in_and_looked_at():
    assert proxy_of(task(proxy='"http://u:${PW}@proxy.example:3128"'), {"PW": "x"}) == "http://u:x@proxy.example:3128"
    with pytest.raises(TaskError, match="not http://host:port"):
        proxy_of(task(proxy='"${PROXY}"'), {"PROXY": "socks5://proxy.example"})
    assert proxy_of(task(), {}) == ""
