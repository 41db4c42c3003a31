"""Every published spelling of an address that is nobody's business, attempted by the crawl's own path.

A listener waits on all addresses of this machine, IPv4 and IPv6, and the child notes each connection that it begins:
both must have seen nothing but the one server that is allowed.
"""

import re
from typing import NamedTuple

import pytest

from tests.crawler.addresses import FORMS, LOOPBACK, MALFORMED, NAMES, REFUSED_BY_ADDRESS, TRICKS
from tests.crawler.servers import Server, attempt, here

pytestmark = pytest.mark.timeout(120)

ROBOTS_TRIED = range(0, len(FORMS), 8)  # each costs the pauses after which robots.txt is asked for again
REFUSED = re.compile(r"address [0-9a-f.:]+ is not public; if it is yours, list its host under `settings\.allow_hosts`")
NOT_FOUND = re.compile(r"(the site is unreachable: )?host not found|invalid URL: .+")
ZONED = [form for form in FORMS if "%25" in form]  # resolvers differ in whether they read these
REACHED = [f"http://{host}:{{port}}/" for host in LOOPBACK] + [
    form for form in TRICKS if form not in ZONED and not form.startswith(("https:", "http://127.0.0.1\\"))
]


class Attempted(NamedTuple):
    """What came of each form: by itself, as a redirect's target, and as that of a robots.txt; by its place in `FORMS`.

    `begun`: connections of the child; `allowed`: the one that it may make; `touched`: those the listener saw.
    """

    direct: dict[str, str]
    through: dict[str, str]
    robots: dict[str, str]
    begun: set[tuple[str, int]]
    allowed: tuple[str, int]
    touched: int


@pytest.fixture(scope="module")
def attempted(tmp_path_factory):
    def signpost(handler):
        way, _, number = handler.path.rpartition("/")
        host = re.match(r"site(\d+)\.test", handler.headers["Host"])
        if way == "/to":
            return 302, {"Location": forms[int(number)]}, b""
        if handler.path == "/robots.txt" and host:
            return 302, {"Location": forms[int(host[1])]}, b""
        return here(handler) if handler.path == "/" else (404, {}, b"")

    with Server("::", here) as listener, Server("127.0.0.1", signpost) as signs:
        forms = [form.format(port=listener.port) for form in FORMS]
        sent = [number for number, form in enumerate(forms) if not set("\r\n\x01") & set(form)]
        through = {number: f"http://127.0.0.1:{signs.port}/to/{number}" for number in sent}
        robots = {number: f"http://site{number}.test:{signs.port}/" for number in ROBOTS_TRIED if number in sent}
        answers, begun = attempt(
            tmp_path_factory.mktemp("attempted"),
            [*through.values(), *forms, *robots.values()],
            NAMES | {f"site{number}.test": [["127.0.0.1"]] for number in robots},
            f"127.0.0.1:{signs.port}",
        )
        return Attempted(
            {FORMS[number]: answers[form] for number, form in enumerate(forms)},
            {FORMS[number]: answers[url] for number, url in through.items()},
            {FORMS[number]: answers[url] for number, url in robots.items()},
            begun,
            ("127.0.0.1", signs.port),
            listener.touched,
        )


def test_nothing_but_the_allowed_server_is_connected_to(attempted):
    assert attempted.touched == 0
    assert attempted.begun == {attempted.allowed}


def is_refused(form, said):
    return bool(REFUSED.match(said) or (form in ZONED and NOT_FOUND.match(said)))


def test_the_address_is_refused_whatever_its_spelling(attempted):
    said = {form: attempted.direct[form] for form in (*REFUSED_BY_ADDRESS, *TRICKS)}
    assert {form: text for form, text in said.items() if not is_refused(form, text)} == {}


def test_the_address_is_refused_behind_a_redirect(attempted):
    said = {form: attempted.through.get(form) for form in (*REFUSED_BY_ADDRESS, *TRICKS)}
    assert {form: text for form, text in said.items() if text and not is_refused(form, text)} == {}
    left_out = [form for form, text in said.items() if not text]
    assert all(set("\r\n\x01") & set(form) for form in left_out), "only what no header can hold is left out"


@pytest.mark.parametrize("form", MALFORMED)
def test_what_is_no_address_is_refused_by_its_text(attempted, form):
    assert re.match("the URL|only http|invalid URL|the site is unreachable: host not found", attempted.direct[form])
    refused = "the URL|http 302, redirect not followed|redirects to an invalid URL|http 404"
    assert re.match(refused, attempted.through[form])


def test_a_robots_txt_that_leads_there_is_not_followed(attempted):
    assert len(attempted.robots) > 20
    assert {said.partition(":")[0] for said in attempted.robots.values()} == {"robots.txt unavailable"}


def test_the_same_forms_are_fetched_where_the_list_has_their_addresses(tmp_path):
    with Server("::", here) as listener:
        forms = {form: form.format(port=listener.port) for form in REACHED}
        answers, begun = attempt(tmp_path, [*forms.values()], NAMES, "127.0.0.0/8,0.0.0.0/8,::1,::,::ffff:0:0/120")
    assert {form for form, url in forms.items() if answers[url] != "fetched"} == set()
    assert len(begun) > 10


def test_there_are_enough_forms():
    assert len(set(FORMS)) == len(FORMS) >= 120
