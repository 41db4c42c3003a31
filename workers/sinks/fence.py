"""The fence of a file output: which epoch of Redis was the last to write rows of a task to it.

When Redis fails over, its old server may go on serving the workers on its side of the network until it notices. Then
two epochs write to one file, and each ledger lacks the rows of the other. So an output keeps, in a file for each task,
the epoch that wrote last. A worker reads it while it holds the output. If it names another epoch than the worker's, the
output may have rows that the worker's ledger lacks: the worker compares them before it writes
(`workers.extraction.ledger_recovery`).
"""

import os
import secrets
from hashlib import sha256
from pathlib import Path

from workers.errors import SinkUnavailable
from workers.sinks.durability import Durability, make_folder


def pass_fence(name: str, folder: Path, task: str, epoch: str, durability: Durability) -> str:
    """Note that an epoch writes rows of a task; return a name of its turn, which is new if another epoch wrote last.

    Call it only while the output is held. `name`: that of the output in messages; `folder`: that of its fences. Where
    no file can be created in it for lack of rights, the epoch itself is returned. Raises `SinkUnavailable`.
    """
    path = folder / sha256(task.encode()).hexdigest()[:16]
    try:
        turn = path.read_text() if path.exists() else ""
        if turn.partition(" ")[0] != epoch:
            turn = f"{epoch} {secrets.token_hex(8)}"
            make_folder(folder, durability)
            with path.open("w") as file:
                file.write(turn)
                file.flush()
                if durability == "safe":
                    os.fsync(file.fileno())
    except PermissionError:
        return epoch
    except OSError as error:
        raise SinkUnavailable(f"output unavailable: {name} cannot be written: {error.strerror or error}") from None
    return turn
