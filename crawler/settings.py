"""Scrapy's settings. The spider overrides those that a task or tasks.yaml sets (user agent, time-out, robots)."""

from scrapy.settings import default_settings as _scrapys

BOT_NAME = "exemplar"
SPIDER_MODULES = ["crawler.spiders"]
NEWSPIDER_MODULE = "crawler.spiders"

# Guard: only http and https; each address is checked when the connection is made.
_HANDLER = "crawler.gates.limits.LimitedHandler"
DOWNLOAD_HANDLERS = {"http": _HANDLER, "https": _HANDLER, "data": None, "file": None, "ftp": None, "s3": None}
TWISTED_DNS_RESOLVER = "crawler.gates.connections.GuardedResolver"
HTTPPROXY_ENABLED = False  # proxies of the environment are not used; `crawler.gates.guard_gates` sets a task's proxy
DOWNLOAD_MAXSIZE = 32 * 2**20  # bytes, also after decompression
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 30  # seconds for a whole response, from the connection to the last byte
REDIRECT_MAX_TIMES = 5
METAREFRESH_MAXDELAY = 10  # seconds; a page that reloads later has content of its own

# The pace of the whole cluster is kept in Redis (`crawler.politeness.pace`); attempts are counted in the ledger.
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 0
DOWNLOAD_DELAY_JITTER = 0
CONCURRENT_REQUESTS = 32
CONCURRENT_REQUESTS_PER_DOMAIN = 32  # the spider limits them; a queue behind the pace would send bursts
RETRY_ENABLED = False
HTTPERROR_ALLOW_ALL = True

# Cookies are off (`COOKIES_ENABLED`); loading Scrapy's middleware for them takes as long as fetching several pages.
DOWNLOADER_MIDDLEWARES_BASE = {
    name: place
    for name, place in _scrapys.DOWNLOADER_MIDDLEWARES_BASE.items()
    if name != "scrapy.downloadermiddlewares.cookies.CookiesMiddleware"
}
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "crawler.gates.guard_gates.UrlGate": 50,
    "crawler.gates.host_rules.RobotsMiddleware": 100,
    "crawler.gates.host_rules.TdmMiddleware": 110,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "crawler.gates.limits.MetaRefresh": 580,
    "crawler.gates.limits.Decompression": 590,
    "crawler.gates.limits.Redirects": 600,
    "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": 690,  # its files contain no secrets
    "crawler.gates.guard_gates.CredentialsMiddleware": 700,
    "crawler.gates.guard_gates.ProxyMiddleware": 750,
    "crawler.gates.pace_gate.PaceMiddleware": 950,
    "crawler.gates.guard_gates.AddressGate": 960,  # before redirects for responses, before the pace for errors
    # These cost time for every page and have no effect here:
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,  # the spider has no domains; the guard decides
    "scrapy.downloadermiddlewares.stats.DownloaderStats": None,
}
SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,  # `crawler.run.outcomes` classifies responses
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,  # `crawler.discovery.walk` counts hops
    "scrapy.spidermiddlewares.referer.RefererMiddleware": None,
}
STATS_CLASS = "scrapy.statscollectors.DummyStatsCollector"  # a run's report is in Redis
WARN_ON_GENERATOR_RETURN_VALUE = False  # the check would read and parse the source of callbacks

# Less CPU time: `python -m benchmarks.spider_cost` measures the cost of a page.
CONCURRENT_ITEMS = 1
COOKIES_ENABLED = False

# Scrapy's extensions, but not those that execute code that is sent to a port, nor those that log for each spider.
_NOT_LOADED = ("telnet.TelnetConsole", "remote_control.RemoteControl", "logcount.LogCount", "memusage.MemoryUsage")
EXTENSIONS_BASE = {name: place for name, place in _scrapys.EXTENSIONS_BASE.items() if not name.endswith(_NOT_LOADED)}
LOGSTATS_INTERVAL = 0.0
REMOTE_CONTROL_ENABLED = False
TELNETCONSOLE_ENABLED = False
MEMUSAGE_ENABLED = False

LOG_LEVEL = "WARNING"
LOG_VERSIONS: list[str] = []
LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5",
    "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8",
}
