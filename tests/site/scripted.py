"""The site as its scripts would make it: articles, or lists too, come as empty shells and are filled in the browser."""

from evaluation.sample_site import Response
from tests.site.server import SiteServer

SCRIPT = "/app.js"
DATA = "/data"  # what a shell's script fetches, before the page's own path
SHELL = b"""<!doctype html><html><head><meta charset="utf-8"><title>Loading</title></head>
<body><noscript>Please enable JavaScript to read this site.</noscript><div id="app"></div>
<script src="/app.js"></script></body></html>"""
FILL = b"""
const kind = document.createElement('link'); kind.rel = 'stylesheet'; kind.href = '/app.css';
kind.onload = async () => {
  const answer = await fetch('/data' + location.pathname + location.search);
  const text = new TextDecoder(answer.headers.get('X-Encoding')).decode(await answer.arrayBuffer());
  const page = new DOMParser().parseFromString(text, 'text/html');
  document.title = page.title;
  for (const meta of page.querySelectorAll('head meta, head link[rel=canonical]')) document.head.append(meta);
  document.getElementById('app').append(...page.body.childNodes);
};
kind.onerror = () => { document.body.textContent = 'the style sheet did not load'; };
document.head.append(kind);
"""


def make_scripted(site: SiteServer, start: str, *, encoding: str = "utf-8") -> None:
    """From now on each page whose path begins with `start` is a shell; its script fetches what it was before."""
    shell = Response(200, {"Content-Type": "text/html; charset=utf-8"}, SHELL)
    for path, page in [*site._pages.items()]:
        if path.startswith(start) and page.status == 200:
            site._pages[DATA + path] = Response(200, page.headers | {"X-Encoding": encoding}, page.body)
            site._pages[path] = shell
    cached = {"Cache-Control": "max-age=600"}
    site._pages[SCRIPT] = Response(200, {"Content-Type": "text/javascript"} | cached, FILL)
    site._pages["/app.css"] = Response(200, {"Content-Type": "text/css"} | cached, b"p { color: green }")
