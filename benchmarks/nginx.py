"""A section of many pages on a fast server: nginx on loopback serves a folder with its lists and articles."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.redis_servers import eventually, free_port, listens

LINKS_A_LIST = 500
CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  types {{ text/html html; }}
  access_log off; sendfile on; keepalive_requests 100000;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port}; root {root};
    location /a/ {{ rewrite ^ /article.html break; }}
  }}
}}
"""


def write_lists(folder: Path, articles: str, number: int) -> None:
    """Write list pages 0.html … into a new folder, with links to `number` articles: /ARTICLES/0.html …"""
    folder.mkdir()
    for start in range(0, number, LINKS_A_LIST):
        numbers = range(start, min(number, start + LINKS_A_LIST))
        links = "".join(f'<li><a href="/{articles}/{n}.html">Article {n}</a></li>' for n in numbers)
        (folder / f"{start // LINKS_A_LIST}.html").write_text(f"<html><body><ul>{links}</ul></body></html>")


def task_list(task: str, address: str, lists: str, articles: str, number: int) -> str:
    """Return a task list with one task: the section of `write_lists`, whose lists are in the folder `lists`."""
    last = (number - 1) // LINKS_A_LIST
    return (
        "settings: {allow_hosts: [127.0.0.1], delay: 0, contact: benchmark@example.org}\n"
        f"tasks:\n  {task}:\n    example: {address}/{articles}/0.html\n    pattern: /{articles}/{{id}}.html\n"
        f"    every: 1h\n    start: /{lists}/{{n:0..{last}}}.html\n    output: a.jsonl\n    limit: null\n"
        "    near_duplicates: keep\n"
    )


@contextmanager
def served(root: Path) -> Iterator[str]:
    """Serve a folder; /a/… is always its article.html. Yields the address. Ends the program without nginx."""
    binary = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if binary is None:
        raise SystemExit("this benchmark requires nginx; install it (Debian: nginx-light)")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="nginx-") as folder:
        root.chmod(0o755)  # nginx's worker may run as another user
        file = Path(folder) / "nginx.conf"
        file.write_text(CONFIGURATION.format(folder=folder, port=port, root=root))
        process = subprocess.Popen([binary, "-c", str(file)], stderr=subprocess.DEVNULL)
        try:
            eventually(lambda: listens(port))
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()
