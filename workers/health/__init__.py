"""The health of each task: baselines of its pages and visits, alarms when something changes, and their history.

    settled page, ended run ─▶ observation (in Redis) ─▶ TaskHealth: baselines, sequential tests ─▶ alarms ─▶ notices

`observations.py` defines the observations, `task_health.py` decides without side effects, `store.py` uses Redis.
"""

from .alarms import KINDS, Alarm, AlarmChange, AlarmKind
from .store import (
    Baseline,
    HealthReport,
    dismiss_alarms,
    health_report,
    medians_of,
    open_alarms,
    present_alarms,
    update_health,
)

__all__ = [
    "KINDS",
    "Alarm",
    "AlarmChange",
    "AlarmKind",
    "Baseline",
    "HealthReport",
    "dismiss_alarms",
    "health_report",
    "medians_of",
    "open_alarms",
    "present_alarms",
    "update_health",
]
