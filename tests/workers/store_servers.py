"""A server that speaks S3, behind a gate that can be closed and opened."""

import contextlib
import itertools
import signal
import sys
import tempfile
import urllib.request
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import boto3

from tests.proxy import Proxy
from tests.redis_servers import free_port
from tests.services import Server

SECRET = "s3cret-of-the-bucket"
_BUCKETS = itertools.count(1)


class S3Server:
    """Moto's server behind a gate. Its objects are lost when it ends."""

    def __init__(self, server):
        self.server = server
        self.gate = Proxy(server.port)
        self.client = cache(self._client)
        self.endpoint = f"http://127.0.0.1:{self.gate.port}"

    def _client(self, service="s3"):
        """A client past the gate."""
        return boto3.client(
            service, endpoint_url=f"http://127.0.0.1:{self.server.port}", region_name="us-east-1",
            aws_access_key_id="admin", aws_secret_access_key="admin",
        )  # fmt: skip

    def bucket(self):
        """The name of a new bucket."""
        name = f"news-{next(_BUCKETS)}"
        self.client().create_bucket(Bucket=name)
        return name

    def objects(self, bucket, prefix=""):
        """The bytes of the objects, by name."""
        client = self.client()
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        names = [one["Key"] for page in pages for one in page.get("Contents", [])]
        found = {}
        for name in names:
            with contextlib.suppress(client.exceptions.NoSuchKey):  # removed meanwhile
                found[name] = client.get_object(Bucket=bucket, Key=name)["Body"].read()
        return found

    def demand_credentials(self, after):
        """Check credentials and permissions after this number of requests; None: never."""
        data = str(10**9 if after is None else after).encode()
        address = f"http://127.0.0.1:{self.server.port}/moto-api/reset-auth"
        request = urllib.request.Request(address, data, {"Content-Type": "text/plain"}, method="POST")
        urllib.request.urlopen(request).close()

    @staticmethod
    def environment(endpoint):
        """What a worker's environment has."""
        return {
            "AWS_ACCESS_KEY_ID": "exemplar",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }


@contextmanager
def s3_server():
    """An S3 server on 127.0.0.1."""
    with tempfile.TemporaryDirectory(prefix="s3-") as folder:
        port = free_port()
        words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        server = Server(Path(folder), words, port, None, signal.SIGTERM)
        server.start()
        served = S3Server(server)
        try:
            yield served
        finally:
            served.gate.close()
            server.kill()
