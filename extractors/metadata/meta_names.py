"""The names under which sites declare each field in meta elements: lower case, best first.

From schema.org and Open Graph, Dublin Core, the services to which sites supply data (Parse.ly, Sailthru, Cxense, Baidu,
Toutiao) and the Chinese government's rules for web sites (PubDate, ContentSource, ArticleTitle, SiteName).
"""

TITLE = ("og:title", "twitter:title", "articletitle", "dc.title", "sailthru.title", "parsely-title", "headline")
PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "article:published", "pubdate", "publishdate",
    "publish_date", "publish-date", "published", "published_time", "published-date", "publication_date", "publishtime",
    "bytedance:published_time", "apub:time", "parsely-pub-date", "sailthru.date", "dc.date.issued", "dcterms.issued",
    "citation_publication_date", "dc.date", "dc.date.created", "dcterms.created", "dcterms.date",
    "cxenseparse:recs:publishtime", "cxenseparse:publishtime", "rnews:datepublished", "og:release_date",
    "article:release_date", "og:time", "bt:pubdate", "ptime", "weibo: article:create_at", "article:create_at",
    "datecreated", "date", "article_date_original",
)  # fmt: skip
MODIFIED = (
    "article:modified_time", "og:updated_time", "datemodified", "article:modified", "article:updated_time",
    "og:modified_time", "updated_time", "modified_time", "bytedance:updated_time", "dateupdate", "dateupdated",
    "last-modified", "last_modified", "lastmod", "lastmodified", "lastpublisheddate", "dc.date.modified",
    "dcterms.modified", "cxenseparse:recs:modifiedtime", "sailthru.updated_time", "weibo: article:update_at",
    "article:update_at", "moddate", "revised",
)  # fmt: skip
AUTHOR = (
    "author", "article:author", "byl", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author",
    "article:author_name", "citation_author",
)  # fmt: skip
SOURCE = ("contentsource", "source", "mediaid", "article:source", "og:article:source", "weibo: article:source")
DESCRIPTION = ("description", "og:description", "twitter:description", "dc.description")
KEYWORDS = ("keywords", "news_keywords", "article:tag", "parsely-tags")
TAGS = ("sailthru.tags",)  # keywords in the form of URL parts: day-out
SITE = ("og:site_name", "application-name", "sitename", "twitter:app:name:iphone")
IMAGE = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src")
URL = ("og:url",)
LANGUAGE = ("og:locale", "content-language", "language", "dc.language")
KIND = ("og:type",)
ROBOTS = ("robots",)  # directives for all crawlers; other names address one crawler, see `declared_metadata`
TDM = ("tdm-reservation",)  # TDM Reservation Protocol: 1 is reserved, 0 is not

KNOWN = frozenset(
    name
    for names in (
        TITLE, PUBLISHED, MODIFIED, AUTHOR, SOURCE, DESCRIPTION, KEYWORDS, TAGS, SITE, IMAGE, URL, LANGUAGE, KIND,
        ROBOTS, TDM,
    )
    for name in names
)  # fmt: skip
