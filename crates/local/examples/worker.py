"""A worker that attaches over HTTP: takes jobs, streams, reports, pings, and stops on request.

    podqueue-local --worker 'shout=python3 -u worker.py' --worker-env-prefix DEMO_

A handler of another file: import worker; asyncio.run(worker.serve(handler)).
"""
import asyncio, concurrent.futures, http.client, json, os, urllib.request, uuid

PREFIX = next((it for it in os.environ if it.endswith("WEBHOOK_GET_JOB")), "").removesuffix("WEBHOOK_GET_JOB")
env = {name[len(PREFIX):]: value for name, value in os.environ.items() if name.startswith(PREFIX)}
WORKER = env.get("POD_ID") or uuid.uuid4().hex
running = {}  # the tasks of the jobs that run here, by the job's id
threads = concurrent.futures.ThreadPoolExecutor(32)


def url(variable, job=WORKER, **query):
    text = env[variable].replace(f"${PREFIX}POD_ID", WORKER).replace("$ID", job)
    return text + "".join(f"&{name}={value}" for name, value in query.items())


def request(address, body=None):
    data = None if body is None else json.dumps(body).encode()
    message = urllib.request.Request(address, data, {"Authorization": env["AI_API_KEY"]})
    with urllib.request.urlopen(message, timeout=90) as response:
        return json.loads(response.read() or "null")


async def call(address, body=None, tries=3):
    for _ in range(tries):
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, request, address, body)
        except (OSError, ValueError, http.client.HTTPException) as error:
            log(f"{error}: {address.split('?')[0]}", level="WARN")
            await asyncio.sleep(1)


def log(message, job=None, level="INFO"):
    print(json.dumps({"requestId": job, "message": message, "level": level}), flush=True)


async def work(job, handler):
    result = {"output": []}
    try:
        async for chunk in handler(job):
            result["output"].append(chunk)
            await call(url("WEBHOOK_POST_STREAM", job["id"], isStream="false"), {"output": chunk})
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    await call(url("WEBHOOK_POST_OUTPUT", job["id"], isStream="true"), result)


async def take(handler):
    while True:
        if job := await call(url("WEBHOOK_GET_JOB", job_in_progress=int(bool(running))), tries=1):
            log("begun", job["id"])
            running[job["id"]] = asyncio.create_task(work(job, handler))
            await asyncio.wait([running[job["id"]]])
            running.pop(job["id"])


async def stop():
    while True:
        told = await call(url("WEBHOOK_GET_JOB").replace("job-take", "job-stop"), tries=1) or {}
        for job in set(told.get("jobsToStop", ())) & set(running):
            log("stopped", job)
            running[job].cancel()


async def ping():
    while True:
        await call(env["WEBHOOK_PING"].replace(f"${PREFIX}POD_ID", WORKER) + "?job_id=" + ",".join(running))
        await asyncio.sleep(int(env.get("PING_INTERVAL", 10_000)) / 1000)


async def serve(handler, concurrency=1):
    await asyncio.gather(ping(), stop(), *(take(handler) for _ in range(concurrency)))


async def shout(job):
    for word in job["input"]["text"].split():
        yield word.upper()


if __name__ == "__main__":
    asyncio.run(serve(shout))
