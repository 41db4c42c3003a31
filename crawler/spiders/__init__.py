"""The spider that `scrapy list` shows: a thin adapter of `crawler.run` to Scrapy."""
