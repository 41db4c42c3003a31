"""The crawl: tasks.yaml, URL patterns, the schedule, discovery, politeness, fetching, the spider.

Pages are handed over to the workers in one place only, `workers.inbox`. Only the gates, `fetching`, `rendering`,
`settings` and `spiders` use Scrapy.
"""
