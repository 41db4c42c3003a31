"""What one run of one task decides: what to fetch, what came of it, what enters the ledger. No Scrapy here."""
