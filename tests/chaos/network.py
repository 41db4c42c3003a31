"""A network of the test's own: a namespace for this process and one for each node, joined by a bridge.

They vanish with their processes. Needs root; without it all is on 127.0.0.1.
"""

import ctypes
import os
import shutil
import subprocess
import time
from pathlib import Path

from workers.processes import ending_with_parent

CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
MS_REC_PRIVATE = 0x4000 | 0x40000
BRIDGE, HUB = "hub", "10.99.0.1"


class Network:
    """Where the nodes are. `host`: the address of site and Redis; `missing`: why there are no namespaces, or empty."""

    def __init__(self) -> None:
        self.missing = _enter()
        self.host = "127.0.0.1" if self.missing else HUB
        self._holders: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Network":
        return self

    def __exit__(self, *_: object) -> None:
        for holder in self._holders.values():
            holder.kill()
            holder.wait()

    def node(self, name: str) -> list[str]:
        """What stands before a command that is to run in the node's namespace, which is made at its first call."""
        if self.missing:
            return []
        if name not in self._holders:
            self._holders[name] = self._namespace(f"n{len(self._holders)}", f"10.99.0.{len(self._holders) + 10}/24")
        return ["nsenter", f"--net=/proc/{self._holders[name].pid}/ns/net"]

    def cut(self, name: str) -> None:
        """Take the node off the network: nothing is refused, nothing answers."""
        self._link(name, "down")

    def join(self, name: str) -> None:
        self._link(name, "up")

    def _link(self, name: str, state: str) -> None:
        _ip("link", "set", f"n{list(self._holders).index(name)}", state)

    def _namespace(self, link: str, address: str) -> "subprocess.Popen[bytes]":
        holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"], preexec_fn=ending_with_parent())
        own, here = Path(f"/proc/{holder.pid}/ns/net"), Path("/proc/self/ns/net").stat().st_ino
        limit = time.monotonic() + 5
        while own.stat().st_ino == here:
            if time.monotonic() > limit:
                raise TimeoutError("the namespace of a node does not come up")
            time.sleep(0.01)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        _ip("link", "set", link, "master", BRIDGE, "up")
        for step in ("link set lo up", f"addr add {address} dev eth0", "link set eth0 up"):
            subprocess.run(["nsenter", f"--net={own}", "ip", *step.split()], check=True)
        return holder


def _enter() -> str:
    """Move this process into namespaces of its own; return why that is impossible, or an empty text."""
    if os.geteuid() != 0:
        return "namespaces need root"
    if lacking := [tool for tool in ("ip", "nsenter", "unshare", "mount") if shutil.which(tool) is None]:
        return f"{', '.join(lacking)} not installed"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS | CLONE_NEWNET):
        return f"the kernel refuses namespaces: {os.strerror(ctypes.get_errno())}"
    libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None)
    try:
        _ip("link", "set", "lo", "up")
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("addr", "add", f"{HUB}/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
    except (OSError, subprocess.CalledProcessError) as error:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
        return f"no bridge between namespaces: {error}"
    return ""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, stderr=subprocess.PIPE)
