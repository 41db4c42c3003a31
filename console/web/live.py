"""Server-sent events: one stream tells all tabs of a browser what has changed, and they reload their live parts.

A message is a topic: `tasks` after a change of a task, `time` at every look, `job ID` after progress of a job.
"""

import asyncio
from collections.abc import AsyncIterator

import redis
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

from console.web.context import Web, web_of

LOOK_EVERY = 2.0  # seconds between two checks for a change of the tasks
JOB_LOOK_EVERY = 0.5


async def events(request: Request) -> StreamingResponse:
    """Send the topics of which something has changed."""
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(_topics(web_of(request)), media_type="text/event-stream", headers=headers)


async def _topics(web: Web) -> AsyncIterator[str]:
    yield "retry: 3000\n\n"
    last: int | None = None
    known = web.jobs.states()
    while not web.is_stopping():
        try:
            digest = (await run_in_threadpool(web.data.snapshot)).digest
        except redis.RedisError:
            digest = -1
        yield "data: time\n\n" + ("data: tasks\n\n" if last not in (None, digest) else "")
        last = digest
        for _ in range(round(LOOK_EVERY / JOB_LOOK_EVERY)):
            states = web.jobs.states()
            yield "".join(f"data: job {job}\n\n" for job, state in states.items() if known.get(job) != state)
            known = states
            await asyncio.sleep(JOB_LOOK_EVERY)
