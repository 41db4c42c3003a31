"""From a request to its response: Scrapy started in one place, the context of the gates, pages by URL."""
