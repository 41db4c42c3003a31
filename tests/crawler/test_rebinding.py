"""Names whose answers change or are mixed: what counts is the address that is connected to.

127.0.0.1 stands for a public address (it is listed), 127.0.0.2 and ::1 for private ones; on the same port.
"""

from contextlib import ExitStack
from typing import NamedTuple

import pytest

from tests.crawler.network import lookups
from tests.crawler.servers import Server, attempt, here, run_section

pytestmark = pytest.mark.timeout(60)

NAMES = {
    "changes.test": [["127.0.0.1"], ["127.0.0.2"]],  # its server hangs up after each answer
    "kept.test": [["127.0.0.1"], ["127.0.0.2"]],  # its server keeps connections open
    "mixed.test": [["127.0.0.2", "127.0.0.1"]],
    "six.test": [["::1", "127.0.0.1"]],
    "wrapped.test": [["::ffff:127.0.0.2", "127.0.0.1"]],
    "private.test": [["127.0.0.2"]],
    "moves.test": [["127.0.0.1"]],
    "named.test": [["127.0.0.3"]],  # listed by its name, with a port
}
REFUSED = (
    "address 127.0.0.2 is not public; if it is yours, list its host under `settings.allow_hosts` in tasks.yaml or in "
    "EXEMPLAR_ALLOW_HOSTS"
)


class Tried(NamedTuple):
    answers: dict[str, str]  # by the URL's host and path
    begun: set[tuple[str, int]]
    ports: tuple[int, int]
    hosts: list[str]  # Host headers that the listed server got
    private: int  # connections that the others got
    lookups: list[str]


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tried")
    hosts = []

    def answer(handler):
        host = handler.headers["Host"].partition(":")[0]
        hosts.append(host)
        if host == "moves.test" and handler.path == "/":
            return 302, {"Location": f"http://private.test:{site.port}/secret"}, b""
        status, headers, body = here(handler)
        if host == "changes.test":
            handler.close_connection = True
            headers = {"Connection": "close"}
        return status, headers, body

    with ExitStack() as open_ones:
        site = open_ones.enter_context(Server("127.0.0.1", answer))
        closed = Server("127.0.0.1", here)
        closed.server_close()
        private = [
            open_ones.enter_context(Server(address, here, port))
            for address, port in [("127.0.0.2", site.port), ("::1", site.port), ("127.0.0.2", closed.port)]
        ]
        paths = ["changes.test/1", "changes.test/2", "kept.test/1", "kept.test/2", "kept.test/3"]
        open_ones.enter_context(Server("127.0.0.3", here, site.port))
        paths += ["mixed.test/", "six.test/", "wrapped.test/", "private.test/", "moves.test/", "named.test/"]
        urls = {path: f"http://{path.replace('/', f':{site.port}/')}" for path in paths}
        urls |= {f"closed, {name}": f"http://{name}.test:{closed.port}/" for name in ("mixed", "named")}
        listed = f"127.0.0.1:{site.port},127.0.0.1:{closed.port},named.test:{site.port}"
        answers, begun = attempt(folder, [*urls.values()], NAMES, listed)
        return Tried(
            {path: answers[url] for path, url in urls.items()},
            begun,
            (site.port, closed.port),
            hosts,
            sum(server.touched for server in private),
            lookups(folder / "connections"),
        )


def test_nothing_private_is_connected_to(tried):
    assert tried.private == 0
    assert tried.begun == {("127.0.0.1", port) for port in tried.ports} | {("127.0.0.3", tried.ports[0])}


def test_an_answer_that_changes_is_refused_where_it_is_used(tried):
    assert tried.lookups.count("changes.test") > 1
    assert "changes.test" in tried.hosts, "its robots.txt was asked for at the first answer"
    assert tried.answers["changes.test/1"] == tried.answers["changes.test/2"] == REFUSED


def test_a_connection_that_is_kept_stays_with_the_address_that_was_checked(tried):
    said = [tried.answers[f"kept.test/{number}"] for number in (1, 2, 3)]
    assert "fetched" in said
    assert set(said) <= {"fetched", REFUSED}, "where another connection was needed, the new answer was looked at"


@pytest.mark.parametrize("name", ["mixed.test/", "six.test/", "wrapped.test/"])
def test_of_several_addresses_only_those_that_are_allowed_are_tried(tried, name):
    assert tried.answers[name] == "fetched"


def test_a_private_address_is_no_second_choice_when_the_first_does_not_answer(tried):
    assert tried.answers["closed, mixed"] == "the site is unreachable: connection refused"


def test_a_listed_name_lets_its_private_address_pass_on_the_listed_port_alone(tried):
    assert tried.answers["named.test/"] == "fetched"
    assert tried.answers["closed, named"] == REFUSED.replace("0.0.2", "0.0.3")


def test_an_open_connection_to_the_same_port_is_not_used_for_another_host(tried):
    assert tried.answers["private.test/"] == REFUSED
    assert "private.test" not in tried.hosts


def test_a_redirect_to_a_name_with_a_private_address_is_refused(tried):
    assert tried.answers["moves.test/"] == REFUSED


def test_a_private_example_is_said_and_not_fetched(connection, redis_url, tmp_path):
    with Server("127.0.0.2", here) as listener:
        run = run_section(tmp_path, redis_url, NAMES, f"http://private.test:{listener.port}", allow="")
        assert listener.touched == 0
    assert run.begun == set()
    assert "127.0.0.2 is not public" in run.report["problems"][0]
