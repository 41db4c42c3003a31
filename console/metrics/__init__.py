"""Metrics for Prometheus, read from Redis at each scrape, so that they are those of the whole cluster.

Redis ─▶ readings.py ─▶ collector.py (families.py: names, types, texts) ─▶ console/web/metrics.py, exporter.py
"""
