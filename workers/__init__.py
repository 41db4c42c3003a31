"""What happens to a page once it has been fetched: it waits, is cut, is written, is accounted for.

Knows Redis, RQ and the sinks; knows neither Scrapy nor tasks.yaml. Pages come in by one door, `workers.inbox`.
"""
