"""Which pages to fetch, when and how: tasks.yaml, URL patterns, the schedule, discovery, politeness, the spider.

Pages leave by one door, `workers.inbox`. Only the gates, `fetching`, `rendering`, `settings` and `spiders` use Scrapy.
"""
