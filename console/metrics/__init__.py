"""Metrics for Prometheus, read from Redis at each scrape, so that they are those of the whole cluster.

Redis ─▶ collector.py (families.py: names, types, texts) ─▶ console/web/app.py, commands/metrics.py
"""
