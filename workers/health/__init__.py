"""The health of each task: baselines of its pages and visits, alarms when something changes, and their history.

    settled page, ended run ─▶ observation (in Redis) ─▶ TaskHealth: baselines, sequential tests ─▶ alarms ─▶ notices

`observations.py` defines the observations, `task_health.py` decides without side effects, `store.py` uses Redis.
"""
