"""`exemplar status --problems`: all URLs without a row, by reason; `exemplar accept`: what was judged wrongly."""

import time

import pytest
import redis

from console.problems import alike, fate_of
from tests.console.conftest import Exemplar
from workers import keys
from workers.extraction_config import ExtractionConfig
from workers.health.observations import failed_observation, to_json
from workers.health.store import update_health
from workers.ledger import Ledger
from workers.url_states import Found, State, fingerprint

TASK = "gazette"
A_LIST = "a list: {} of {} texts each follow a link"


def url(number: int) -> str:
    return f"http://gazette.example/a/{number}.html"


def settled(connection: "redis.Redis", *reasons: str, state: State = "rejected", first: int = 0) -> Ledger:
    """A ledger with one URL for each reason, of a task that is published."""
    config = ExtractionConfig(TASK, url(0), r"http://gazette\.example/a/\d+\.html", ("out.jsonl",), ".")
    connection.hset(keys.CONFIGS, TASK, config.to_json())
    ledger = Ledger(connection, TASK)
    for number, reason in enumerate(reasons, first):
        ledger.add([Found(url(number))])
        ledger.settle(fingerprint(url(number)), state, reason)
    return ledger


# -- grouping


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (A_LIST.format(5, 10), A_LIST.format(7, 9)),
        ("the page says: “Page not found”", "the page says: “404; sorry”"),
        ("redirects to https://a.example/1", "redirects to https://a.example/two?x=3"),
        ("drop: published 2026-01-02", "drop: published 2025-12-31"),
        ("a list: 45% of its text are links; no byline", "a list: 7% of its text are links; no date"),
    ],
)
def test_reasons_with_other_numbers_quotes_and_urls_are_alike(one: str, other: str) -> None:
    assert alike(one) == alike(other)


@pytest.mark.parametrize(
    ("one", "other"), [("http 404", "http 410"), ("a list: 5 headings are links", A_LIST.format(1, 2))]
)
def test_other_words_and_other_answers_are_not_alike(one: str, other: str) -> None:
    assert alike(one) != alike(other)


@pytest.mark.parametrize(
    ("state", "reason", "fate"),
    [
        ("rejected", "http 410", "dead link"),
        ("rejected", "keep: none of its keywords", "unwanted"),
        ("rejected", "beyond the first run's limit", "unwanted"),
        ("rejected", "robots.txt forbids it", "not a page"),
        ("rejected", "no text outside links", "judged"),
        ("failed", "http 418", "failed"),
        ("fetched", "no space left", "to be tried again"),
    ],
)
def test_what_became_of_a_url_is_told_by_state_and_reason(state: State, reason: str, fate: str) -> None:
    assert fate_of(state, reason) == fate


# -- status


def test_groups_are_shown_with_counts_and_some_urls(on_redis: Exemplar, connection: "redis.Redis") -> None:
    settled(connection, *(A_LIST.format(n, n + 5) for n in range(150)), "http 404")
    done = on_redis("status", "--problems", TASK)
    assert "gazette: 151 URLs without a row, for 2 reasons" in done.out
    assert "   150  a list: N of N texts each follow a link" in done.out
    assert done.out.count("http://gazette.example/a/") == 3 + 1 + 3  # of the groups, and in the commands at the end
    assert "… and 147 more: exemplar status --problems gazette --reason 'a list: N of N texts" in done.out
    assert done.out.index("judged not to be an article: 150") < done.out.index("dead links: 1")
    assert f"exemplar extract --article --example {url(0)} {url(149)}" in done.out
    assert f"exemplar accept gazette {url(149)}" in done.out


@pytest.mark.parametrize("option", [("--all",), ("--reason", "a list: 3 of 8"), ("--json",)])
def test_no_url_of_a_group_is_left_out(option: tuple[str, ...], on_redis: Exemplar, connection: "redis.Redis") -> None:
    settled(connection, *(A_LIST.format(n, n + 5) for n in range(150)))
    done = on_redis("status", "--problems", TASK, *option)
    assert all(url(number) in done.out for number in range(150))


def test_urls_that_are_not_kept_are_counted(on_redis: Exemplar, connection: "redis.Redis") -> None:
    ledger = settled(connection)
    ledger.add([Found(url(1))])
    ledger.settle(fingerprint(url(1)), "rejected", "beyond the first run's limit", listed=False)
    done = on_redis("status", "--problems", TASK)
    assert "1 whose URLs are not kept; exemplar crawl gazette --all fetches them" in done.out


# -- accept


def test_accepted_urls_wait_and_the_others_say_why_not(on_redis: Exemplar, connection: "redis.Redis") -> None:
    ledger = settled(connection, A_LIST.format(5, 10), "http 404", "drop: keyword mast", "robots.txt forbids it")
    settled(connection, "", state="written", first=4)
    settled(connection, "http 418", state="failed", first=5)
    odd, unknown = "http://gazette.example/tags/sea/", "http://gazette.example/tags/tide/"
    ledger.add([Found(odd)])
    ledger.settle(fingerprint(odd), "rejected", "no text")
    done = on_redis("accept", TASK, *map(url, range(7)), odd, unknown).failed(1, "gazette: 1 URL accepted")
    told = dict(line.split(": ", 1) for line in done.err.splitlines() if line.startswith("http"))
    says = ["no page to judge (http 404)", "the task's own rules reject it (drop: keyword mast)"]
    says += ["no page to judge (robots.txt", "its state is written, not rejected"]
    says += ["its state is failed, not rejected (http 418)", "unknown URL: no run has found it"]
    assert [text in told[url(number)] for number, text in enumerate(says, 1)] == [True] * 6, told
    assert "no longer matches the task's pattern" in told[odd]
    assert "does not match the task's pattern" in told[unknown]
    assert ledger.state_of(odd) == ("rejected", "no text")
    assert [ledger.state_of(url(0)), ledger.counts().states["waiting"]] == [("waiting", ""), 1]
    assert ledger.counts().unaccounted == 0


def test_a_page_that_was_rejected_while_its_site_blocks_is_not_accepted(
    on_redis: Exemplar, connection: "redis.Redis"
) -> None:
    ledger = settled(connection, A_LIST.format(5, 10))
    settled(connection, "block page: 3 URLs have the same one", state="failed", first=1)
    for number in range(10, 20):
        ledger.observe(to_json(failed_observation(url(number), "login: redirects to /", time.time(), "blocked")))
    update_health(connection, TASK)
    done = on_redis("accept", TASK, url(0), url(1), "--json")
    refused = {row["url"]: row["reason"] for row in done.events[0]["refused"]}
    assert (done.code, done.events[0]["accepted"]) == (1, [])
    assert all("the site sends block pages instead of articles" in refused[url(number)] for number in (0, 1))
    assert ledger.counts().states["waiting"] == 0


def test_a_whole_group_is_accepted_by_its_reason(on_redis: Exemplar, connection: "redis.Redis") -> None:
    ledger = settled(connection, *(A_LIST.format(n, n + 5) for n in range(120)), "no text")
    done = on_redis("accept", TASK, "--reason", A_LIST.format("N", "N"), "--json")
    assert (done.code, len(done.events[0]["accepted"]), done.events[0]["refused"]) == (0, 120, [])
    states = ledger.counts().states
    assert (states["waiting"], states["rejected"]) == (120, 1)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["gazete", url(0)], 2, "did you mean 'gazette'?"),
        ([TASK], 2, "give URLs, or a group"),
        ([TASK, url(0), "--reason", "a list"], 2, "give URLs, or a group"),
        ([TASK, "--reason", "a riddle"], 1, "begins with 'a riddle'"),
        ([TASK, "--reason", "http"], 1, "begins with 'http'"),
    ],
)
def test_what_can_not_be_accepted_is_said(
    arguments: list[str], code: int, says: str, on_redis: Exemplar, connection: "redis.Redis"
) -> None:
    settled(connection, "http 404")
    on_redis("accept", *arguments).failed(code, says)
