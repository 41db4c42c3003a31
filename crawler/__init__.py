"""Which pages to fetch, when and how: tasks.yaml, URL patterns, the schedule, discovery, politeness, the spider.

Pages are handed over in one place only, `workers.inbox`. Only the gates, `fetching`, `rendering`,
`settings` and `spiders` use Scrapy.
"""
