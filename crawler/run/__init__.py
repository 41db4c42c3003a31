"""The decisions of one run of one task: which pages are fetched, what responses mean, what is recorded. No Scrapy."""
