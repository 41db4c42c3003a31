"""The delivery process of a node: its supervisor starts it when rows wait, and replaces one that dies or is silent."""

import signal
from collections.abc import Sequence
from functools import partial

from ..processes import STOP_SIGNALS, name_process
from ..redis_access.connection import client
from ..reporting.worker_reports import Watch
from ..writing.delivery import Delivery, DeliveryTimes, Draining
from .reporting_process import ReportingProcess

PROCESS_NAME = "delivery"
SILENCE = 15.0  # seconds without a report after which the process is killed


class SupervisedDelivery(ReportingProcess):
    """A running delivery process, for the Redis at `url`. `draining` as for `Delivery`."""

    def __init__(self, url: str, draining: Draining, times: DeliveryTimes, inherited: Sequence[int]):
        super().__init__(partial(_deliver, url, draining, times), inherited, SILENCE)


def _deliver(url: str, draining: Draining, times: DeliveryTimes, name: str, watch: Watch) -> None:
    """Run the process until SIGTERM."""
    delivery = Delivery(client(url, retries=1, timeout=5.0), name, draining=draining, times=times, watch=watch)
    signal.signal(signal.SIGTERM, delivery.stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    name_process(PROCESS_NAME)
    delivery.run()
