"""From a fetched page to rows: page store, extraction, output, accounting.

Uses Redis, RQ and the sinks; uses neither Scrapy nor tasks.yaml. Pages enter through `workers.inbox` only.
"""
