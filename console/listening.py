"""The error of a server (console or metrics) that cannot listen at its address."""

import errno

from workers.errors import ExemplarError


class CannotListen(ExemplarError):
    """The port is in use, or the address is not one of this machine. The options are those that name port and host."""

    def __init__(self, host: str, port: int, error: OSError, port_option: str, host_option: str):
        at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        if error.errno == errno.EADDRINUSE:
            super().__init__(f"{at} is in use by another program; choose another port with {port_option}")
        else:
            why = (error.strerror or str(error)).partition(" (")[0]
            super().__init__(f"{at} is unusable: {why}; choose another address with {host_option}")
