"""The browser and its options.

It is the Chromium installed here (`find_browser`), headless, with its sandbox unless the user is root. Chromium's
headless shell, the same engine without the browser's own windows, is preferred: it needs about half of the CPU time.
Each of its connections goes through `crawler.guarding.browser_proxy`.
"""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from workers.errors import ExemplarError

BROWSER = "EXEMPLAR_CHROMIUM"  # environment variable: path of the browser
HEADLESS_SHELL = "chromium-headless-shell"
NAMES = (
    HEADLESS_SHELL,
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# Environment variable: Playwright's folder of browsers, if not the usual one
OF_PLAYWRIGHT = "PLAYWRIGHT_BROWSERS_PATH"
PLACES = (  # paths of the program in a folder of Playwright; each may be installed alone
    "chromium_headless_shell-*/chrome*-linux*/*headless*shell",
    "chromium_headless_shell-*/chrome*-mac*/*headless*shell",
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
PAGE_SECONDS = 20  # seconds until a page must have loaded

FLAGS = (
    "--disable-gpu",
    "--disable-quic",  # UDP would bypass the proxy; so would WebRTC, whose switch now has a shorter name
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # the proxy resolves names, also for prefetches
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


class BrowserMissing(ExemplarError):
    """No browser is installed, or the one that was named does not exist."""


def find_browser() -> str:
    """Return the path of the browser: that of the variable, the system's or Playwright's. Raises `BrowserMissing`."""
    named = os.environ.get(BROWSER)
    if named and not shutil.which(named):
        raise BrowserMissing(f"{BROWSER}={named} is not a program")
    found = shutil.which(named or "") or next(filter(None, map(shutil.which, NAMES)), None) or _of_playwright()
    if found is None:
        raise BrowserMissing(
            "no Chromium is installed; run apt-get install chromium (Debian, Ubuntu) or playwright install chromium, "
            f"or name a browser in {BROWSER}"
        )
    return _without_script(found)


def _without_script(found: str) -> str:
    """Return the program that Debian's script for the headless shell starts: the script would remain its parent."""
    own = Path(found).parents[1] / "lib/chromium" / HEADLESS_SHELL
    return str(own) if Path(found).name == HEADLESS_SHELL and os.access(own, os.X_OK) else found


def _of_playwright() -> str | None:
    """The newest headless shell of `playwright install`, or else its newest Chromium.

    It is found without Playwright, which would start its driver for this.
    """
    cache = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "ms-playwright"
    folder = Path(os.environ.get(OF_PLAYWRIGHT) or cache)
    for place in PLACES:
        found = [path for path in folder.glob(place) if os.access(path, os.X_OK)]
        if found:
            return str(max(found, key=lambda path: int(re.findall(r"-(\d+)", str(path.relative_to(folder)))[0])))
    return None


def launch_options(browser: str, proxy: str, flags: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return Playwright's options for a browser whose connections all go through `proxy`, a `GuardedProxy`'s URL."""
    return {
        "executable_path": browser,
        "args": [*FLAGS, *flags],
        "chromium_sandbox": os.geteuid() != 0,  # Chromium refuses to run with its sandbox for root
        "proxy": {"server": proxy, "bypass": "<-loopback>"},  # Chromium would connect to loopback directly without it
    }
