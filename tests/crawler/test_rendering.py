"""Pages in a real Chromium as a task's pages are rendered: what comes out, and what never gets out of the browser."""

import asyncio
import gzip
import json
import os
import shutil
import signal
import socket
import threading
import time

import pytest
from scrapy import Request

from crawler.rendering import browsers, chromium
from crawler.rendering.browsers import Browser
from crawler.rendering.chromium import BROWSER, NAMES, OF_PLAYWRIGHT, BrowserMissing, find_browser
from crawler.rendering.visit import ScriptCache
from tests import forks
from tests.crawler import network
from tests.crawler.proxies import Proxy
from tests.crawler.servers import Server
from tests.crawler.spiders import REPOSITORY, environment, until
from workers.processes import below, resident

# Chromium and its headless shell, as far as they are installed; "": the usual one. What a page must not reach is tried
# in each.
SHELLS = [name for name in NAMES if "shell" in name]
OTHERS = [name for name in NAMES if name not in SHELLS]
INSTALLED = [next(filter(None, map(shutil.which, names)), "") for names in (SHELLS, OTHERS)]
BROWSERS = [path for path in INSTALLED if path] or [""]

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("browser")]

TEXT = "<p>" + "The ferry leaves at nine and comes back at noon. " * 8
# A script that does not end. It uses a core only at last: the page is given up, and its tab closed, in that time.
HANGS = """const end = Date.now() + 9000; while (Date.now() < end) {
    try { const x = new XMLHttpRequest(); x.open('GET', '/waits', false); x.send() } catch {} } while (true) {}"""
QUICK = {"visit.SETTLE_SECONDS": 2.0, "visit.SPARSE_SECONDS": 0.4, "browsers.CLOSE_SECONDS": 2.0}


def answer(body, status=200, kind="text/html; charset=utf-8", **headers):
    """What a server sends: its status, headers and body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"Content-Type": kind} | named, body if isinstance(body, bytes) else body.encode()


class Pages(Server):
    """A server: `pages` maps a path to HTML, to an `answer`, or to a function of the handler that gives one of them.

    `seen` has path and headers of each request.
    """

    def __init__(self, host="127.0.0.1", port=0):
        self.pages, self.seen = {}, []
        super().__init__(host, self._page, port)
        self.place = f"{host}:{self.port}"

    def _page(self, handler):
        self.seen.append((handler.path, {name.lower(): value for name, value in handler.headers.items()}))
        page = self.pages.get(handler.path.partition("?")[0], "nothing")
        page = page(handler) if callable(page) else page
        return answer(page) if isinstance(page, str) else page

    def handle_error(self, *args):
        pass  # the browser hangs up early on purpose

    def paths(self):
        return [path for path, _ in self.seen]


class Canary:
    """Counts whoever speaks to a port that no browser may reach, by TCP or UDP."""

    def __init__(self):
        self.heard = []
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()
        threading.Thread(target=self._receive, daemon=True).start()

    def _accept(self):
        while True:
            try:
                other, _ = self.tcp.accept()
                other.settimeout(2)
                self.heard.append(("tcp", other.recv(2000)))
                other.close()
            except OSError:
                return

    def _receive(self):
        while True:
            try:
                self.heard.append(("udp", self.udp.recv(2000)))
            except OSError:
                return

    def close(self):
        self.tcp.close()
        self.udp.close()


def moved(place):
    return answer("", 302, Location=place)


def start(urls, executable="", names=None, **said):
    """Begin to render; `names`: as `tests.crawler.network` takes them."""
    said = {"urls": urls, "constants": QUICK} | said
    environ = environment(**{BROWSER: executable, network.NAMES: json.dumps(names or {})})
    program = "tests.crawler.rendering_child"
    return forks.start(program, [json.dumps(said)], REPOSITORY, environ)


def rendered(urls, **said):
    """What became of each URL, and what was said."""
    child = start(urls, **said)
    out, errors = child.communicate(timeout=200)
    assert "Traceback" not in errors, errors
    return {one["asked"]: one for one in map(json.loads, out.splitlines())}


# What a browser is led to, each by a page of its own. CANARY: host and port that it must not reach

LEADS = {
    "what a page is made of": """<img src=http://CANARY/x.png><script src=http://CANARY/x.js></script>
        <link rel=modulepreload href=http://CANARY/x.mjs><script type=module>import('http://CANARY/x')</script>
        <link rel=stylesheet href=http://CANARY/x.css><iframe src=http://CANARY/frame></iframe>
        <style>@import url(http://CANARY/y.css); p { background: url(http://CANARY/y.png); font-family: f }
        @font-face { font-family: f; src: url(http://CANARY/f.woff2) }</style>
        <object data=http://CANARY/o></object><embed src=http://CANARY/e><video src=http://CANARY/v autoplay></video>
        <link rel=prefetch href=http://CANARY/p><link rel=preload as=script href=http://CANARY/q>
        <link rel=preconnect href=http://CANARY><link rel=dns-prefetch href=http://CANARY>
        <script type=speculationrules>{"prerender": [{"source": "list", "urls": ["http://CANARY/s"]}],
        "prefetch": [{"source": "list", "urls": ["http://CANARY/t"]}]}</script>""",
    "what scripts ask for": """<script>fetch('http://CANARY/f', {mode: 'no-cors'})
        fetch('/redirect', {mode: 'no-cors'}); navigator.sendBeacon('http://CANARY/b', 'x')
        const x = new XMLHttpRequest(); x.open('GET', 'http://CANARY/xhr'); x.send()
        new EventSource('http://CANARY/es')</script><script src=/redirect></script>""",
    "lasting connections": """<script>new WebSocket('ws://CANARY/ws'); new WebSocket('wss://CANARY/ws')</script>
        <script>new WebTransport('https://CANARY/wt')</script>
        <script>const servers = [{urls: 'stun:CANARY'}, {urls: ['turn:CANARY?transport=tcp', 'turn:CANARY'],
        username: 'u', credential: 'c'}]; const c = new RTCPeerConnection({iceServers: servers})
        c.createDataChannel('d'); c.createOffer().then(o => c.setLocalDescription(o))</script>""",
    "workers": """<script>const code = "fetch('http://CANARY/w', {mode: 'no-cors'}); importScripts('http://CANARY/i')"
        new Worker(URL.createObjectURL(new Blob([code]))); navigator.serviceWorker.register('/sw.js')</script>""",
    "new tabs and forms": """<a id=a target=_blank rel=noopener href=http://CANARY/n></a>
        <a id=b ping=http://CANARY/ping href='#x'></a><iframe name=i></iframe>
        <form id=f method=post target=i action=http://CANARY/form></form>
        <script>window.open('http://CANARY/o'); a.click(); b.click(); f.submit()</script>""",
    "other spellings": """<script>for (const host of ['2130706433', '127.1', '0x7f.0x1', '0177.0.0.1', 'localhost',
        'localhost.', '[::ffff:127.0.0.1]', '[::1]', '0.0.0.0', '127.0.0.1.', '127。0。0。1'])
        fetch(`http://${host}:CANARYPORT/${host}`, {mode: 'no-cors'})</script>""",
    "local files": "<script>location = 'file:///etc/hostname'</script><iframe src=file:///etc/hostname></iframe>",
    "the browser's own pages": "<script>location = 'chrome://version'</script><iframe src=chrome://version></iframe>",
    "view-source": "<script>location = 'view-source:http://CANARY/vs'</script>",
    "a data url": "<script>location = 'data:text/html,<img src=http://CANARY/d>'</script>",
    "a form in its place": "<form id=f method=post action=http://CANARY/form></form><script>f.submit()</script>",
    "meta refresh": "<meta http-equiv=refresh content='0; url=http://CANARY/m'>",
    "location": "<script>location = 'http://CANARY/l'</script>",
    "redirect": moved,
}
RAN = "<script>document.body.append('to its end')</script>"
AGENT = "Harbour News/1.0 (a@example.org)"
IN_EACH = (  # what differs between browsers; of the other pages only requests go through the same proxy
    "what a page is made of", "what scripts ask for", "lasting connections", "workers", "new tabs and forms",
    "other spellings", "the browser's own pages",
)  # fmt: skip
GO_THERE = {"a form in its place", "meta refresh", "location", "redirect"}  # Scrapy is told, and refuses


def page_of(name):
    return f"/{name.replace(' ', '-')}.html"


@pytest.fixture(scope="module", params=BROWSERS)
def led(request):
    canary = Canary()
    leads = [name for name in LEADS if request.param == BROWSERS[0] or name in IN_EACH]
    with Pages() as site, Pages("127.0.0.2") as outside, Pages("127.0.0.1", outside.port) as inside:
        there = f"127.0.0.1:{canary.port}"

        def filled(text):
            return text.replace("CANARYPORT", str(canary.port)).replace("CANARY", there)

        site.pages["/redirect"] = moved(f"http://{there}/redirected")
        site.pages["/sw.js"] = answer(filled("fetch('http://CANARY/sw')"), kind="text/javascript")
        for name in leads:
            html = LEADS[name]
            goes_there = html is moved
            site.pages[page_of(name)] = moved(f"http://{there}/r") if goes_there else filled(f"{TEXT}</p>{html}{RAN}")
        urls = [site.url + page_of(name) for name in leads]
        outside.pages["/"] = f"{TEXT}<script>fetch('/again'); fetch('/again2')</script>"
        names, rebinding = {"rebind.test": [["127.0.0.2"], ["127.0.0.1"]]}, f"http://rebind.test:{outside.port}/"
        found = rendered(
            [*urls, rebinding],
            executable=request.param,
            allow=[site.place, "127.0.0.2/32"],
            names=names,
            at_once=6,
            constants=QUICK | {"visit.SETTLE_SECONDS": 6.0},
            settings={"USER_AGENT": AGENT, "ROBOTSTXT_OBEY": False},
            context={"user_agent": None},  # Playwright sets it only while it is connected to a tab; scripts may run on
        )
        time.sleep(0.3)
        rebound = found[rebinding]["kind"], outside.paths(), inside.paths()
        yield dict(zip(leads, (found[url] for url in urls), strict=True)), canary.heard, site, rebound
    canary.close()


def test_nothing_that_a_page_leads_to_is_reached_also_where_the_answer_for_its_name_changes(led):
    _, heard, _, rebound = led
    assert heard == []
    assert rebound == ("page", ["/"], [])


def test_each_page_is_shown_or_refused_for_where_it_leads(led):
    found, _, site, _ = led
    for name, page in found.items():
        assert page_of(name) in site.paths()
        if name in GO_THERE:
            kind = "again" if name == "a form in its place" else "fail"  # the guard refuses all other targets
            assert (page["kind"], page["text"]) == (kind, "")
        else:
            assert page["text"].strip().endswith("to its end</body></html>"), page


def test_requests_beside_a_tabs_settings_have_the_tasks_user_agent(led):
    _, _, site, _ = led
    assert "/redirect" in site.paths()
    assert {headers["user-agent"] for _, headers in site.seen} == {AGENT}


# What comes out


@pytest.fixture(scope="module")
def rendering():
    """Many pages in one browser: what became of each, by its path, and what two sites saw."""
    canary = Canary()
    with Pages() as site, Pages("127.0.0.2") as other:
        pages = site.pages
        pages["/robots.txt"] = answer("User-agent: *\nDisallow: /private", kind="text/plain")
        pages["/late"] = """<div id=app></div><script>setTimeout(async () => {
            const a = await fetch('/late.json'); app.textContent = (await a.json()).text }, 150)</script>"""
        late = json.dumps({"text": "It came late. " * 30})
        pages["/late.json"] = answer(late, kind="application/json")
        pages["/gbk"] = answer(
            "<meta charset=gbk><p>渡轮九点出发".encode("gbk") + b"<script>document.body.append('\\u2603')</script>",
            kind="text/html; charset=gbk",
        )
        late = "<script>setTimeout(async () => {{ const a = await fetch('/slow.json'); {} }}, 50)</script>"
        pages["/slow"] = TEXT + late.format("document.body.append((await a.json()).text)")
        slow = json.dumps({"text": "It came slowly."})
        pages["/slow.json"] = lambda handler: (time.sleep(2.5), answer(slow, kind="application/json"))[1]
        shown = "document.getElementById('app').attachShadow({mode: 'open'}).innerHTML = "
        inner = "document.getElementById('app').shadowRoot.firstChild.attachShadow({mode: 'open'}).innerHTML = "
        inner += "'<p>It stands in ' + 'the shadow.'"
        pages["/shadow"] = f"<div id=app></div><script>{shown} '<news-text></news-text>'; {inner}</script>"
        pages["/added"] = TEXT + "<script>history.replaceState(0, '', '?from=script')</script>"
        pages["/loads"] = TEXT + (
            "<script>const to = document.createElement('a'); to.href = '/attached'; to.download = 'x.html';"
            "document.body.append(to); to.click()</script>"
        )
        pages["/pushed"] = TEXT + "<script>history.replaceState(0, '', '/shown.html')</script>"
        pages["/goes"] = TEXT + "<script>location = '/goal'</script>"
        pages["/refreshes"] = "<meta http-equiv=refresh content='0; url=/goal'>" + TEXT
        pages["/moved"] = moved("/goal")
        pages["/goal"] = "<h1>goal</h1>" + TEXT
        pages["/to-private"] = TEXT + "<script>location = '/private/x.html'</script>"
        pages["/moved-to-private"] = moved("/private/y.html")
        pages["/loops"] = moved("/loops")
        pages["/loops-by-script"] = TEXT + "<script>location = '/loops-by-script?' + Math.random()</script>"
        pages["/gone"] = answer("no", 404)
        pages["/picture"] = answer(b"\x89PNG", kind="image/png")
        pages["/attached"] = answer(TEXT, Content_Disposition="attachment; filename=x.html")
        pages["/huge"] = answer(b"x", Content_Length=str(33 * 2**20))
        bomb = gzip.compress(TEXT.encode() + b"<!--" + b"boom " * 2**19 + b"-->")
        pages["/bomb"] = answer(bomb, Content_Encoding="gzip")
        pages["/asks"] = TEXT + "<script>alert('Hello'); confirm('really?'); prompt('what?')</script>"
        pages["/canary"] = f"<script>fetch('http://127.0.0.1:{canary.port}/x', {{mode: 'no-cors'}})</script>{TEXT}"
        pages["/polls"] = TEXT + "<script>setInterval(() => fetch('/late.json'), 30)</script>"
        pages["/hangs"] = TEXT + f"<script>setTimeout(() => {{ {HANGS} }}, 50)</script>"
        pages["/waits"] = lambda handler: (time.sleep(0.5), answer(""))[1]
        pages["/pops"] = TEXT + "<script>for (let n = 0; n < 3; n++) window.open('/popped?' + n)</script>"
        pages["/kept"] = "<div id=app></div><script src=/kept.js></script>" + TEXT
        pages["/kept.js"] = answer("1", kind="text/javascript", Cache_Control="max-age=60")
        pages["/checks"] = _checks_browsers
        pages["/news/both"] = (
            TEXT + f"<script src={other.url}/their.js></script><script>fetch('/own.json'); fetch('/leaves')</script>"
        )
        pages["/leaves"] = moved(f"{other.url}/stolen")
        other.pages["/stolen"] = answer("{}", Access_Control_Allow_Origin="*")
        pages["/unending"] = _unending
        # The first two take long; meanwhile the others are shown one after the other.
        at = ["hangs", "unending", "kept?1", "kept?2", "kept?3", "late", "gbk", "pushed", "goes", "refreshes", "moved"]
        at += ["to-private", "moved-to-private", "loops", "gone", "loops-by-script", "picture", "attached", "huge"]
        at += ["slow", "shadow", "added", "loads"]
        at += ["bomb", "asks", "polls", "pops", "news/both", "checks", "canary"]
        headers = {"X-Key": "secret", "Cookie": "member=7", "If-None-Match": '"1"'}
        allow = [site.place, other.place, f"127.0.0.1:{canary.port}"]
        seconds = {f"{site.url}/{path}": 5.0 for path in ("unending", "hangs")}
        urls = [f"{site.url}/{path}" for path in at]
        constants = QUICK | {"visit.SETTLE_SECONDS": 6.0, "visit.LARGEST_PAGE": 2**21}
        found = rendered(urls, allow=allow, headers=headers, at_once=3, seconds=seconds, constants=constants)
        yield {path: found[f"{site.url}/{path}"] for path in at}, site, other, canary.heard
    canary.close()


def _checks_browsers(handler):
    """A page that sets two cookies, by its header and by a script, and is shown only with both."""
    if "human=1" not in handler.headers.get("Cookie", "") or "visit=2" not in handler.headers["Cookie"]:
        script = "<script>document.cookie = 'human=1; path=/'; location.reload()</script>"
        return answer(script, Set_Cookie="visit=2; Path=/")
    return TEXT


def _unending(handler):
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Connection", "close")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b"<p>and on ")
        handler.wfile.flush()
        time.sleep(0.1)


@pytest.fixture(scope="module")
def found(rendering):
    return rendering[0]


@pytest.fixture(scope="module")
def shown_site(rendering):
    return rendering[1]


@pytest.mark.parametrize(
    ("path", "url", "text"),
    [
        ("late", "/late", "It came late."),
        ("slow", "/slow", "It came slowly."),  # after two seconds and a half
        ("gbk", "/gbk", "渡轮九点出发"),
        ("gbk", "/gbk", "☃</body>"),
        ("shadow", "/shadow", "It stands in the shadow."),
        ("added", "/added", "The ferry"),  # parameters that scripts add are not the page's
        ("pushed", "/shown.html", "The ferry"),
        ("goes", "/goal", "<h1>goal</h1>"),
        ("refreshes", "/goal", "<h1>goal</h1>"),
        ("moved", "/goal", "<h1>goal</h1>"),
    ],
)
def test_what_scripts_fetch_draw_and_write_is_in_the_page_and_its_address(found, shown_site, path, url, text):
    assert found[path]["url"] == shown_site.url + url
    assert text in found[path]["text"]


def test_a_page_that_sets_cookies_and_loads_itself_again_is_shown(found, shown_site):
    assert "The ferry leaves at nine" in found["checks"]["text"]
    cookies = [headers["cookie"] for path, headers in shown_site.seen if path == "/checks"]
    assert cookies[0] == "member=7"
    assert cookies[1].count("member=7") == 1


@pytest.mark.parametrize("path", ["to-private", "moved-to-private"])
def test_robots_txt_holds_for_where_a_page_leads(found, shown_site, path):
    assert (found[path]["kind"], found[path]["reason"]) == ("reject", "robots.txt forbids it")
    assert not [path for path in shown_site.paths() if path.startswith("/private")]


@pytest.mark.parametrize(
    ("path", "kind", "reason"),
    [
        ("gone", "reject", "http 404"),
        ("picture", "reject", "not a page: image/png"),
        ("attached", "reject", "not a page: application/x-download"),
        ("huge", "fail", "the page is larger than 32 MiB"),
        ("bomb", "fail", "the page is larger than 32 MiB"),
        ("loops", "fail", "redirects in a loop"),
        ("loops-by-script", "fail", "more than 5 redirects"),
        ("unending", "again", "the page did not load in time"),
        ("hangs", "again", "the page's scripts do not end"),
    ],
)
def test_what_is_no_page_has_its_own_reason(found, path, kind, reason):
    assert (found[path]["kind"], found[path]["reason"]) == (kind, reason)


@pytest.mark.parametrize("path", ["asks", "polls", "pops", "loads"])
def test_a_page_that_never_rests_is_taken_as_it_is(found, shown_site, path):
    assert "The ferry leaves at nine" in found[path]["text"]
    assert not [path for path in shown_site.paths() if path.startswith("/popped")]


def test_headers_and_cookies_of_a_task_go_to_its_host_alone(rendering):
    _, site, other, heard_of_one_that_is_allowed = rendering
    assert heard_of_one_that_is_allowed, "a canary hears a browser that may reach it"
    assert all("if-none-match" not in headers for path, headers in site.seen if path != "/robots.txt")
    assert site.paths().count("/kept.js") < 3
    of = dict(site.seen)
    assert (of["/news/both"]["x-key"], of["/news/both"]["cookie"]) == ("secret", "member=7")
    assert (of["/own.json"]["x-key"], of["/own.json"]["cookie"]) == ("secret", "member=7")
    [(path, theirs)] = [seen for seen in other.seen if seen[0] != "/robots.txt"]
    assert path == "/their.js"
    assert "x-key" not in theirs
    assert "cookie" not in theirs
    assert {headers["user-agent"] for _, headers in [*site.seen, *other.seen]} == {of["/news/both"]["user-agent"]}


def test_in_a_browser_too_all_goes_through_a_tasks_proxy():
    with Pages() as site, Proxy() as proxy:
        site.pages["/late"] = """<div id=app></div><script>setTimeout(async () => {
            app.textContent = await (await fetch('/text')).text() }, 50)</script>"""
        site.pages["/text"] = answer("It came late. " * 30, kind="text/plain")
        through = f"http://127.0.0.1:{proxy.port}"
        url = f"{site.url}/late"
        found = rendered([url], allow=[site.place, f"127.0.0.1:{proxy.port}"], proxy=through)
    assert "It came late" in found[url]["text"]
    assert len([place for _, place, _ in proxy.targets if place == site.place]) >= len(site.seen) >= 2


# The browser's life


def test_a_tab_that_cannot_be_set_up_loads_nothing():
    with Pages() as site:
        site.pages["/"] = TEXT
        found = rendered([site.url + "/"], allow=[site.place], constants={"visit.WITHOUT_UDP": None})
        assert found[site.url + "/"]["kind"] != "page"
        assert "/" not in site.paths()


def test_browsers_are_renewed_and_none_is_left_behind():
    with Pages() as site:
        site.pages["/x"] = TEXT
        constants = QUICK | {"browsers.PAGES_A_BROWSER": 2}
        child = start([f"{site.url}/x?{n}" for n in range(3)], allow=[site.place], constants=constants, at_once=2)
        seen = set()
        while child.poll() is None:
            seen |= set(below(child.pid))
            time.sleep(0.05)
        lines = [json.loads(line) for line in child.communicate()[0].splitlines()]
        assert [line["kind"] for line in lines[:-1]] == ["page"] * 3
        assert lines[-1]["reason"] == 2
        assert len(seen) > 10
        until(lambda: not resident(list(seen)))


def test_a_browser_ends_without_those_of_other_proxies():
    async def end_one_of_two():
        one, other = (Browser(find_browser(), f"http://127.0.0.1:{port}", AGENT) for port in (8, 9))
        try:
            await asyncio.gather(one.start(), other.start())
            await asyncio.sleep(1.5 * browsers.LOOK_EVERY)
            others = list(other._pids)
            await one.close()
            return set(one._pids) & set(others), min(resident([pid]) for pid in others)
        finally:
            await asyncio.gather(one.close(), other.close())

    shared, smallest = asyncio.run(end_one_of_two())
    assert not shared
    assert smallest


def test_a_browser_that_has_grown_takes_no_more_pages(monkeypatch):
    browser = Browser("chromium", "http://127.0.0.1:9", AGENT)
    monkeypatch.setattr(browsers, "resident", lambda pids: browsers.MEMORY + 1)
    assert not browser.worn_out, "it has to render one page at least"
    browser._shown = 1
    assert browser.worn_out


def test_a_browser_that_dies_is_replaced_and_its_page_shown():
    with Pages() as site:
        killed = []

        def kill(handler):
            if not killed:
                killed.append(_main_process(child.pid))
                os.kill(killed[0], signal.SIGKILL)
            return answer("{}", kind="application/json")

        site.pages["/x"] = TEXT + "<script>fetch('/kill')</script>"
        site.pages["/kill"] = kill
        child = start([site.url + "/x"], allow=[site.place])
        lines = [json.loads(line) for line in child.communicate(timeout=60)[0].splitlines()]
        assert killed
        assert (lines[0]["kind"], lines[1]["reason"]) == ("page", 2)


def test_a_page_whose_tab_never_opens_ends_with_its_browser():
    async def show():
        began = asyncio.Event()

        async def load(_):
            began.set()
            await asyncio.Event().wait()

        browser = Browser("chromium", "http://127.0.0.1:1", "agent")
        visit = asyncio.ensure_future(browser.show(Request("http://127.0.0.1:1/"), ScriptCache(), load))
        await began.wait()
        browser.end_visits()
        await asyncio.wait_for(visit, 20)

    with pytest.raises(browsers.BrowserGone):
        asyncio.run(show())


def _main_process(pid):
    """The browser's first process below `pid`."""
    for each in below(pid):
        with open(f"/proc/{each}/cmdline", "rb") as file:  # noqa: PTH123
            words = file.read()
        if b"--remote-debugging-pipe" in words and b"--type=" not in words:
            return each
    raise AssertionError("no browser runs")


def test_the_browser_dies_with_its_spider():
    with Pages() as site:
        site.pages["/x"] = TEXT + "<script>fetch('/slow')</script>"
        site.pages["/slow"] = lambda handler: time.sleep(1)
        child = start([site.url + "/x"], allow=[site.place])
        until(lambda: "/slow" in site.paths(), within=30)
        processes = below(child.pid)
        child.kill()
        child.communicate()
        assert len(processes) > 3
        until(lambda: not resident(processes))


# Which browser


@pytest.fixture
def nothing_installed(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv(OF_PLAYWRIGHT, str(tmp_path))
    monkeypatch.delenv(BROWSER, raising=False)
    monkeypatch.setattr(chromium, "NAMES", ("chromium",))
    return tmp_path


def _program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_playwrights_own_browser_is_found_the_newest_first(nothing_installed):
    for number in (999, 1042):
        newest = _program(nothing_installed / f"chromium-{number}" / "chrome-linux" / "chrome")
    assert find_browser() == newest


def test_a_headless_shell_goes_before_a_whole_browser_and_a_script_of_it_is_not_started(nothing_installed, monkeypatch):
    _program(nothing_installed / "chromium-1042" / "chrome-linux" / "chrome")
    shell = _program(nothing_installed / "chromium_headless_shell-999" / "chrome-linux" / "headless_shell")
    assert find_browser() == shell
    monkeypatch.setattr(chromium, "NAMES", NAMES)
    for name in ("chromium", "chromium-headless-shell"):
        own = _program(nothing_installed / "bin" / name)
        assert find_browser() == own
    own = _program(nothing_installed / "lib" / "chromium" / "chromium-headless-shell")
    assert find_browser() == own


def test_without_any_the_message_says_what_to_install(nothing_installed):
    with pytest.raises(BrowserMissing, match=r"apt-get install chromium.*playwright install chromium"):
        find_browser()


def test_a_browser_that_is_named_but_not_there_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv(BROWSER, str(tmp_path / "chrome"))
    with pytest.raises(BrowserMissing, match="is not a program"):
        find_browser()
    monkeypatch.setenv(BROWSER, shutil.which("sh"))
    assert find_browser() == shutil.which("sh")
