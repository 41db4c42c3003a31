"""The decisions of one run of one task: what to fetch, what an answer means, what enters the ledger. No Scrapy."""
