"""From a request to an answer: Scrapy started in one place, the gates of a request, pages by URL without a task."""
