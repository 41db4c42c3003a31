"""Redirects to a login or a check: the site sends it instead of an article or a list."""

import re
from urllib.parse import unquote, urlsplit

LOGIN = "login: "  # begins the reason
_LOGIN = re.compile(
    r"(?<![a-z])(?:log-?in|sign-?in|log-?on|passport|sso|captcha|verify|verification|challenge|anti-?(?:spider|bot)"
    r"|security-?check|denglu|yanzheng)(?![a-z])",
    re.IGNORECASE,
)


def is_login(target: str, asked: str) -> bool:
    """Whether a redirect from the URL `asked` leads to a login: by words in the target, or since it names that URL."""
    path, query = urlsplit(asked).path, unquote(urlsplit(target).query)
    return bool(_LOGIN.search(without_query(target))) or (len(path) > 1 and path in query)


def without_query(url: str) -> str:
    """Return a URL without its query, in which a check may name the URL that was requested."""
    return url.partition("?")[0]
