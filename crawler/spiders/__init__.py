"""The spider that `scrapy list` names: a thin adapter from `crawler.run` to Scrapy."""
