"""From a fetched page to rows: page store, extraction, output, accounting.

Knows Redis, RQ and the sinks; knows neither Scrapy nor tasks.yaml. Pages come in by one door, `workers.inbox`.
"""
