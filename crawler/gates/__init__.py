"""The gates between a spider and the network, as Scrapy's middlewares, with their context, errors and settings."""
