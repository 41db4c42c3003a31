"""Scheduling: when tasks are due, the scheduler that marks them, and the crawl workers that run them."""
