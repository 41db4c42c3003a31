from workers import keys
from workers.reporting import presence
from workers.reporting.presence import Presence, alive


def test_who_was_silent_for_long_is_not_shown_and_then_forgotten(connection, clock):
    Presence(connection, "crawl").show()
    clock.forward(presence.GONE_AFTER + 1)
    assert alive(connection) == []
    assert connection.hlen(keys.ALIVE) == 1
    clock.forward(presence.FORGET_AFTER)
    assert alive(connection) == []
    assert connection.hlen(keys.ALIVE) == 0
