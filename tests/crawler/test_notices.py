"""Notices of alarms: sent once by one process, tried again, without a secret in any word; by a real HTTP receiver."""

import json
import threading

import pytest

from crawler import notifying
from crawler.notifying import AWAY, KEPT, PAUSE, WAITING, NoticeNotSent, Notifier, send, shown_target, target_problem
from crawler.scheduling.scheduler import Scheduler
from crawler.task_list.file import loads
from crawler.task_list.mistakes import TaskFileError
from tests.crawler.clock import HandClock
from tests.crawler.task_lists import text_of
from tests.workers.http_receiver import Receiver, answering
from workers import keys
from workers.health.alarms import Alarm, AlarmChange
from workers.health.store import notice_json

TOKEN = "s3cr3ttoken9876543210"


@pytest.fixture
def receiver():
    with Receiver() as server:
        yield server


def alarm(task="news", kind="template changed"):
    return Alarm(task, kind, "open", 1e9, 1e9, 1e9, 7, "7 of 9 pages do not fit", (f"http://a.example/{task}/1.html",))


def queue(connection, *changes, notify=()):
    """Notices that wait, of tasks that name these addresses."""
    for change in changes:
        connection.hset(keys.TASKS, change.alarm.task, json.dumps({"notify": list(notify)}))
        connection.rpush(keys.NOTICES, notice_json(change))


class Sent:
    """Takes the place of a service."""

    def __init__(self):
        self.messages = []
        self.is_away = False

    def __call__(self, address, title, body):
        if self.is_away:
            raise NoticeNotSent(f"{shown_target(address)}: away")
        self.messages.append((address, title, body))


@pytest.fixture
def sent(monkeypatch):
    service = Sent()
    monkeypatch.setattr(notifying, "send", service)
    return service


def test_a_notice_arrives_with_evidence_and_advice(connection, receiver):
    queue(connection, AlarmChange("opened", alarm()), notify=[f"json://127.0.0.1:{receiver.port}/hook"])
    assert Notifier(connection).step() == []
    [request] = receiver.requests
    message = json.loads(request.body)
    assert message["title"] == "Exemplar: news: template changed"
    assert "7 of 9 pages do not fit" in message["message"]
    assert "exemplar extract http://a.example/news/1.html" in message["message"]
    assert not connection.exists(keys.NOTICES, WAITING)


def test_many_changes_are_one_message_and_a_recovery_is_told(connection, sent):
    changes = [AlarmChange("opened", alarm(f"task{number}")) for number in range(30)]
    queue(connection, *changes, AlarmChange("recovered", alarm("news")), notify=["json://one", "json://two"])
    Notifier(connection).step()
    assert [address for address, _, _ in sent.messages] == ["json://one", "json://two"]
    assert sent.messages[0][1] == "Exemplar: 31 changes of alarms"
    assert "11 more" in sent.messages[0][2]
    queue(connection, AlarmChange("recovered", alarm("news")), notify=["json://one"])
    Notifier(connection).step()
    assert sent.messages[-1][1:] == ("Exemplar: news: template changed: recovered", "news: recovered: template changed")


def test_an_address_that_is_away_is_spared_for_a_time_and_the_others_get_theirs_once(connection, sent):
    notifier = Notifier(connection)
    queue(connection, AlarmChange("opened", alarm()), notify=["json://one", "json://two"])
    sent.is_away = True
    assert len(notifier.step()) == 2
    assert notifier.step() == []
    sent.is_away = False
    notifier.step()
    assert sent.messages == []
    away = connection.keys(AWAY + "*")
    assert all(0 < connection.ttl(key) <= PAUSE for key in away)
    connection.delete(*away)  # as after the pause
    notifier.step()
    notifier.step()
    assert [address for address, _, _ in sent.messages] == ["json://one", "json://two"]
    assert not connection.exists(WAITING)


def test_a_notice_is_dropped_in_the_end(connection, sent):
    sent.is_away = True
    notifier = Notifier(connection)
    notifier.clock = clock = HandClock(1e9)
    queue(connection, AlarmChange("opened", alarm()), notify=["json://one"])
    notifier.step()
    assert connection.exists(WAITING)
    clock.now += KEPT + 1
    notifier.step()
    assert not connection.exists(WAITING)


def test_of_several_processes_one_sends(connection, sent, monkeypatch):
    gate = threading.Event()

    def slowly(*message):
        gate.wait(5)
        sent(*message)

    monkeypatch.setattr(notifying, "send", slowly)
    queue(connection, AlarmChange("opened", alarm()), notify=["json://one"])
    first = threading.Thread(target=Notifier(connection).step)
    first.start()
    while not connection.exists(WAITING):
        pass
    Notifier(connection).step()
    gate.set()
    first.join()
    assert len(sent.messages) == 1


def test_the_scheduler_sends_notices_and_waits_for_them_at_its_end(connection, receiver):
    queue(connection, AlarmChange("opened", alarm()), notify=[f"json://127.0.0.1:{receiver.port}/"])
    scheduler = Scheduler(connection, None)
    scheduler.stop()
    scheduler.run()
    assert len(receiver.requests) == 1


def test_no_word_has_the_secret(receiver, caplog, monkeypatch):
    monkeypatch.setenv("HOOK", TOKEN)
    receiver.answer = answering(500, TOKEN.encode())
    addresses = [f"json://user:{TOKEN}@127.0.0.1:{receiver.port}/{TOKEN}", f"nosuch://{TOKEN}", f"tgram://{TOKEN}"]
    for address in [*addresses, "tgram://${HOOK}/${UNSET_NAME}", "json://${HOOK}:99999/"]:
        with pytest.raises(NoticeNotSent) as failure:
            send(address, "title", "body")
        assert TOKEN not in str(failure.value)
        assert failure.value.__cause__ is None
    assert TOKEN not in caplog.text
    task = loads(text_of("news", notify=f"json://{TOKEN}/")).tasks["news"]
    assert TOKEN not in repr(task)


def test_addresses_are_checked_without_sending(receiver, monkeypatch):
    monkeypatch.setenv("HOOK", f"json://127.0.0.1:{receiver.port}/")
    assert target_problem("${HOOK}") == ""
    assert "UNSET_NAME" in target_problem("json://${UNSET_NAME}/")
    assert "no service" in target_problem("nosuch://x")
    assert receiver.requests == []
    assert shown_target("tgram://123:abc/${CHAT}") == "tgram://*** (${CHAT})"
    assert shown_target("${HOOK:-json://secret}") == "${HOOK}"


def test_a_mistake_in_an_address_shows_no_secret():
    for wrong in (TOKEN, f"${{ {TOKEN}"):
        with pytest.raises(TaskFileError) as mistake:
            loads(text_of("news", notify=f"'{wrong}'"))
        assert TOKEN not in str(mistake.value)
