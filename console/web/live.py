"""Server-sent events: they notify pages of a change, and the pages reload their live parts."""

import asyncio
from collections.abc import AsyncIterator

import redis
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

from console.web.context import Web, web_of

LOOK_EVERY = 2.0  # seconds between two checks for a change
JOB_LOOK_EVERY = 0.5
KEEP_ALIVE = 15.0  # seconds between two comments: proxies close silent connections


async def events(request: Request) -> StreamingResponse:
    """Send `change` when the tasks, or a job, have changed, and `done` when a job is done."""
    web = web_of(request)
    job = request.query_params.get("job")
    stream = _of_job(web, job) if job else _of_tasks(web, always="every" in request.query_params)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _of_tasks(web: Web, *, always: bool) -> AsyncIterator[str]:
    yield "retry: 3000\n\n"
    last: int | None = None
    silent = 0.0
    while not web.is_stopping():
        try:
            digest = (await run_in_threadpool(web.data.snapshot)).digest
        except redis.RedisError:
            digest = -1
        if last is not None and (digest != last or always):
            yield "event: change\ndata: tasks\n\n"
            silent = 0.0
        elif silent >= KEEP_ALIVE:
            yield ": still here\n\n"
            silent = 0.0
        last = digest
        silent += LOOK_EVERY
        await asyncio.sleep(LOOK_EVERY)


async def _of_job(web: Web, job_id: str) -> AsyncIterator[str]:
    yield "retry: 3000\n\n"
    read = 0
    while not web.is_stopping():
        job = web.jobs.get(job_id)
        if job is None or job.done:
            yield "event: done\ndata: job\n\n"
            return
        if len(job.progress) != read:
            read = len(job.progress)
            yield "event: change\ndata: job\n\n"
        await asyncio.sleep(JOB_LOOK_EVERY)
