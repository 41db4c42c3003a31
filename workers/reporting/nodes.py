"""The name of a node: of the machine on which a process runs."""

import os
import socket

NODE = "EXEMPLAR_NODE"  # environment variable: the name of this machine; by default its host name


def node_name() -> str:
    """Return the name of this machine."""
    return os.environ.get(NODE) or socket.gethostname()
