"""Which pages to fetch, when and how: tasks.yaml, URL patterns, the schedule, discovery, politeness, the spider.

Pages leave by one door, `workers.inbox`. Only `middlewares`, `resolver`, `settings` and `spiders` speak Scrapy.
"""
