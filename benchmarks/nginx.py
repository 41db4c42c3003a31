"""A fast server for many equal pages: nginx on loopback, serving a folder."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_WAIT = 10.0  # seconds
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


@contextmanager
def served(root: Path) -> Iterator[str]:
    """Serve a folder; /a/… is always its article.html. Yields the address. Ends the program without nginx."""
    binary = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if binary is None:
        raise SystemExit("this benchmark requires nginx; install it (Debian: nginx-light)")
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="nginx-") as folder:
        root.chmod(0o755)  # nginx's worker may run as another user
        file = Path(folder) / "nginx.conf"
        file.write_text(CONFIGURATION.format(folder=folder, port=port, root=root))
        process = subprocess.Popen([binary, "-c", str(file)], stderr=subprocess.DEVNULL)
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    limit = time.monotonic() + START_WAIT
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
        except OSError:
            if time.monotonic() > limit:
                raise
            time.sleep(0.02)
        else:
            return
