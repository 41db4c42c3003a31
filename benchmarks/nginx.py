"""A fast server for many equal pages: nginx on loopback, serving a folder."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.redis_servers import eventually, free_port, listens

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
